"""The output of players in a game: one text, of which a team reads only its own part."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADING = re.compile(r"(?m)^--- ([0-9A-Za-z-]+)(?: \(\d+\))?\n")
_LIKE_A_HEADING = re.compile(r"(?m)^(?=--- )")


def headed(player: str, text: str) -> str:
    """The output of a player under a heading with its name.

    It ends with a line break, so that the next heading begins a line. Lines that look like a
    heading are indented: no player can print in the name of another one.
    """
    said = _LIKE_A_HEADING.sub(" ", text)
    return f"--- {player}\n{said}" + ("" if said.endswith("\n") else "\n")


def split_output(text: str, players: Sequence[str]) -> dict[str, str]:
    """Player → its output; text that belongs to no player is under the empty name."""
    found, owner, at = {"": ""}, "", 0
    for heading in _HEADING.finditer(text):
        if heading[1] in players:
            found[owner] = found.get(owner, "") + text[at : heading.start()]
            owner, at = heading[1], heading.end()
    found[owner] = found.get(owner, "") + text[at:]
    return {player: said for player, said in found.items() if said}


def without_player(text: str, players: Sequence[str], name: str) -> str:
    """The output without one player's part and without what belongs to no player."""
    parts = split_output(text, players).items()
    return "".join(f"--- {player}\n{said}" for player, said in parts if player not in ("", name))
