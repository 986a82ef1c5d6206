"""A review as JSON for programs and as text for people; `page` has it in HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spielleiter.draw import terminal
from spielleiter.game import Game, Seat
from spielleiter.match import GameRecord
from spielleiter.review.game_review import PHASES, GameReview, ReviewedTurn
from spielleiter.text import Catalogue, Messages, Text, catalogue, translate

messages = Messages("spielleiter", "review.")
_BARS = "▁▂▃▄▅▆▇█"
_SHOWN = 5

Say = Callable[[str], str]
"""A text in the reader's language."""


def speaker(game: Game, language: str) -> Say:
    """Says texts of the program and of the game in a language."""
    known: Catalogue = {
        **catalogue("spielleiter", language),
        **catalogue(game.folder, language),
    }
    return lambda text: translate(text, known)


# -------------------------------------------------------------------------------------------- JSON


def to_json(review: GameReview, say: Say = str) -> dict[str, Any]:
    """The whole review in plain values; docs/reference/review.md describes it."""
    return {
        "edition": review.edition,
        "names": list(review.names),
        "winners": list(review.winners),
        "reason": review.reason,
        "engine": review.engine,
        "nodes": review.nodes,
        "turns": [_turn(each, say) for each in review.turns],
        "turning_points": [each.turn for each in review.turning_points],
        "last_chances": [
            None if (found := review.last_chance(seat)) is None else found.turn
            for seat in range(review.seats)
        ],
        "accuracy": list(review.accuracy),
        "losses": [losses(review, seat) for seat in range(review.seats)],
    }


def _turn(turn: ReviewedTurn, say: Say) -> dict[str, Any]:
    return {
        "turn": turn.turn,
        "seat": turn.seat,
        "move": turn.move,
        "best": turn.best,
        "chance": turn.chance,
        "chance_after": turn.chance_after,
        "loss": turn.loss,
        "grade": turn.grade,
        "certain": turn.certain,
        "line": list(turn.line),
        "depth": turn.depth,
        "choices": turn.choices,
        "phase": turn.phase,
        "spent": turn.spent,
        "motifs": [{"id": each.id, "text": say(each)} for each in turn.motifs],
        "avoided_from": turn.avoided_from,
    }


def losses(review: GameReview, seat: Seat) -> Mapping[str, float]:
    """How much of its chances a seat gave away in each phase, in all."""
    found = dict.fromkeys(PHASES, 0.0)
    for each in review.of(seat):
        found[each.phase] += each.loss
    return {phase: round(loss, 4) for phase, loss in found.items()}


# -------------------------------------------------------------------------------------------- text


def to_text(
    review: GameReview, record: GameRecord, game: Game, language: str, *, colour: bool = False
) -> str:
    """The review as lines for a terminal."""
    say = speaker(game, language)
    return "\n".join(_lines(review, record, game, say, colour))


def _lines(
    review: GameReview, record: GameRecord, game: Game, say: Say, colour: bool
) -> Iterator[str]:
    yield title(review, game, say)
    yield say(messages("searched", engine=review.engine, nodes=f"{review.nodes:,}"))
    yield ""
    for seat in range(review.seats):
        yield say(seat_summary(review, game, seat))
        yield f"  {_curve(review, seat)}"
    yield ""
    yield say(messages("costliest" if review.turning_points else "nothing-lost"))
    for each in review.turning_points[:_SHOWN]:
        yield from (f"  {line}" for line in told(each, game, say))
    yield from _last_chances(review, record, game, say, colour)


def title(review: GameReview, game: Game, say: Say) -> str:
    """Who played what, and how it ended."""
    names = " – ".join(
        f"{name} ({say(seat)})" for name, seat in zip(review.names, game.seat_names, strict=False)
    )
    ended = say(messages("unfinished"))
    if review.winners:
        winners = ", ".join(say(game.seat_names[seat]) for seat in review.winners)
        ended = say(messages("won-by", winners=winners, reason=reason(review, game)))
    return f"{say(game.title)}: {names}. {ended}"


def reason(review: GameReview, game: Game) -> str:
    """By which rule the game ended, as a text that can be translated."""
    known = catalogue(game.folder, "en")
    key = f"reason.{review.reason}"
    return Text(key, known[key]) if key in known else review.reason


def seat_summary(review: GameReview, game: Game, seat: Seat) -> Text:
    """One line on a seat: accuracy, what was lost in each phase, time."""
    spent = [each.spent for each in review.of(seat) if each.spent is not None]
    lost = losses(review, seat)
    return messages(
        "seat-with-time" if spent else "seat",
        name=game.seat_names[seat],
        accuracy=f"{review.accuracy[seat]:.1f}",
        opening=f"{lost['opening']:.2f}",
        middle=f"{lost['middle']:.2f}",
        end=f"{lost['end']:.2f}",
        **({"spent": f"{sum(spent):.1f}", "longest": f"{max(spent):.1f}"} if spent else {}),
    )


def told(turn: ReviewedTurn, game: Game, say: Say) -> Iterator[str]:
    """What a costly move did, line by line."""
    yield say(
        messages(
            "move",
            turn=turn.turn,
            name=game.seat_names[turn.seat],
            move=turn.move,
            chance=percent(turn.chance),
            after=percent(turn.chance_after),
            grade=messages(f"grade.{turn.grade}"),
            best=" ".join(turn.line[:3]),
        )
    )
    for motif in turn.motifs:
        yield f"   {say(motif)}"
    yield f"   {say(sureness(turn))}"
    if turn.avoided_from is not None:
        yield f"   {say(messages('avoided', nodes=f'{turn.avoided_from:,}'))}"
    if turn.spent is not None:
        yield f"   {say(messages('spent', seconds=f'{turn.spent:.2f}'))}"


def sureness(turn: ReviewedTurn) -> Text:
    """How sure the chances are."""
    return messages("solved") if turn.certain else messages("estimated", depth=turn.depth)


def percent(chance: float) -> str:
    """A chance as people read it."""
    return f"{round(100 * chance)} %"


def _curve(review: GameReview, seat: Seat) -> str:
    """The chances of a seat turn by turn, as a row of bars."""
    own = [each.chance_after for each in review.of(seat)]
    return "".join(_BARS[min(len(_BARS) - 1, int(each * len(_BARS)))] for each in own)


def _last_chances(
    review: GameReview, record: GameRecord, game: Game, say: Say, colour: bool
) -> Iterator[str]:
    for seat in range(review.seats):
        found = review.last_chance(seat)
        if found is None:
            continue
        yield ""
        name = game.seat_names[seat]
        yield say(messages("last-chance", name=name, turn=found.turn, best=found.best))
        before = record.frame(game, found.turn - 1).position
        held = game.scene(before.after(found.best), before.move(found.best))
        yield terminal.render(held, colour=colour)
