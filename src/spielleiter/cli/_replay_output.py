"""What `spielleiter replay` prints: what the bot shows, its answer, and other moves beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import click

from spielleiter.annotation import Annotation
from spielleiter.draw import terminal
from spielleiter.game import Game, Move, Position
from spielleiter.gym.turn_replay import ReplayedTurn, TurnReplay
from spielleiter.review.game_review import tried_moves
from spielleiter.review.views import translated_scene, translator, turn_lines
from spielleiter.text import ENGLISH

NOTHING_SHOWN = (
    "The bot showed nothing. To see what it thinks, call self.show(values={...}, text=...) in "
    "choose() and run this again; docs/author/debugger.md says what can be shown."
)
_NO_VALUES = (
    "The bot showed no value of these moves. To see its values here, show them by the moves' "
    "texts: self.show(values={move.text(): value, ...})."
)


class Printer:
    """Prints what the bot shows, and remembers its values."""

    def __init__(self) -> None:
        self.lines = 0
        self.values: dict[str, float] = {}

    def __call__(self, shown: Annotation) -> None:
        self.lines += 1
        self.values.update(shown.values)
        print(shown.line(), file=sys.stderr)


def tell(answer: ReplayedTurn) -> None:
    """Print what the bot answers, and whether that is the move of the game."""
    if answer.diverged is not None:
        click.echo(f"It differs from the game since turn {answer.diverged}.")
    if answer.same:
        click.echo(f"{answer.move}, as in the game")
    else:
        click.echo(f"{answer.move}; in the game it was {answer.played}")


def tell_moves(
    game: Game,
    replay: TurnReplay,
    players: Sequence[str],
    bot: str,
    moves: Sequence[str],
    values: Mapping[str, float],
) -> None:
    """Print what each of these moves is worth, each once, with the bot's own value if it has one.

    `players` are those of the game; the bot has taken the place of one of them.
    """
    before = replay.turn.position
    found = list(dict.fromkeys(before.move(text) for text in moves))
    legal = [move for move in found if before.why_illegal(move) is None]
    names = [bot if seat == replay.seat else name for seat, name in enumerate(players)]
    review = tried_moves(before, legal, game, names, replay.turn.number)
    told = dict(zip(legal, review.turns, strict=True))
    for move in found:
        click.echo("")
        if (problem := before.why_illegal(move)) is not None:
            click.echo(f"{move.text()} is not legal here: {problem.explanation}.")
            continue
        lines = turn_lines(told[move], review, game, translator(game, ENGLISH))
        click.echo("\n".join([*lines, *_own_value(move, values)]))
        click.echo(_board(game, before, move))
    if not any(move.text() in values for move in found):
        click.echo(_NO_VALUES, err=True)


def _own_value(move: Move, values: Mapping[str, float]) -> Iterator[str]:
    if move.text() in values:
        yield f"   The bot's own value: {values[move.text()]:g}"


def _board(game: Game, before: Position, move: Move) -> str:
    scene = game.scene(before.after(move), move)
    drawn = translated_scene(scene, translator(game, ENGLISH))
    return terminal.render(drawn, colour=sys.stdout.isatty(), legend=False)
