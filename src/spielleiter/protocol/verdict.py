"""How a game ended → the result message of the season, with the season's German texts.

The game supplies the points and the winner by its rules. What happens to players who leave, break a
rule or think too long is the same for all games of a season.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spielleiter.protocol.dialect import Dialect, OnCancel, Results
from spielleiter.protocol.lobby import Fragment, Result, Score, Winner
from spielleiter.protocol.wire import Cause, End, Seat

DRAW = "Beide Spieler sind gleichauf"
_EVERYBODY = "Alle Spieler"


@dataclass(frozen=True, slots=True)
class Standing:
    """The game's own verdict: points, the winner by its rules, and the reason."""

    points: tuple[int, ...]
    winner: Seat | None
    """None is a draw."""
    reason: str = ""
    """For 2026 with `%s` for the winner's name, for 2019 the same text for both."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Writes the results of one game in one season."""

    dialect: Dialect
    fragments: tuple[Fragment, ...]
    teams: tuple[str, ...]
    printed_teams: tuple[str, ...]
    """What error texts call them."""

    def disorder(self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str) -> str:
        """The error text for a move out of turn, or not asked for if nobody is on turn."""
        got = self._printed(seat, names)
        if on_turn is None:
            return f"Move from {got} has not been requested."
        if self.dialect.year < 2021:
            return "It's not your turn yet."
        expected = self._printed(on_turn, names)
        return f"It's not your turn yet; expected: {expected}, got {got} (msg was {text})."

    def disorder_packet(
        self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str
    ) -> str:
        """What the error packet says about it, where there is one."""
        got = self._printed(seat, names)
        if on_turn is None:
            return (
                f"sc.api.plugins.exceptions.GameLogicException: Move from {got} was not requested"
            )
        expected = self._printed(on_turn, names)
        return f"NotYourTurnException(expected={expected}, actual={got}, data={text})"

    def _printed(self, seat: Seat, names: Sequence[str]) -> str:
        return f"{self.printed_teams[seat]}({names[seat]})"

    def result(self, room: str, names: Sequence[str], standing: Standing, end: End) -> Result:
        """The result of a game that ended so."""
        named = tuple(name or self.dialect.default_name for name in names)
        if self.dialect.results is Results.BY_ENTRY:
            return self._by_entry(room, named, standing, end)
        scores = tuple(self._score(seat, standing, end) for seat in range(len(self.teams)))
        won = self._announced(standing, end)
        winners = tuple(Winner(self.teams[seat], named[seat]) for seat in won)
        return Result(room, self.fragments, scores, winners)

    # ----------------------------------------------------------------------------------- 2026, 2027

    def _by_entry(self, room: str, names: tuple[str, ...], standing: Standing, end: End) -> Result:
        points = [0 if seat in end.offenders else of for seat, of in enumerate(standing.points)]
        won = zip(_win_points(standing, end), points, strict=True)
        scores = tuple(
            Score(parts, team, name if name.strip() else None)
            for parts, team, name in zip(won, self.teams, names, strict=True)
        )
        return Result(room, self.fragments, scores, (self._winner(names, standing, end),))

    def _winner(self, names: tuple[str, ...], standing: Standing, end: End) -> Winner:
        winner = _winner(standing, end)
        team = None if winner is None else self.teams[winner]
        if end.offenders:
            who = _EVERYBODY if len(end.offenders) > 1 else self._called(end.offenders[0], names)
            return Winner(team, regular=False, reason=_offence(end, who))
        if winner is None:
            return Winner(reason=DRAW)
        return Winner(team, reason=standing.reason.replace("%s", self._called(winner, names)))

    def _called(self, seat: Seat, names: tuple[str, ...]) -> str:
        return names[seat] if names[seat].strip() else self.teams[seat]

    # ----------------------------------------------------------------------------------- 2019, 2021

    def _score(self, seat: Seat, standing: Standing, end: End) -> Score:
        """A score; an offender keeps its points here."""
        parts = (self._won(standing, end)[seat], standing.points[seat])
        none = "" if self.dialect.results is Results.BY_TEAM else None
        if seat in end.offenders:
            cause, reason = self._offence_of_old(end)
        else:
            cause, reason = "REGULAR", self._reason_for_others(standing, end)
        return Score(parts, cause=cause, reason=reason or none)

    def _reason_for_others(self, standing: Standing, end: End) -> str:
        """Why the game ended, for those who did nothing wrong."""
        if not end.offenders:
            return standing.reason
        return self._offence_of_old(end)[1] if self.dialect.reasons_for_all else ""

    def _won(self, standing: Standing, end: End) -> tuple[int, ...]:
        if end.cause is Cause.CANCELLED and self.dialect.on_cancel is OnCancel.NO_WIN_POINTS:
            return (0,) * len(self.teams)
        return _win_points(standing, end)

    def _announced(self, standing: Standing, end: End) -> tuple[Seat, ...]:
        """The announced winners; 2021 names both in a draw and the leader after timeouts."""
        timed_out = end.cause in (Cause.SOFT_TIMEOUT, Cause.HARD_TIMEOUT)
        if self.dialect.results is Results.BY_TEAM and timed_out:
            best = max(standing.points)
            return tuple(seat for seat, points in enumerate(standing.points) if points == best)
        winner = _winner(standing, end)
        if winner is not None:
            return (winner,)
        drawn = self.dialect.results is Results.BY_TEAM and not end.offenders
        return tuple(range(len(self.teams))) if drawn else ()

    def _offence_of_old(self, end: End) -> tuple[str, str]:
        match end.cause:
            case Cause.SOFT_TIMEOUT:
                return "SOFT_TIMEOUT", _too_slow_of_old(end.soft)
            case Cause.HARD_TIMEOUT:
                mislabelled = self.dialect.results is Results.BY_TEAM
                cause = "SOFT_TIMEOUT" if mislabelled else "HARD_TIMEOUT"
                return cause, _too_slow_of_old(end.hard)
            case Cause.RULE_VIOLATION:
                return "RULE_VIOLATION", end.detail
            case Cause.DISORDER if not self.dialect.out_of_turn_is_leaving:
                return "RULE_VIOLATION", end.detail
        return "LEFT", "Der Spieler hat das Spiel verlassen"


