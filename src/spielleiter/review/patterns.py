"""What the costly moves of a player have in common, and where it plays otherwise than the engine.

Each turn has traits: of the move that was played, of the best one, and of the expected answer. A
trait that is much more frequent among costly turns is a pattern. A trait that the player's moves
have much more seldom, or more often, than the best moves is a habit. A phase of the game with many
costly moves is no pattern of its own, so chance is computed within phases: the exact distribution
of how many costly turns had the trait if they were drawn by lot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import erfc, exp, lgamma, log, sqrt
from typing import Literal, TypeVar

from spielleiter.text import Text

TraitOf = Literal["move", "best", "answer"]
"""Whose trait it is: of the played move, of the best one, of the answer to the played one."""
Trait = tuple[TraitOf, Text]
_OWN_ROLES: tuple[TraitOf, TraitOf] = ("move", "best")

_FEWEST = 3
"""Costly turns that make a pattern."""
_UNLIKELY = 0.0005
"""A pattern is less likely than this by chance. A player has more than a hundred traits."""
_LIFT = 2.0
"""It is at least so many times as frequent as among other turns."""
_COVERED = 0.6
"""A pattern is left out if this part of its turns belongs to clearer ones of the same role."""
_MOST = 3
_DIFFERENT, _TIMES, _MATTERS = 8, 4, 0.05
"""A habit: so many turns in which only one of the two moves has the trait, so many times as many as
the other way round, and this loss on average."""
_EXACT = 200
"""Turns with a trait up to which chance is computed exactly."""


@dataclass(frozen=True, slots=True)
class TurnTraits:
    """One turn of a player, as far as patterns are concerned."""

    game: str
    turn: int
    position: int
    """The key of the position, so that a repeated game counts once."""
    phase: str
    loss: float
    is_costly: bool
    won: bool
    """Whether the game was won all the same."""
    move: str
    """In words, not translated, and so are the next two."""
    best: str
    answer: str
    traits: tuple[Trait, ...]


_Turns = dict[tuple[str, int], TurnTraits]
"""Turns by their game and number."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A trait that costly turns share."""

    role: TraitOf
    trait: Text
    cases: tuple[TurnTraits, ...]
    """The costly turns that have it, those of lost games and the costliest first."""
    costly: int
    """All costly turns."""
    others: int
    """Turns that are not costly but have it, too."""
    other_turns: int
    """All turns that are not costly."""


@dataclass(frozen=True, slots=True)
class Habit:
    """A trait that a player's moves have more seldom or more often than the best ones."""

    trait: Text
    played: int
    """Moves of the player that have it."""
    best: int
    """Best moves that have it."""
    turns: int
    """All turns."""
    cases: tuple[TurnTraits, ...]
    """The turns in which only one of the two moves has it, those of lost games first."""

    @property
    def loss(self) -> float:
        """What the player gave away in these turns."""
        return sum(each.loss for each in self.cases)

    @property
    def weight(self) -> float:
        """The loss, less where the two do not differ much: of corners, the one never taken."""
        few, many = sorted((self.played, self.best))
        return self.loss * (1 - few / many) ** 2


_Found = TypeVar("_Found", Pattern, Habit)


def habits(turns: Sequence[TurnTraits]) -> list[Habit]:
    """The habits that cost a player most."""
    distinct = _distinct(turns)
    found = sorted(_different(distinct), key=lambda each: (-each.weight, each.trait))
    return _not_covered(found)[:_MOST]


def _different(turns: Sequence[TurnTraits]) -> Iterator[Habit]:
    played, best = (_having(turns, role) for role in _OWN_ROLES)
    for trait in dict.fromkeys([*played, *best]):
        own, engine = played.get(trait, {}), best.get(trait, {})
        less, more = sorted((_without(own, engine), _without(engine, own)), key=len)
        found = Habit(trait, len(own), len(engine), len(turns), _worst_first(more))
        is_one_sided = len(more) >= max(_DIFFERENT, _TIMES * len(less))
        matters = found.loss >= _MATTERS * len(more)
        if is_one_sided and matters and _toss(len(less), len(more)) <= _UNLIKELY:
            yield found


def _toss(few: int, many: int) -> float:
    """The chance that so few of these tosses of a coin fall on one side."""
    tosses = few + many
    return sum(exp(_log_ways(tosses, hits) - tosses * log(2)) for hits in range(few + 1))


def _without(some: _Turns, others: _Turns) -> list[TurnTraits]:
    return [each for at, each in some.items() if at not in others]


