"""A review as JSON for programs and as text for people; `page` has it in HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spielleiter.draw import terminal
from spielleiter.game import Game, Scene, Seat
from spielleiter.match import GameRecord
from spielleiter.review.game_review import PHASES, GameReview, ReviewedTurn
from spielleiter.review.patterns import Habit, TurnTraits
from spielleiter.review.time_use import TimeUse
from spielleiter.text import Catalogue, Messages, Text, catalogue, translate

messages = Messages("spielleiter", "review.")
_AT_ONCE, _NO_TIME = 0.01, 0.1
"""Seconds of a move, and of all moves of a game, below which they are not mentioned."""
_FATES = {
    (1.0, 0.0): "solved-won-lost",
    (1.0, 0.5): "solved-won-drawn",
    (0.5, 0.0): "solved-drawn-lost",
}
"""Solved chances with the better move and after the played one → what became of the game."""
_GLANCE = 10
"""Fewer nodes are no search."""
MOTIFS = 3
"""So many motifs of a move are told, the gravest first."""
_BARS = "▁▂▃▄▅▆▇█"
_TICKS = 10
"""Bars of a curve between two numbers of turns."""
_SHOWN = 5
EXAMPLES = 3
"""Cases that are told of what recurs: one alone does not show what they have in common."""

Translate = Callable[[str], str]
"""Translates a text into the reader's language."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Something that recurs, with its examples."""

    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewSection:
    """What recurs, of one kind, under a title."""

    title: str
    recurrences: tuple[Recurrence, ...]

    def lines(self) -> Iterator[str]:
        """The section for a terminal."""
        yield self.title
        for each in self.recurrences:
            yield from (f"  {each.text}", *(f"    {example}" for example in each.examples))


def translator(game: Game, language: str) -> Translate:
    """A function that translates texts of the program and of the game."""
    known: Catalogue = {
        **catalogue("spielleiter", language),
        **catalogue(game.folder, language),
    }
    return lambda text: translate(text, known)


# -------------------------------------------------------------------------------------------- JSON


def to_json(review: GameReview, say: Translate = str) -> dict[str, Any]:
    """The whole review in plain values; docs/author/review.md describes it."""
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
        "time": [_time(review.time(seat)) for seat in range(review.seats)],
    }


def _turn(turn: ReviewedTurn, say: Translate) -> dict[str, Any]:
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
        "move_words": say(turn.move_words),
        "line_words": [say(each) for each in turn.line_words],
        "depth": turn.depth,
        "effort": turn.effort,
        "choices": turn.choices,
        "phase": turn.phase,
        "spent": turn.spent,
        "motifs": [{"id": each.id, "text": say(each)} for each in turn.motifs],
        "avoided_from": turn.avoided_from,
        "second_more": turn.second_more,
    }


def habits_json(habits: Sequence[Habit], say: Translate = str) -> list[dict[str, Any]]:
    """Where a player plays otherwise than the engine, in plain values."""
    return [
        {
            "trait": say(each.trait),
            "played": each.played,
            "best": each.best,
            "turns": each.turns,
            "loss": round(each.loss, 4),
            "examples": cases_json(each.cases, say),
        }
        for each in habits
    ]


def cases_json(cases: Sequence[TurnTraits], say: Translate) -> list[dict[str, Any]]:
    """The first cases of a habit or pattern."""
    return [
        {"game": each.game, "turn": each.turn, "move": say(each.move), "best": say(each.best)}
        for each in cases[:EXAMPLES]
    ]


def _time(time: TimeUse | None) -> dict[str, Any] | None:
    if time is None:
        return None
    return {"spent": time.spent, "longest": list(time.longest), "hurried": list(time.hurried)}


def losses(review: GameReview, seat: Seat) -> Mapping[str, float]:
    """How much of its chances a seat gave away in each phase, in all."""
    found = dict.fromkeys(PHASES, 0.0)
    for each in review.of(seat):
        found[each.phase] += each.loss
    return {phase: round(loss, 4) for phase, loss in found.items()}


# -------------------------------------------------------------------------------------------- text


def to_text(
    review: GameReview,
    record: GameRecord,
    game: Game,
    language: str,
    *,
    colour: bool = False,
    player: str | None = None,
) -> str:
    """The review as lines for a terminal; the mistakes of all players, or of one."""
    say = translator(game, language)
    lines = [*_lines(review, game, say, player)]
    seats = [seat for seat, name in enumerate(review.names) if player in (None, name)]
    return "\n".join([*lines, *_last_chances(review, record, game, say, seats, colour)])