def _winner(standing: Standing, end: End) -> Seat | None:
    """The winner; after an offence, the other side."""
    if not end.offenders:
        return standing.winner
    left = [seat for seat in range(len(standing.points)) if seat not in end.offenders]
    return left[0] if len(left) == 1 else None


def _win_points(standing: Standing, end: End) -> tuple[int, ...]:
    """2 for the winner, 1 each in a draw, 0 for an offender."""
    winner = _winner(standing, end)
    if winner is None:
        return (0 if end.offenders else 1,) * len(standing.points)
    return tuple(2 if seat == winner else 0 for seat in range(len(standing.points)))


def _offence(end: End, who: str) -> str:
    match end.cause:
        case Cause.RULE_VIOLATION:
            return f"Regelverletzung von {who}: {end.detail}"
        case Cause.DISORDER:
            return f"Missachtung des Spielablaufs von {who}: {end.detail}"
        case Cause.SOFT_TIMEOUT:
            waited = f"laenger als {end.soft:g} Sekunden gebraucht."
            return f"{who} hat fuer die Antwort auf die Zugaufforderung {waited}"
        case Cause.HARD_TIMEOUT:  # names the soft limit, though the hard one was waited for
            waited = f"innerhalb von {end.soft:g} Sekunden nach Aufforderung"
            return f"{who} hat {waited} keinen Zug gesendet."
    return f"{who} hat das Spiel verlassen: {end.detail}"


def _too_slow_of_old(seconds: float) -> str:
    return (
        f"Der Spieler hat innerhalb von {seconds:g} Sekunden nach Aufforderung keinen Zug gesendet"
    )
