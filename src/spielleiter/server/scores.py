"""The test mode of the older seasons: scores of all games, added up by display name."""

from __future__ import annotations

from collections.abc import Sequence

from spielleiter.protocol.lobby import Fragment, Number, PlayerScore
from spielleiter.server.speaker import XmlSpeaker

_MOST_NAMES = 10_000


class Scores:
    """The scores of players while counting was on."""

    def __init__(self) -> None:
        self.counting = False
        self._fragments: dict[str, tuple[Fragment, ...]] = {}
        self._parts: dict[str, list[tuple[Number, ...]]] = {}

    def count(self, room: XmlSpeaker) -> None:
        """Add the result of a room."""
        if not self.counting or room.result is None or len(self._parts) >= _MOST_NAMES:
            return
        for name, score in zip(room.match.names, room.result.scores, strict=True):
            self._fragments[name] = room.result.fragments
            self._parts.setdefault(name, []).append(score.parts)

    def of(self, name: str) -> PlayerScore | None:
        """The total scores of a name; None if it never played."""
        if name not in self._parts:
            return None
        columns = zip(*self._parts[name], strict=True)
        values = tuple(
            (fragment, _aggregated(fragment, column))
            for fragment, column in zip(self._fragments[name], columns, strict=True)
        )
        return PlayerScore(name, len(self._parts[name]), values)


def _aggregated(fragment: Fragment, column: Sequence[Number]) -> str:
    if fragment.aggregation == "AVERAGE":
        return f"{sum(column) / len(column):.6f}"
    return str(sum(column))
