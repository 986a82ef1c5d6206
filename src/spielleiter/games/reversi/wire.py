"""The game on the course's wire: map text → position, MOVE ↔ move.

The messages stand in docs/organiser/course-server.md. This module is a `protocol.binary.BoardWire`.
"""

from __future__ import annotations

from collections.abc import Mapping

from spielleiter.errors import UsageError
from spielleiter.game import Move as GameMove
from spielleiter.game import Position
from spielleiter.games.reversi import EDITIONS, maps
from spielleiter.protocol.binary import Move, ReadMove

BAD_CHOICE = "BAD_CHOICE"
"""The name of the mistake that only the wire can make: a choice where there is none."""

GAME = EDITIONS[0]


def start(map_text: bytes) -> Position:
    """The first position on a map; raises MapError."""
    return GAME.parse(maps.read(map_text).position())


def map_of(position: Position) -> bytes:
    """The map that a game from this position begins on: with player 1 to move and nobody out."""
    rows, players, _, _ = position.text().split(" ")
    text = maps.Map(int(players), tuple(rows.split("/"))).text().encode()
    if start(text).text() != position.text():
        raise UsageError("over this protocol a game begins with player 1 and with everybody in")
    return text


def map_text(set_up: Mapping[str, str]) -> bytes:
    """The bytes of the map that a set-up names."""
    return maps.load(set_up.get("map", maps.DEFAULT))


def read_move(position: Position, sent: Move) -> ReadMove:
    """A client's answer. No cell of this game asks for a choice, so it must be 0."""
    text = f"({sent.x},{sent.y},{sent.choice})"
    if sent.x >= maps.LARGEST_SIDE or sent.y >= maps.LARGEST_SIDE:
        return ReadMove(None, "OFF_BOARD", text)
    move = position.move(f"{sent.x},{sent.y}")
    return ReadMove(move, BAD_CHOICE if sent.choice and _is_legal(position, move) else None, text)


def write_move(position: Position, move: GameMove) -> Move:
    """A move as a client sends it."""
    y, x = divmod(position.action(move), position.planes[2])
    return Move(x, y)


def join_command(host: str, port: int) -> str:
    """What to type to let a built-in player take a seat there."""
    return f"spielleiter reversi-join --bot best -i {host} -p {port}"


def follow(position: Position, player: int) -> Position:
    """The position with that player to move; the same one if it is that player's turn already."""
    if position.outcome() is None and position.to_move() == player - 1:
        return position
    rows, players, _, fallen = position.text().split(" ")
    return GAME.parse(f"{rows} {players} {player} {fallen}")


SOLVED = 12
"""So many empty cells of a duel cost no time worth saving for: they are solved at once."""


def moves_left(position: Position) -> int:
    """The moves still to be thought about: the empty cells, shared among those who are in."""
    text: str = position.text()
    board, players, _, fallen = text.split(" ")
    playing = int(players) - len(fallen.strip("-"))
    empty = board.count("0") - (SOLVED if int(players) == 2 else 0)
    return max(1, -(-empty // max(1, playing)))


def _is_legal(position: Position, move: GameMove) -> bool:
    return position.why_illegal(move) is None
