"""What the author of a bot gets from a type checker: the game's own types, and errors.

`mypy --strict` looks at this file too: it refuses an `assert_type` that is wrong and a `type:
ignore` that nothing needs.
"""

from __future__ import annotations

from typing import assert_type

import pytest

from spielleiter import games
from spielleiter.draw import terminal
from spielleiter.game import Bot, Clock
from spielleiter.game import Position as AnyPosition
from spielleiter.games.piranhas import Engine, Move, Occupant, Position


class Shortest(Bot[Position]):
    """Swims as little as it can, and eats the heaviest fish it can get for that."""

    def choose(self, position: Position, clock: Clock) -> Move:
        return min(
            position.legal_moves(), key=lambda move: (move.distance, -self.prey(position, move))
        )

    def prey(self, position: Position, move: Move) -> int:
        fish = position.at(move.target) if move.target else None
        assert_type(fish, Occupant | None)
        return fish.weight if fish is not None else 0


def test_a_bot_of_one_game_reads_its_own_types() -> None:
    position = Position.start(1, "", "piranhas-2026")
    while position.legal_moves():
        position = position.after(Shortest().choose(position, Clock()))
    assert_type(position, Position)
    assert_type(position.swarms(0), list[dict[tuple[int, int], int]])
    assert position.outcome() is not None


def test_what_is_written_for_every_game_takes_positions_of_this_one() -> None:
    def first(position: AnyPosition) -> str:
        return position.legal_moves()[0].text()

    position = Position.start(1, "", "piranhas-2026")
    assert first(position) == position.legal_moves()[0].text()
    assert terminal.render(games.scene(position))
    assert Engine(table=1).search(position, nodes=10).best in position.legal_moves()


def test_a_slip_is_seen_by_the_type_checker_and_at_run_time() -> None:
    position = Position.start(1, "", "piranhas-2026")
    with pytest.raises(TypeError):
        position.play(3)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        _ = position.legal_moves()[0].form  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        position.at(0, 4)  # type: ignore[arg-type,call-arg]
