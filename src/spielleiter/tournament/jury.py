"""Makes rulings, checked against the current state of the contest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from spielleiter.errors import UnknownName, UsageError
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.match_days import contest_days, games_in
from spielleiter.tournament.pairing import PlayerId
from spielleiter.tournament.rulings import ContestState, Ruling
from spielleiter.tournament.walkovers import annulled_by_withdrawal

DRAW = ""
"""Stands for no winner where a winner is named."""


class Jury:
    """The jury of one contest. Each ruling has a reason and applies once it is recorded."""

    def __init__(
        self,
        definition: Definition,
        state: ContestState,
        *,
        by: str = "",
        now: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._definition, self._state = definition, state
        self._by, self._now = by, now

    def annul(self, scope: str, reason: str) -> Ruling:
        """Annul a match day, a set or a single game."""
        return self._about("annul", scope, reason)

    def replay(self, scope: str, reason: str) -> Ruling:
        """Replay a match day, a set or a single game."""
        return self._about("replay", scope, reason)

    def decide(self, scope: str, winner: PlayerId, reason: str) -> Ruling:
        """Award these games to a team that plays in all of them; `DRAW`: to nobody."""
        ruling = self._about("decide", scope, reason, winner or None)
        for pairing in ruling.games:
            if winner and winner not in pairing.players:
                raise UsageError(f"{winner!r} does not play in {pairing.key}")
        return ruling

    def withdraw(self, team: PlayerId, reason: str) -> Ruling:
        """Withdraw a team; the contest's rule says what happens to its games."""
        self._check_team(team)
        if team in self._state.withdrawn:
            raise UsageError(f"{team!r} has withdrawn already")
        schedule, rule = self._definition.schedule(self._state), self._definition.entries.withdrawn
        games = annulled_by_withdrawal(schedule, self._state.results, team, rule)
        return Ruling("withdraw", _said(reason), games, team=team, by=self._by, at=self._now())

    def enter(self, team: PlayerId, reason: str) -> Ruling:
        """Let a team of the definition join late, from the first match day that has not begun."""
        self._check_team(team)
        if team in self._state.joined:
            raise UsageError(f"{team!r} takes part already")
        day, last = self._next_day(team), self._definition.entries.late_until
        if day > last:
            rule = f"until match day {last}" if last else "at no time"
            raise UsageError(f"teams may join late {rule}; match day {day} would be the first")
        return Ruling("enter", _said(reason), team=team, day=day, by=self._by, at=self._now())

    def _about(
        self,
        action: Literal["annul", "replay", "decide"],
        scope: str,
        reason: str,
        winner: PlayerId | None = None,
    ) -> Ruling:
        schedule = self._definition.schedule(self._state)
        games = games_in(schedule, self._state.results, scope)
        return Ruling(
            action,
            _said(reason),
            games,
            winner=winner,
            about=scope,
            by=self._by,
            at=self._now(),
        )

    def _next_day(self, team: PlayerId) -> int:
        """The first match day without a result, before the newcomer is counted in."""
        entered = ContestState(joined={**self._state.joined, team: 1})
        self._definition.schedule(entered)  # the format may refuse
        others = self._definition.without([team])
        days = contest_days(others.schedule(self._state), self._state.results)
        return max((day.number for day in days if day.played), default=0) + 1

    def _check_team(self, team: PlayerId) -> None:
        names = [each.name for each in self._definition.teams]
        if team not in names:
            raise UnknownName("team", team, names)


def _said(reason: str) -> str:
    if not reason.strip():
        raise UsageError("a ruling needs a reason")
    return reason.strip()