def _lines(review: GameReview, game: Game, say: Translate, player: str | None) -> Iterator[str]:
    yield title(review, game, say)
    yield say(messages("searched", engine=review.engine, nodes=grouped(review.nodes)))
    if review.unread:
        yield say(interrupted(review))
    yield ""
    for seat in range(review.seats):
        yield seat_line(review, game, seat, say)
        yield f"  {_curve(review, seat)}"
        yield f"  {say(messages('axis', turns=_axis([each.turn for each in review.of(seat)])))}"
    for seat, name in enumerate(review.names):
        if player in (None, name) and (told := habit_section(review, game, seat, say)):
            yield from ("", *told.lines())
    yield ""
    costly = review.costly(player)
    yield say(messages("costliest" if costly else "nothing-lost"))
    for each in costly[:_SHOWN]:
        yield from (f"  {line}" for line in turn_lines(each, review, game, say))
    if times := time_lines(review, game, say):
        yield from ("", say(messages("times")), *(f"  {line}" for line in times))


def interrupted(review: GameReview) -> Text:
    """Which turns an interrupted review has."""
    done = len(review.turns)
    return messages("interrupted-turns", reviewed=done, of=done + review.unread)


def title(review: GameReview, game: Game, say: Translate) -> str:
    """Who played what, and how it ended."""
    names = " – ".join(say(_named(name, seat)) for name, seat in _seats(review, game))
    return f"{say(game.title)}: {names}. {_end(review, game, say)}"


def _end(review: GameReview, game: Game, say: Translate) -> str:
    if not review.winners:
        return say(messages("unfinished"))
    why = reason(review, game)
    if len(review.winners) == review.seats:
        return say(messages("drawn-by", reason=why))
    *others, winners = (player_name(review, game, seat) for seat in review.winners)
    if others:
        winners = messages("both", first=_listed(others), last=winners)
    key = "won-by" if review.seats == 2 else "first-by"
    return sentence(say(messages(key, winners=winners, reason=why)), review)


def _seats(review: GameReview, game: Game) -> Iterator[tuple[str, str]]:
    """For each seat the name of its player, and what the seat is called."""
    return zip(review.names, game.seat_names, strict=False)


def _named(name: str, seat: str) -> str:
    return messages("named", name=name, seat=seat) if name else seat


def player_name(review: GameReview, game: Game, seat: Seat) -> str:
    """Who had a seat: the name, with the seat if somebody else has the same name.

    Where no name is known, it is the seat alone.
    """
    name, called = list(_seats(review, game))[seat]
    return name if name and review.names.count(name) == 1 else _named(name, called)


def sentence(text: str, review: GameReview) -> str:
    """A text with a capital letter at its beginning, unless that is a player's name."""
    is_name = any(name and text.startswith(name) for name in review.names)
    return text if is_name else text[:1].upper() + text[1:]


def reason(review: GameReview, game: Game) -> str:
    """The rule that ended the game, as a translatable text."""
    known = catalogue(game.folder, "en")
    key = f"reason.{review.reason}"
    return Text(key, known[key]) if key in known else review.reason


def seat_line(review: GameReview, game: Game, seat: Seat, say: Translate) -> str:
    """The summary of a seat as a sentence."""
    return sentence(say(seat_summary(review, game, seat)), review)


def seat_summary(review: GameReview, game: Game, seat: Seat) -> Text:
    """One line on a seat: who had it, accuracy, and what was lost in each phase."""
    lost = losses(review, seat)
    return messages(
        "seat",
        name=_named(*list(_seats(review, game))[seat]),
        accuracy=decimal(review.accuracy[seat], 1),
        opening=decimal(lost["opening"], 2),
        middle=decimal(lost["middle"], 2),
        end=decimal(lost["end"], 2),
    )


def decimal(value: float, places: int) -> Text:
    """A number with so many decimal places, in the reader's notation."""
    whole, _, part = f"{value:.{places}f}".partition(".")
    return messages("decimal", whole=whole, part=part)


def grouped(count: int) -> str:
    """A count with thousands separators, in the reader's notation."""
    first, *rest = f"{count:,}".split(",")
    for each in rest:
        first = messages("grouped", first=first, rest=each)
    return first


def time_lines(review: GameReview, game: Game, say: Translate) -> list[str]:
    """Lines about the time use of every seat; none if not measured."""
    lines: list[Text] = []
    for seat in range(review.seats):
        if (time := review.time(seat)) is None or time.spent < _NO_TIME:
            continue
        name, at = player_name(review, game, seat), {each.turn: each for each in review.of(seat)}
        longest = ", ".join(_at(at[turn], say) for turn in time.longest)
        lines.append(messages("time", name=name, spent=decimal(time.spent, 1), longest=longest))
        if time.hurried:
            hurried = ", ".join(_at(at[turn], say) for turn in time.hurried)
            lines.append(messages("time-missing", name=name, turns=hurried))
    return [sentence(say(each), review) for each in lines]


def habit_section(
    review: GameReview, game: Game, seat: Seat, say: Translate
) -> ReviewSection | None:
    """Where a seat played otherwise than the engine, with examples; None if that is not clear."""
    if not (found := review.habits(seat)):
        return None
    title = say(messages("habits-game", name=player_name(review, game, seat)))
    return ReviewSection(sentence(title, review), tuple(_habit(each, say) for each in found))


def _habit(habit: Habit, say: Translate) -> Recurrence:
    cases = (
        messages("case-turn", turn=case.turn, move=case.move, best=case.best)
        for case in habit.cases[:EXAMPLES]
    )
    return Recurrence(say(habit_text(habit)), tuple(map(say, cases)))


