"""Many games of one player: which mistakes recur, in which phase, against whom."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from spielleiter.game import Seat
from spielleiter.review.game_review import COSTLY, PHASES, GameReview
from spielleiter.review.patterns import Habit, Pattern, TurnTraits, habits, patterns
from spielleiter.review.views import (
    EXAMPLES,
    Recurrence,
    ReviewSection,
    Translate,
    cases_json,
    decimal,
    habit_text,
    habits_json,
    losses,
    messages,
)

_COMMON = 5
"""Most recurring motifs shown."""


@dataclass(frozen=True, slots=True)
class MotifExample:
    """A costly case of a motif."""

    game: str
    turn: int
    text: str
    loss: float
    won: bool
    """Whether the game was won all the same."""


@dataclass(slots=True)
class PlayerSummary:
    """What the games of one player have in common."""

    name: str
    won: int = 0
    accuracies: list[float] = field(default_factory=list)
    grades: Counter[str] = field(default_factory=Counter)
    phases: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    opponents: dict[str, list[float]] = field(default_factory=dict)
    motifs: Counter[str] = field(default_factory=Counter)
    """Of each mistake the gravest, counted."""
    costs: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """How much of its chances they cost in all."""
    examples: dict[str, list[MotifExample]] = field(default_factory=lambda: defaultdict(list))
    """For each motif the costliest cases, those of games that were not won first."""
    turns: list[TurnTraits] = field(default_factory=list)
    """Every turn that had a choice."""

    @property
    def games(self) -> int:
        """How many games were reviewed."""
        return len(self.accuracies)

    def add(self, key: str, review: GameReview, seat: Seat, say: Translate) -> None:
        """Take another game into account."""
        self.won += review.winners == (seat,)
        self.accuracies.append(review.accuracy[seat])
        lost = losses(review, seat)
        for phase, loss in lost.items():
            self.phases[phase] += loss
        for other in sorted({name for at, name in enumerate(review.names) if at != seat}):
            self.opponents.setdefault(other, []).append(sum(lost.values()))
        self._count(key, review, seat, say)
        self.turns += review.traits(seat, key)

    @property
    def patterns(self) -> list[Pattern]:
        """What its costly moves have in common."""
        return patterns(self.turns)

    @property
    def habits(self) -> list[Habit]:
        """Where it plays otherwise than the engine."""
        return habits(self.turns)

    @property
    def clearest(self) -> tuple[str, int] | None:
        """Game and turn of the best example of what recurs: a habit, a pattern, or a motif."""
        shown = [each.cases for each in self.habits] + [each.cases for each in self.patterns]
        for case, *_ in shown:
            return case.game, case.turn
        for motif, _ in self.recurring:
            return self.examples[motif][0].game, self.examples[motif][0].turn
        return None

    def _count(self, key: str, review: GameReview, seat: Seat, say: Translate) -> None:
        for turn in review.of(seat):
            if turn.grade not in COSTLY:
                continue
            self.grades[turn.grade] += 1
            for motif in turn.motifs[:1]:  # the gravest; what else it did is told with the game
                self.motifs[motif.id] += 1
                self.costs[motif.id] += turn.loss
                won = seat in review.winners
                found = MotifExample(key, turn.turn, say(motif), turn.loss, won)
                known = [*self.examples[motif.id], found]
                known.sort(key=lambda each: (each.won, -each.loss))
                self.examples[motif.id] = known[:EXAMPLES]

    @property
    def recurring(self) -> list[tuple[str, int]]:
        """The motifs with how often they happened, those that cost most first."""
        ordered = sorted(self.motifs, key=lambda motif: (-self.costs[motif], motif))
        return [(motif, self.motifs[motif]) for motif in ordered]


def summarise(
    reviews: Iterable[tuple[str, GameReview]], say: Translate = str
) -> list[PlayerSummary]:
    """Every player of the games, those with the largest loss per game first."""
    players: dict[str, PlayerSummary] = {}
    for key, review in reviews:
        for seat, name in enumerate(review.names):
            players.setdefault(name, PlayerSummary(name)).add(key, review, seat, say)
    return sorted(players.values(), key=lambda each: (mean(each.accuracies), each.name))


def summary_text(
    summaries: Sequence[PlayerSummary],
    games: int,
    say: Translate = str,
    *,
    repeated: int = 0,
    note: str = "",
) -> str:
    """All players, for a terminal; `repeated` games were left out, `note` is told first."""
    lines = summary_head(games, say, repeated=repeated, note=note)
    for each in summaries:
        lines += ["", player_title(each, say), *(f"  {line}" for line in player_facts(each, say))]
        for section in player_sections(each, say):
            lines += (f"  {line}" for line in section.lines())
    return "\n".join(lines)


def summary_head(games: int, say: Translate, *, repeated: int, note: str) -> list[str]:
    """Which games the summary is of."""
    lines = [say(messages("games", games=games))]
    if note:
        lines.append(say(note))
    if repeated:
        lines.append(say(messages("repeated", games=repeated)))
    return lines


def player_title(player: PlayerSummary, say: Translate) -> str:
    """Who it is, and how it did."""
    accuracy = decimal(mean(player.accuracies), 1)
    counts = {"games": player.games, "won": player.won}
    return say(messages("player", name=player.name, accuracy=accuracy, **counts))


def player_facts(player: PlayerSummary, say: Translate) -> Iterator[str]:
    """How many costly moves, in which phase, against whom."""
    blunders, mistakes, inaccuracies = (player.grades[grade] for grade in COSTLY)
    counts = {"blunders": blunders, "mistakes": mistakes, "inaccuracies": inaccuracies}
    yield say(messages("player-grades", **counts))
    phases = {name: decimal(loss / player.games, 2) for name, loss in player.phases.items()}
    yield say(messages("player-phases", **phases))
    for other, lost in sorted(player.opponents.items(), key=lambda item: -mean(item[1])):
        yield say(messages("player-opponent", name=other, loss=decimal(mean(lost), 2)))


def player_sections(player: PlayerSummary, say: Translate) -> Iterator[ReviewSection]:
    """What recurs: habits, patterns and motifs, without those of which there are none."""
    sections = {
        "habits": [_habit_item(each, say) for each in player.habits],
        "patterns": [_pattern_item(each, say) for each in player.patterns],
        "motifs": list(_motif_items(player, say)),
    }
    for key, items in sections.items():
        if items:
            yield ReviewSection(say(messages(key)), tuple(items))


def _habit_item(habit: Habit, say: Translate) -> Recurrence:
    return Recurrence(say(habit_text(habit)), _case_lines(habit.cases, "case", say))


def _pattern_item(pattern: Pattern, say: Translate) -> Recurrence:
    text = messages(
        f"pattern-{pattern.role}",
        count=len(pattern.cases),
        costly=pattern.costly,
        trait=pattern.trait,
        others=pattern.others,
        turns=pattern.other_turns,
    )
    key = "case-answer" if pattern.role == "answer" else "case"
    return Recurrence(say(text), _case_lines(pattern.cases, key, say))


def _motif_items(player: PlayerSummary, say: Translate) -> Iterator[Recurrence]:
    for motif, count in player.recurring[:_COMMON]:
        first, *more = player.examples[motif]
        others = tuple(say(messages("player-case", **_case(each))) for each in more)
        yield Recurrence(say(messages("player-motif", count=count, **_case(first))), others)
    rest = player.recurring[_COMMON:]
    if rest:
        told = {"motifs": len(rest), "count": sum(count for _, count in rest)}
        yield Recurrence(say(messages("player-more", **told)))
    unexplained = sum(player.grades.values()) - sum(player.motifs.values())
    if unexplained:
        yield Recurrence(say(messages("player-unexplained", count=unexplained)))


def _case_lines(cases: Sequence[TurnTraits], key: str, say: Translate) -> tuple[str, ...]:
    return tuple(
        say(
            messages(
                key,
                game=case.game,
                turn=case.turn,
                move=case.move,
                best=case.best,
                answer=case.answer,
            )
        )
        for case in cases[:EXAMPLES]
    )


def _case(example: MotifExample) -> dict[str, Any]:
    return {"game": example.game, "turn": example.turn, "text": example.text}


def summary_json(
    summaries: Sequence[PlayerSummary], games: int, say: Translate = str
) -> dict[str, Any]:
    """All players in plain values."""
    return {"games": games, "players": [_plain(each, say) for each in summaries]}


def _plain_pattern(pattern: Pattern, say: Translate) -> dict[str, Any]:
    return {
        "role": pattern.role,
        "trait": say(pattern.trait),
        "count": len(pattern.cases),
        "costly": pattern.costly,
        "others": pattern.others,
        "turns": pattern.other_turns,
        "examples": cases_json(pattern.cases, say),
    }


def _plain(player: PlayerSummary, say: Translate) -> dict[str, Any]:
    return {
        "name": player.name,
        "games": player.games,
        "won": player.won,
        "accuracy": round(mean(player.accuracies), 1),
        "grades": {grade: player.grades[grade] for grade in COSTLY},
        "losses": {name: round(loss / player.games, 4) for name, loss in player.phases.items()},
        "opponents": {name: round(mean(lost), 4) for name, lost in player.opponents.items()},
        "motifs": [
            {
                "id": motif,
                "count": count,
                **_case(player.examples[motif][0]),
                "examples": [_case(each) for each in player.examples[motif]],
            }
            for motif, count in player.recurring
        ],
        "patterns": [_plain_pattern(each, say) for each in player.patterns],
        "habits": habits_json(player.habits, say),
    }
