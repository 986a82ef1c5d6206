"""The output of players in a game: one text, of which a team reads only its own part."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from typing import Any

_HEADING = re.compile(r"(?m)^--- ([0-9A-Za-z-]+)(?: \(\d+\))?\n")
_LIKE_A_HEADING = re.compile(r"(?m)^(?=--- )")
_CRASHED, _NO_MOVE = "CRASHED: ", "NO_MOVE"
_OUR_WORDS = {"the process died", "nonsense", "an exception of its own"}


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


def move_words_to_output(data: dict[str, Any]) -> None:
    """Move what bots have written into a game's entry to their output.

    That is an answer that is no move, the name of an exception of their own, and hints. It may
    contain personal data, and a record cannot be changed.
    """
    players, words = data["players"], list[tuple[int, str]]()
    for fault in data.get("faults", ()):
        words += _taken_words(fault)
    for seat, hints in zip(data["seats"], data.pop("hints", ()), strict=False):
        words += [(seat, f"hint: {hint}") for hint in hints]
    if words and data["log"] and not data["log"].endswith("\n"):
        data["log"] += "\n"
    data["log"] += "".join(headed(players[seat], text) for seat, text in words)


def _taken_words(fault: list[Any]) -> Iterator[tuple[int, str]]:
    """Remove the words of a bot from a fault: its seat, kind, detail, move and place."""
    seat, _, detail, move, _ = fault
    if detail == _NO_MOVE and move:
        fault[3] = ""
        yield seat, f"this answer is no move: {move}"
    name = detail.removeprefix(_CRASHED)
    if name != detail and name not in _OUR_WORDS and not _is_known_exception(name):
        fault[2] = f"{_CRASHED}an exception of its own"
        yield seat, f"it raised {name}"


def _is_known_exception(name: str) -> bool:
    """Whether Python itself has an exception of that name."""
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)
