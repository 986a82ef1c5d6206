"""Encounters of several games: their set-up, remaining games and points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from spielleiter.tournament.pairing import (
    WIN,
    Encounter,
    GameResult,
    Options,
    Pairing,
    Played,
    PlayerId,
    drawn,
)
from spielleiter.tournament.standings import (
    AVERAGE,
    ENCOUNTER_POINTS,
    GAMES_WON,
    SITE,
    WIN_POINTS,
    Ranking,
    Standings,
    Value,
    average_second,
    encounter_points,
    games_won,
    ranked,
    win_points,
)


@dataclass(frozen=True, slots=True)
class Mode:
    """The settings shared by all encounters of a contest."""

    seed: int
    games: int = 6
    set_ups: tuple[Options, ...] = ((),)
    ranking: Ranking = SITE

    def encounter(self, key: str, players: Sequence[PlayerId]) -> Encounter:
        """An encounter of these players; the first seat is drawn by lot."""
        turn = drawn(self.seed, "first", key) % len(players)
        seated = (*players[turn:], *players[:turn])
        return Encounter(key, seated, self.seed, self.set_ups)


def unplayed(encounter: Encounter, games: int, played: Played) -> Iterator[Pairing]:
    """The first games of an encounter, without those that were played."""
    for number in range(games):
        if f"{encounter.key}/{number}" not in played:
            yield encounter.game(number)


def encounter_standings(
    title: str,
    teams: Sequence[PlayerId],
    encounters: Iterable[Encounter],
    mode: Mode,
    played: Played,
    *,
    byes: Sequence[PlayerId] = (),
    more_to_come: bool = False,
) -> Standings:
    """The standings after encounters of two; they are not final while others are to come."""
    met = [(each.players, each.results(played, mode.games)) for each in encounters]
    known = [result for _, results in met for result in results if result is not None]
    values: dict[str, dict[PlayerId, Value]] = {
        ENCOUNTER_POINTS: _encounter_points(teams, met),
        GAMES_WON: dict(games_won(teams, known)),
        WIN_POINTS: win_points(teams, known),
        AVERAGE: average_second(teams, known),
    }
    first = mode.ranking.criteria[0]
    for player in byes:
        values[first][player] += _BYE[first](mode.games)
    criteria = [(name, values[name]) for name in mode.ranking.criteria]
    final = not more_to_come and all(None not in results for _, results in met)
    return ranked(title, teams, criteria, seed=mode.seed, final=final, ranking=mode.ranking.name)


_BYE: dict[str, Callable[[int], int]] = {
    ENCOUNTER_POINTS: lambda games: WIN,
    GAMES_WON: lambda games: games,
    WIN_POINTS: lambda games: WIN * games,
}
"""The value of a bye in the first criterion: like an encounter with all games won."""


def _encounter_points(
    teams: Sequence[PlayerId], met: Iterable[tuple[tuple[PlayerId, ...], list[GameResult | None]]]
) -> dict[PlayerId, Value]:
    """The sum of encounter points; an encounter brings them when all its games are played."""
    points: dict[PlayerId, Value] = dict.fromkeys(teams, 0)
    for players, results in met:
        known = [result for result in results if result is not None]
        if len(known) == len(results):
            for player, won in encounter_points(players, known).items():
                points[player] += won
    return points
