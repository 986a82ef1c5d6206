"""What to type after a review: commands that show its most telling turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spielleiter.cli._options import shown_command
from spielleiter.review import GameReview
from spielleiter.review.summary import summarise


def next_commands(
    source: str,
    reviews: Sequence[tuple[str, GameReview]],
    player: str | None,
    nodes: int | None,
    *,
    several: bool,
) -> list[str]:
    """Commands for the turn to look at first; none if no move was costly.

    `reviews` are those of all games, or of the one that was chosen, with their keys; `nodes` is
    what they were asked to have for a position.
    """
    if (turn := _turn_to_look_at(reviews, player)) is None:
        return []
    again = ("--nodes", str(nodes)) if nodes is not None else ()
    return [shown_command(*each) for each in _words(source, turn, again if several else None)]


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn that is worth looking at."""

    key: str
    number: int
    player: str
    best: str
    """What the engine plays there."""


def _turn_to_look_at(named: Sequence[tuple[str, GameReview]], player: str | None) -> _Turn | None:
    """The clearest case of what recurs; in one game, or if nothing does, the costliest move."""
    for each in summarise(named) if len(named) > 1 else ():
        if player in (None, each.name) and (case := each.clearest) is not None:
            return _Turn(*case, each.name, _best(named, *case))
    lost = [
        (
            turn.seat in review.winners,
            -turn.loss,
            key,
            turn.turn,
            turn.best,
            review.names[turn.seat],
        )
        for key, review in named
        for turn in review.costly(player)
    ]
    if not lost:
        return None
    *_, key, number, best, name = min(lost)
    return _Turn(key, number, name, best)


def _best(named: Sequence[tuple[str, GameReview]], key: str, number: int) -> str:
    review = dict(named)[key]
    return next(each.best for each in review.turns if each.turn == number)


def _words(source: str, turn: _Turn, review: tuple[str, ...] | None) -> Iterator[tuple[str, ...]]:
    """What to type to see why: the game, the position before the move, what the bot thinks there.

    The bot is asked beside the better move. `review` are the options for the review of that game,
    unless it has just been told.
    """
    is_store = not source.endswith(turn.key)  # a file of one game is its key
    where = (source, turn.key) if is_store else (source,)
    if review is not None:
        yield "review", *where, "--player", turn.player, *review
    yield "show", *where, "--turn", str(turn.number - 1)
    yield (
        "replay",
        *where,
        "--turn",
        str(turn.number),
        "--bot",
        turn.player if is_store and turn.player else "BOT",
        "--move",
        turn.best,
    )
