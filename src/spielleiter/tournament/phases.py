"""The presentation of a contest: phases with standings, match days, bracket and games.

Every format describes itself in these terms, so that pages and reports work for any format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spielleiter.text import Messages
from spielleiter.tournament.pairing import Encounter, GameResult, Pairing, Played, PlayerId
from spielleiter.tournament.standings import Standings, games_won

messages = Messages("spielleiter", "contest.")
ALL_ENCOUNTERS = messages("all-encounters")


@dataclass(frozen=True, slots=True)
class EncounterView:
    """An encounter of several games, with its results so far."""

    players: tuple[PlayerId | None, ...]
    """None: not known yet, or nobody."""
    games: tuple[tuple[Pairing, GameResult | None], ...] = ()
    won: tuple[int, ...] = ()
    """Games won by each player."""
    winner: PlayerId | None = None
    over: bool = False
    by_lot: bool = False
    bye: bool = False
    """Whether a player advances without a game."""


@dataclass(frozen=True, slots=True)
class MatchDay:
    """What is played together: a match day, a round, all tables of a cup."""

    title: str
    encounters: tuple[EncounterView, ...]
    rests: tuple[PlayerId, ...] = ()
    """Who has no game."""
    for_third_place: bool = False


@dataclass(frozen=True, slots=True)
class ContestPhase:
    """A part of a contest with standings of its own."""

    title: str
    standings: Standings | None
    """None: it is not known yet who takes part."""
    days: tuple[MatchDay, ...] = ()
    bracket: tuple[MatchDay, ...] = ()
    """The rounds of a knock-out down to the final, known or not; the third place comes last."""
    stage: int = 0
    """Phases of a stage are played in parallel, like the groups of a season."""

    @property
    def results(self) -> list[GameResult]:
        """All results that count."""
        views = (each for day in (*self.days, *self.bracket) for each in day.encounters)
        found = (result for each in views for _, result in each.games)
        return [result for result in found if result is not None and result.counts]


def day_of(
    title: str,
    encounters: Iterable[Encounter],
    games: int,
    played: Played,
    rests: Sequence[PlayerId] = (),
) -> MatchDay:
    """A match day with these encounters, each of so many games."""
    views = tuple(_view(encounter, games, played) for encounter in encounters)
    return MatchDay(title, views, tuple(rests))


def _view(encounter: Encounter, games: int, played: Played) -> EncounterView:
    results = encounter.results(played, games)
    listed = tuple((encounter.game(number), results[number]) for number in range(games))
    won = games_won(encounter.players, [each for each in results if each is not None])
    over = None not in results
    best = [player for player in encounter.players if won[player] == max(won.values())]
    winner = best[0] if over and len(best) == 1 else None
    return EncounterView(encounter.players, listed, tuple(won.values()), winner, over)
