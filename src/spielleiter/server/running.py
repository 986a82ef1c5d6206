"""Runs a server until the process is asked to stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import Callable
from pathlib import Path

from spielleiter.game import Game
from spielleiter.server.listener import Server, Starter
from spielleiter.server.open_files import allow_many_files
from spielleiter.server.replay import load
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.settings import Settings
from spielleiter.server.timekeeper import Timekeeper, event_loop


def run_server(
    games: list[Game],
    settings: Settings,
    *,
    start: Starter | None = None,
    on_ready: Callable[[Server], None],
    on_stop: Callable[[], None],
) -> None:
    """Serve until SIGINT or SIGTERM comes; a second signal cancels the running games."""
    allow_many_files()
    time = Timekeeper()
    server = Server(games, settings, time=time, start=start)
    with contextlib.closing(event_loop(time)) as loop:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_serve(server, on_ready, on_stop))


async def _serve(
    server: Server, on_ready: Callable[[Server], None], on_stop: Callable[[], None]
) -> None:
    await server.start()
    stop = asyncio.Event()
    stop_on_signals(stop)
    on_ready(server)
    gc.freeze()  # what is loaded by now stays: the collector need not look through it again
    await stop.wait()
    stop.clear()
    on_stop()
    stopping, again = asyncio.create_task(server.stop()), asyncio.create_task(stop.wait())
    await asyncio.wait((stopping, again), return_when=asyncio.FIRST_COMPLETED)
    if again.done():
        server.cancel_all()
    await stopping
    again.cancel()


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set the event when the process gets SIGINT or SIGTERM."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


def start_from_replay(file: Path, turn: int, games: list[Game]) -> Starter:
    """Start unprepared rooms with the replay's first state of at least that turn."""
    loaded, start = load(file, turn, [ServedGame.of(game) for game in games])

    def start_of(wanted: ServedGame, prepared: bool) -> Start | None:
        return start if wanted.game == loaded.game and not prepared else None

    return start_of
