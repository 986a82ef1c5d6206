"""Knock-out: an encounter is played on until one side has won more games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spielleiter.errors import UsageError
from spielleiter.text import Text
from spielleiter.tournament.encounters import Mode
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings
from spielleiter.tournament.pairing import Encounter, GameResult, Pairing, Played, PlayerId, drawn
from spielleiter.tournament.phases import ContestPhase, EncounterView, MatchDay, messages
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import LOT, Standings, StandingsRow, games_won

ROUNDS = {
    1: messages("final"),
    2: messages("semi-final"),
    4: messages("quarter-final"),
}
THIRD_PLACE = messages("third-place")
MOST_GAMES = 1_000


@dataclass(frozen=True, slots=True)
class Decision:
    """How an encounter that cannot be drawn ended."""

    winner: PlayerId
    loser: PlayerId | None
    """None: there was no opponent."""
    won: tuple[int, int] = (0, 0)
    """Games won by winner and loser."""
    by_lot: bool = False


@dataclass(frozen=True, slots=True)
class Tie:
    """A place in the bracket: two players, or one with a bye."""

    name: str
    players: tuple[PlayerId | None, PlayerId | None]
    encounter: Encounter | None
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class Knockout(Schedule):
    """The strongest meets the weakest; losers are out, but semi-finalists play for third place.

    `teams` is the order of strength. An encounter has at least `mode.games` games and goes on in
    pairs of games until one side has won more; no second criterion counts. Only if both sides are
    absent, or after a thousand games, the lot decides.
    """

    title: str
    teams: tuple[PlayerId, ...]
    mode: Mode
    third_place: bool = True

    def __post_init__(self) -> None:
        if len(self.teams) < 2:
            raise UsageError("a knock-out needs at least two players")

    def waiting(self, played: Played) -> Iterator[Pairing]:
        # A list, made at once: results may come in while it is read, and decide an encounter.
        """The games that can be played now."""
        yield from [
            pairing
            for tie in self.ties(played)
            if tie.encounter is not None and tie.decision is None
            for pairing in _unplayed(tie.encounter, self.mode.games, played)
        ]

    def ties(self, played: Played) -> list[Tie]:
        """All places of the bracket whose players are known, round by round."""
        entrants: list[PlayerId | None] = _seeded(self.teams)
        ties: list[Tie] = []
        while len(entrants) > 1:
            name = _round_name(len(entrants))
            pairs = list(zip(entrants[::2], entrants[1::2], strict=True))
            current = [self._tie(name, at, pair, played) for at, pair in enumerate(pairs, 1)]
            ties += current
            decisions = [tie.decision for tie in current if tie.decision is not None]
            if len(decisions) < len(current):
                return ties
            if name == ROUNDS[2] and self.third_place:
                ties += self._third(decisions, played)
            entrants = [decision.winner for decision in decisions]
        return ties

    def champion(self, played: Played) -> PlayerId | None:
        """Who won the final."""
        finals = [tie.decision for tie in self.ties(played) if tie.name == ROUNDS[1]]
        return finals[0].winner if finals and finals[0] is not None else None

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        ties = self.ties(played)
        final = self.finished(played)
        places = {player: _place(player, ties) for player in self.teams}
        order = sorted(self.teams, key=lambda player: places[player][0])
        rows = tuple(StandingsRow(places[each][0], each, (), places[each][1]) for each in order)
        return [Standings(self.title, (), rows, final)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        bracket = tuple(_bracket(self, played))
        return [ContestPhase(self.title, self.standings(played)[0], bracket=bracket)]

    def _tie(
        self, name: str, at: int, pair: tuple[PlayerId | None, PlayerId | None], played: Played
    ) -> Tie:
        first, second = pair
        if first is None or second is None:
            alone = first or second
            assert alone is not None, "a bracket has no place without a player"
            return Tie(name, pair, None, Decision(alone, None))
        encounter = self.mode.encounter(f"{self.title}/{name}/{at}", (first, second))
        return Tie(name, pair, encounter, decided(encounter, self.mode.games, played))

    def _third(self, semi_finals: Sequence[Decision], played: Played) -> list[Tie]:
        first, second = (decision.loser for decision in semi_finals)
        if first is None or second is None:
            return []
        return [self._tie(THIRD_PLACE, 1, (first, second), played)]


def decided(encounter: Encounter, games: int, played: Played) -> Decision | None:
    """Who won, once `games` games, or two more, or four … are over and one side has won more."""
    results: list[GameResult] = []
    for number in range(MOST_GAMES):
        result = played.get(f"{encounter.key}/{number}")
        if result is None:
            return None
        results.append(result)
        if len(results) >= games and (len(results) - games) % 2 == 0:
            won = games_won(encounter.players, results)
            winner, loser = sorted(encounter.players, key=lambda player: -won[player])
            if won[winner] != won[loser]:
                return Decision(winner, loser, (won[winner], won[loser]))
            if all(None not in each.faults for each in results):
                break
    return _by_lot(encounter, results)


def _by_lot(encounter: Encounter, results: Sequence[GameResult]) -> Decision:
    players = sorted(
        encounter.players, key=lambda each: drawn(encounter.seed, LOT, encounter.key, each)
    )
    won = games_won(encounter.players, results)
    return Decision(players[0], players[1], (won[players[0]], won[players[1]]), by_lot=True)


def _unplayed(encounter: Encounter, games: int, played: Played) -> Iterator[Pairing]:
    """What an undecided encounter still needs: the first games, then two more at a time."""
    known = 0
    while f"{encounter.key}/{known}" in played:
        known += 1
    upto = max(games, known + 2 - (known - games) % 2)
    for number in range(known, upto):
        if f"{encounter.key}/{number}" not in played:
            yield encounter.game(number)


def _seeded(teams: Sequence[PlayerId]) -> list[PlayerId | None]:
    """The bracket: 1 and 2 can meet only in the final; the best get byes if places are free."""
    places = [0]
    while len(places) < len(teams):
        size = 2 * len(places)
        places = [each for place in places for each in (place, size - 1 - place)]
    return [teams[place] if place < len(teams) else None for place in places]


def _place(player: PlayerId, ties: Sequence[Tie]) -> tuple[int, str]:
    """The place of a player so far and the encounter that decided it."""
    rank, reason = 1, ""
    for tie in ties:
        decision = tie.decision
        if player in tie.players and decision is not None:
            rank, reason = _standing(player, tie, decision, ties)
    return rank, reason


def _standing(
    player: PlayerId, tie: Tie, decision: Decision, ties: Sequence[Tie]
) -> tuple[int, str]:
    lost = player == decision.loser
    if decision.loser is None:
        return 1, messages("bye")
    how = messages("lost" if lost else "won", round=tie.name, score=_score(decision, lost))
    if tie.name == THIRD_PLACE:
        return 3 + lost, how
    behind = sum(other.name == tie.name for other in ties) + 1
    return (behind if lost else 1), how


def _score(decision: Decision, lost: bool) -> Text:
    own, other = decision.won[::-1] if lost else decision.won
    return messages("score-by-lot" if decision.by_lot else "score", own=own, other=other)


def _round_name(entrants: int) -> Text:
    return ROUNDS.get(entrants // 2) or messages("round-of", number=entrants)


# ---------------------------------------------------------------------------------------- bracket


def _bracket(knockout: Knockout, played: Played) -> Iterator[MatchDay]:
    """Every round down to the final; places that nobody has reached yet are empty."""
    ties = knockout.ties(played)
    size = 1
    while size < len(knockout.teams):
        size *= 2
    while size > 1:
        name = _round_name(size)
        known = [_view(tie, knockout.mode, played) for tie in ties if tie.name == name]
        empty = [EncounterView((None, None))] * (size // 2 - len(known))
        yield MatchDay(name, (*known, *empty))
        size //= 2
    third = [_view(tie, knockout.mode, played) for tie in ties if tie.name == THIRD_PLACE]
    if knockout.third_place and len(knockout.teams) > 3:
        places = tuple(third) or (EncounterView((None, None)),)
        yield MatchDay(THIRD_PLACE, places, for_third_place=True)


def _view(tie: Tie, mode: Mode, played: Played) -> EncounterView:
    decision = tie.decision
    if tie.encounter is None:
        assert decision is not None, "who is alone goes on"
        return EncounterView(tie.players, winner=decision.winner, over=True, bye=True)
    games = tuple(_games(tie.encounter, mode.games, played))
    won = games_won(tie.encounter.players, [each for _, each in games if each is not None])
    counts = tuple(won[player] if player is not None else 0 for player in tie.players)
    if decision is None:
        return EncounterView(tie.players, games, counts)
    return EncounterView(tie.players, games, counts, decision.winner, True, decision.by_lot)


def _games(
    encounter: Encounter, games: int, played: Played
) -> Iterator[tuple[Pairing, GameResult | None]]:
    """The games that are certain to be played, and those beyond that were."""
    number = 0
    while number < games or f"{encounter.key}/{number}" in played:
        yield encounter.game(number), played.get(f"{encounter.key}/{number}")
        number += 1


class KnockoutSettings(FormatSettings):
    """`[format]` of a knock-out."""

    third_place: bool = True


def _schedule(entrants: Entrants, mode: Mode, settings: KnockoutSettings) -> Schedule:
    return Knockout(entrants.contest, entrants.names, mode, settings.third_place)


FORMAT = ContestFormat(
    title="knock-out",
    settings=KnockoutSettings,
    schedule=_schedule,
    template="""\
[format]
third_place = true      # the losers of the semi-finals play for it
""",
    ranks_teams=False,
)