def _having(turns: Sequence[TurnTraits], role: TraitOf) -> dict[Text, _Turns]:
    """For each trait of a role the turns that have it."""
    found: dict[Text, _Turns] = defaultdict(dict)
    for each in turns:
        for known, trait in each.traits:
            if known == role:
                found[trait][each.game, each.turn] = each
    return found


def _worst_first(turns: Iterable[TurnTraits]) -> tuple[TurnTraits, ...]:
    return tuple(sorted(turns, key=lambda each: (each.won, -each.loss, each.game, each.turn)))


def _distinct(turns: Sequence[TurnTraits]) -> list[TurnTraits]:
    """The turns without those that repeat another one."""
    return list({(each.position, each.move): each for each in reversed(turns)}.values())


def patterns(turns: Sequence[TurnTraits]) -> list[Pattern]:
    """The clearest patterns of a player; turns without a choice are left out by the caller."""
    found = sorted(_unlikely(_distinct(turns)), key=lambda each: each[0])
    by_role: dict[TraitOf, list[Pattern]] = defaultdict(list)
    for _, pattern in found:
        by_role[pattern.role].append(pattern)
    kept = [each for those in by_role.values() for each in _not_covered(those)]
    told = {(each.trait, each.cases): each for _, each in reversed(found) if each in kept}
    return list(reversed(told.values()))[:_MOST]  # of a trait in two roles the clearer one


def _not_covered(found: Sequence[_Found]) -> list[_Found]:
    """Those of which enough turns belong to none before them."""
    chosen: list[_Found] = []
    covered: set[tuple[str, int]] = set()
    for each in found:
        cases = {(case.game, case.turn) for case in each.cases}
        if len(cases & covered) < _COVERED * len(cases):
            chosen.append(each)
            covered |= cases
    return chosen


def _unlikely(turns: Sequence[TurnTraits]) -> Iterable[tuple[tuple[float, int], Pattern]]:
    """Every trait that is too frequent among costly turns, with how to order them."""
    costly = [each for each in turns if each.is_costly]
    having: dict[Trait, list[TurnTraits]] = defaultdict(list)
    for each in turns:
        for trait in dict.fromkeys(each.traits):
            having[trait].append(each)
    sizes = Counter(each.phase for each in turns), Counter(each.phase for each in costly)
    for (role, text), those in having.items():
        cases = [each for each in those if each.is_costly]
        pattern = Pattern(
            role,
            text,
            _worst_first(cases),
            len(costly),
            len(those) - len(cases),
            len(turns) - len(costly),
        )
        if len(cases) >= _FEWEST and _is_more_frequent(pattern):
            chance = _chance(Counter(each.phase for each in those), *sizes, len(cases))
            if chance <= _UNLIKELY:
                yield (chance, -len(cases)), pattern


def _is_more_frequent(pattern: Pattern) -> bool:
    share = len(pattern.cases) / pattern.costly
    return share * pattern.other_turns >= _LIFT * pattern.others


def _chance(
    having: Mapping[str, int], turns: Mapping[str, int], costly: Mapping[str, int], cases: int
) -> float:
    """The chance of at least so many cases if the costly turns of each phase were drawn by lot."""
    phases = [(having[each], turns[each], costly[each]) for each in having]
    if sum(having.values()) > _EXACT:
        return _nearly(phases, cases)
    return sum(reduce(_added, (_drawn(*phase) for phase in phases), [1.0])[cases:])


def _nearly(phases: Sequence[tuple[int, int, int]], cases: int) -> float:
    """The same by the normal distribution, which is close enough for large counts."""
    mean = sum(marked * draws / turns for marked, turns, draws in phases)
    spread = sum(
        marked * draws * (turns - marked) * (turns - draws) / (turns**2 * max(1, turns - 1))
        for marked, turns, draws in phases
    )
    return erfc((cases - 0.5 - mean) / sqrt(2 * spread)) / 2 if spread else 1.0


def _drawn(marked: int, turns: int, draws: int) -> list[float]:
    """The chances of 0, 1, 2, … marked turns among those drawn."""
    ways = _log_ways(turns, draws)
    return [
        exp(_log_ways(marked, hits) + _log_ways(turns - marked, draws - hits) - ways)
        if draws - hits <= turns - marked
        else 0.0
        for hits in range(min(marked, draws) + 1)
    ]


def _log_ways(count: int, chosen: int) -> float:
    return lgamma(count + 1) - lgamma(chosen + 1) - lgamma(count - chosen + 1)


def _added(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The distribution of the sum of two independent counts."""
    total = [0.0] * (len(first) + len(second) - 1)
    for one, its in enumerate(first):
        for other, theirs in enumerate(second):
            total[one + other] += its * theirs
    return total
