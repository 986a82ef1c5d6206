"""`spielleiter replay GAME --turn N --bot BOT`: put a bot back into a position of a game."""

from __future__ import annotations

import pdb
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spielleiter import games
from spielleiter.cli._options import PlayerName
from spielleiter.cli._programs import profile_option
from spielleiter.cli._replay_output import NOTHING_SHOWN, Printer, tell, tell_moves
from spielleiter.errors import UsageError
from spielleiter.game import Clock, Game, Move, Position
from spielleiter.gym.trial import BOT, OTHERS, FirstAnswer, pairing_of
from spielleiter.gym.turn_replay import Call, ReplayedTurn, TurnReplay, replay_turn
from spielleiter.programs.player_process import made
from spielleiter.programs.players import Players
from spielleiter.programs.profiling import CallProfiler, write_graph
from spielleiter.programs.program import is_program
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.service.recorded_games import chosen_game, recorded_games
from spielleiter.tournament.recorded_game import RecordedGame
from spielleiter.tournament.time_control import time_control


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("source", metavar="FILE|STORE")
@click.argument("key", required=False, metavar="[GAME]")
@click.option("--turn", required=True, type=click.IntRange(1), help="Which turn, from 1.")
@click.option("--bot", required=True, type=PlayerName(), help="Who is asked.")
@click.option(
    "--move",
    "others",
    multiple=True,
    metavar="MOVE",
    help="Compare its answer with this move. Can be repeated.",
)
@click.option("--times", default=1, show_default=True, type=click.IntRange(1), help="How often.")
@click.option("--pdb", "debug", is_flag=True, help="Stop in Python's debugger as it is called.")
@click.option("--only", is_flag=True, help="Without the calls of the earlier turns.")
@click.option("--seed", type=click.IntRange(0), help="Another seed than in the game.")
@profile_option
def command(
    source: str,
    key: str | None,
    turn: int,
    bot: str,
    others: tuple[str, ...],
    times: int,
    debug: bool,
    only: bool,
    seed: int | None,
    profile: Path | None,
) -> None:
    """Ask BOT again for the move of a turn of a recorded game.

    It gets the clock and the seed that it had there. A Python file and a built-in player are
    called as in the game, from its beginning on; a program is started in the position. Says
    whether the answer is the one of the game.

    Why not another move? --move says whether it is legal, and what the engine thinks of it and of
    the answer, as reviews do, with the boards after both.
    """
    game = chosen_game(source, key) if key else _only(source)
    edition = game.record.game(games.load_recorded)
    replay = TurnReplay.of(game.record, edition, turn, game.nodes)
    for text in others:
        replay.turn.position.move(text)  # a misspelt one is refused before the bot is asked
    printer = Printer()
    if is_program(bot):
        if debug:
            raise UsageError("only a bot in Python can be called under Python's debugger")
        answers = [_asked_program(bot, edition, replay, profile) for _ in range(times)]
        if profile is not None:
            click.echo(f"wrote {profile}", err=True)
    else:
        profiler = None if profile is None else CallProfiler()
        call = _call(debug, profiler)
        chosen = game.seed(replay.seat) if seed is None else seed
        answers = []
        for _ in range(times):
            player = made(bot, chosen)
            answers.append(replay_turn(player, replay, call, printer, earlier=not only))
        if profile is not None and profiler is not None:
            write_graph(profile, f"{game.key}-turn-{turn}", bot, profiler.html())
            click.echo(f"wrote {profile}", err=True)
        if not printer.lines and bot.partition(":")[0].endswith(".py"):
            click.echo(NOTHING_SHOWN, err=True)
    for answer in answers:
        tell(answer)
    if others:
        moves = [*(answer.move for answer in answers), *others]
        tell_moves(edition, replay, game.record.names, bot, moves, printer.values)


def _only(source: str) -> RecordedGame:
    found = list(recorded_games(source))
    if len(found) != 1:
        raise UsageError(f"{source} holds {len(found)} games: say which, see spielleiter records")
    return found[0]


def _call(debug: bool, profiler: CallProfiler | None) -> Call:
    """How the bot is called at the turn, printing its time and processor time."""

    def call(function: Callable[[Position, Clock], Move], *arguments: Any) -> Move:
        began, cpu = time.perf_counter(), time.process_time()
        try:
            if debug:
                stopped = pdb.Pdb().runcall(function, *arguments)
                assert stopped is not None, "choose() gives a move"
                return stopped
            return function(*arguments) if profiler is None else profiler.run(function, *arguments)
        finally:
            spent, used = time.perf_counter() - began, time.process_time() - cpu
            click.echo(f"{spent:.3f} s, processor {used:.3f} s", err=True)

    return call


def _asked_program(bot: str, game: Game, replay: TurnReplay, profile: Path | None) -> ReplayedTurn:
    """What a program answers if its game begins in this position."""
    turn, options = replay.turn, ProgramOptions(None, False, False, "127.0.0.1")
    setting = replace(options.setting([bot]), profile=profile)
    limits = time_control(turn.clock.per_move, turn.clock.nodes, None)
    names: dict[str, str | None] = {BOT: bot, **dict.fromkeys(OTHERS, "random")}
    players = Players(game.name, game.authority, names, limits, setting, (turn.position.text(),))
    entry = FirstAnswer(players)().play(pairing_of(0, replay.seat, turn.position.seats))
    if not entry.events.moves:
        fault = entry.result().faults[replay.seat]
        raise UsageError(f"it does not answer: {fault}\n{entry.log.strip()}")
    return ReplayedTurn(entry.events.moves[0], turn.played, None)
