"""`spielleiter demo GAME`: a server, two players and an observer, all over sockets."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import click

from spielleiter import games
from spielleiter.cli._observed import draw_boards
from spielleiter.cli._options import (
    PlayerName,
    authority_option,
    game_argument,
    seed_option,
)
from spielleiter.client.admin import Administrator
from spielleiter.errors import UsageError
from spielleiter.game import Authority

PORT = 13050
PATIENCE = 10.0
"""Seconds that a process gets to end by itself."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@game_argument
@click.option(
    "--seat", "players", multiple=True, type=PlayerName(), help="Who plays the next seat."
)
@click.option(
    "--delay", type=click.FloatRange(0), default=0.1, show_default=True, metavar="SECONDS"
)
@seed_option
@authority_option
def command(
    game: str, players: tuple[str, ...], delay: float, seed: int, authority: Authority
) -> None:
    """Watch two built-in players on a server for GAME.

    Each is a separate process and speaks the contest's protocol, as on the day of the contest.
    The server takes the contest's port 13050, or any free one, and stops after the game.
    """
    games.load(game, authority)
    names = (*players, "greedy", "random")[:2]
    with ExitStack() as started:
        common = ["--authority", authority, "--seed", str(seed)]
        port = started.enter_context(_server(game, common))
        admin = started.enter_context(Administrator.open(port=port, game=game, authority=authority))
        room = admin.prepare(names, can_timeout=False)
        assert room.room is not None, "our own server names the rooms it prepares"
        sights = admin.observe(room.room)
        for name, code in zip(names, room.reservations, strict=True):
            seat = ["--bot", name, "-p", str(port), "-r", code]
            started.enter_context(_process("join", game, *seat, *common))
        draw_boards(sights, delay)


@contextmanager
def _server(game: str, options: list[str]) -> Iterator[int]:
    """Start a server on the usual port, or on any free one; returns the port."""
    for port in (PORT, 0):
        with _process("serve", game, "--port", str(port), *options) as process:
            assert process.stdout is not None, "it was opened as a pipe"
            greeting = process.stdout.readline().decode("utf-8", "replace")
            if greeting:
                yield int(greeting.split()[2].rpartition(":")[2])
                return
    raise UsageError("the server did not start; `spielleiter serve` says why")


@contextmanager
def _process(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Another command of ours, ended when we leave."""
    command = [sys.executable, "-m", "spielleiter", *words]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet)
    try:
        yield process
    finally:
        _end(process, patience=PATIENCE if words[0] == "join" else 0.0)


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Wait for a process that ends by itself; ask it to end; insist."""
    deadline = time.monotonic() + patience
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    if process.poll() is None:
        process.terminate()
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