def habit_text(habit: Habit) -> Text:
    """A habit without its examples."""
    return messages(
        "habit",
        trait=habit.trait,
        played=habit.played,
        turns=habit.turns,
        best=habit.best,
        loss=decimal(habit.loss, 1),
    )


def _at(turn: ReviewedTurn, say: Translate) -> str:
    return say(messages("time-turn", turn=turn.turn, seconds=decimal(turn.spent or 0, 2)))


def turn_lines(turn: ReviewedTurn, review: GameReview, game: Game, say: Translate) -> Iterator[str]:
    """What a costly move did, line by line."""
    told: dict[str, str | int] = {
        "turn": turn.turn,
        "name": player_name(review, game, turn.seat),
        "move": turn.move_words,
        "chance": percent(turn.chance),
        "after": percent(turn.chance_after),
        "grade": messages("small-loss" if turn.grade == "good" else f"grade.{turn.grade}"),
        "best": _better(turn),
    }
    yield say(messages("best-move" if turn.grade == "best" else "move", **told))
    for motif in turn.motifs[:MOTIFS]:
        yield f"   {say(motif)}"
    if turn.answer_words:
        key = "answered" if review.seats == 2 else "answered-several"
        yield f"   {say(messages(key, answer=turn.answer_words))}"
    yield f"   {say(sureness(turn))}"
    yield from (f"   {say(each)}" for each in remedies(turn, review.a_second))


def _better(turn: ReviewedTurn) -> str:
    """The better move, and the play that is expected to follow."""
    best, *further = turn.line_words
    if not further:
        return best
    return messages("then", best=best, further=_listed(further))


def _listed(texts: Sequence[str]) -> str:
    """Texts one after the other, with commas."""
    first, *rest = texts
    for each in rest:
        first = messages("listed", first=first, rest=each)
    return first


def remedies(turn: ReviewedTurn, a_second: int) -> Iterator[Text]:
    """Lines about the search that avoids the move, its time, and one more second."""
    if turn.avoided_from is not None:
        is_glance = turn.avoided_from < _GLANCE
        key = "avoided-at-once" if is_glance else "avoided"
        yield messages(key, nodes=grouped(turn.avoided_from))
    if turn.spent is None or turn.spent < _AT_ONCE:
        return  # who answers at once has no use for advice on time
    yield messages("spent", seconds=decimal(turn.spent, 2))
    if turn.second_more is not None:
        needed = (turn.avoided_from or 0) / a_second
        yield messages(f"second-{turn.second_more}", seconds=decimal(needed, 2))


def sureness(turn: ReviewedTurn) -> Text:
    """How sure the chances are."""
    if not turn.certain:
        return messages("estimated", depth=turn.depth)
    fate = (turn.chance, turn.chance_after)
    return messages(_FATES[fate]) if fate in _FATES else messages("solved")


def percent(chance: float) -> str:
    """A chance as people read it."""
    return f"{round(100 * chance)} %"


def _curve(review: GameReview, seat: Seat) -> str:
    """The chances of a seat turn by turn, as a row of bars."""
    own = [each.chance_after for each in review.of(seat)]
    return "".join(_BARS[min(len(_BARS) - 1, int(each * len(_BARS)))] for each in own)


def _axis(turns: Sequence[int]) -> str:
    """Numbers of turns below a curve: below every tenth bar, and below the last one."""
    below = " " * len(turns)
    for at in (*range(0, len(turns), _TICKS), len(turns) - 1):
        label = str(turns[at]) if turns else ""
        start = min(at, max(0, len(turns) - len(label)))
        if below[max(0, start - 1) : start + len(label)].isspace():
            below = below[:start] + label + below[start + len(label) :]
    return below.rstrip()


def translated_scene(scene: Scene, say: Translate) -> Scene:
    """A drawn position with its words in the reader's language, and only the move marked."""
    trays = tuple(replace(tray, title=say(tray.title)) for tray in scene.trays)
    marks = tuple(mark for mark in scene.marks if mark.kind == "last")
    status = tuple(map(say, scene.status))
    return replace(scene, trays=trays, status=status, title=say(scene.title), marks=marks)


def _last_chances(
    review: GameReview,
    record: GameRecord,
    game: Game,
    say: Translate,
    seats: Sequence[Seat],
    colour: bool,
) -> Iterator[str]:
    for seat in seats:
        found = review.last_chance(seat)
        if found is None:
            continue
        yield ""
        name = player_name(review, game, seat)
        key = "last-chance" if review.seats == 2 else "last-chance-several"
        best, chance = found.line_words[0], percent(found.chance)
        told = messages(key, name=name, turn=found.turn, best=best, chance=chance)
        yield sentence(say(told), review)
        before = record.frame(game, found.turn - 1).position
        held = game.scene(before.after(found.best), before.move(found.best))
        yield terminal.render(translated_scene(held, say), colour=colour, legend=False)
