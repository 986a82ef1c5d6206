"""What a bot shows that joined the arena by hand reaches its game page, and nobody earlier."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from spielleiter import Bot, games
from spielleiter.client import binary, player
from spielleiter.client.side_channel import VARIABLE, SideChannel, run_forwarding
from spielleiter.game import Clock, Move, Position
from tests.arenas import Visitor, arena, built_in, external, person
from tests.contests import SPOKEN

PRINTS = """
import sys
print("hello", file=sys.stderr)
print('#show {"values": {"x": 1}, "move": 1}', file=sys.stderr)
sys.exit(3)
"""


class Shows(Bot):
    """Says how many moves it had."""

    name = "shows"

    def choose(self, position: Position, clock: Clock) -> Move:
        """The first move."""
        moves = position.legal_moves()
        self.show(values={"moves": len(moves)}, text="the first")
        return moves[0]


def address(visitor: Visitor, seat: dict[str, str]) -> str:
    """Where a seat's bot sends what it shows."""
    return f"{str(visitor.http.base_url).rstrip('/')}{seat['show']}"


def test_a_bot_that_joins_by_hand_shows_on_the_game_page_once_the_game_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with arena(tmp_path) as visitor:
        made = visitor.order(SPOKEN, external(), built_in("random"), seed=2)
        seat, game = made["seats"][0], made["id"]
        assert seat["reservation"] in seat["show"]
        assert made["seats"][1]["show"] is None
        monkeypatch.setenv(VARIABLE, address(visitor, seat))
        bot = Shows()
        report = player.join(bot, seat["host"], seat["port"], reservation=seat["reservation"])
        bot.listener.channel.close()  # type: ignore[union-attr]
        visitor.watch_to_the_end(game)
        shown = visitor.get(f"/api/annotations/game/{game}")
        assert len(shown) == report.moves
        assert {each["text"] for each in shown} == {"the first"}
        assert all(each["values"]["moves"] > 0 for each in shown)
    with arena(tmp_path) as visitor:  # opened again, it reads them from its store
        assert visitor.get(f"/api/annotations/game/{game}") == shown


def test_the_course_has_no_codes_so_that_the_arena_draws_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = next(
        name for name in games.names() if hasattr(games.load(name).part("wire"), "map_of")
    )
    with arena(tmp_path) as visitor:
        made = visitor.order(course, built_in("random"), external())
        seat, game = made["seats"][1], made["id"]
        monkeypatch.setenv(VARIABLE, address(visitor, seat))
        bot = Shows()
        report = binary.join(bot, games.load(course), seat["host"], seat["port"])
        bot.listener.channel.close()  # type: ignore[union-attr]
        visitor.watch_to_the_end(game)
        assert len(visitor.get(f"/api/annotations/game/{game}")) == report.moves


def test_only_the_seats_code_shows_within_bounds_and_nobody_reads_before_the_end(
    tmp_path: Path,
) -> None:
    with arena(tmp_path) as visitor:
        made = visitor.order(SPOKEN, external(), person())
        where = made["seats"][0]["show"]

        def told(body: str, path: str = where) -> int:
            return visitor.http.post(path, content=body.encode()).status_code

        assert told('#show {"text": "a"}\n{"values": {"x": 1}, "move": 2}') == 204
        assert visitor.get(f"/api/annotations/game/{made['id']}") == []
        assert told('{"text": "a"}', "/api/annotations/seats/guessed") == 404
        for wrong in ("hello", "[]", '{"values": {"x": NaN}}', '{"cells": 1}', "[" * 50_000):
            assert told(wrong) == 422
        lines = '{"text": "a"}\n' * 1000
        assert [told(lines) for _ in range(4)] == [204, 204, 204, 409]
        while visitor.opened.arena.shows.passes(where.rpartition("/")[2]):
            pass
        assert told("{}") == 429


def test_an_arena_that_does_not_answer_keeps_nobody_waiting(
    capfd: pytest.CaptureFixture[str],
) -> None:
    lost = SideChannel("http://127.0.0.1:9/api/annotations/seats/x")
    for _ in range(5000):
        lost.put("{}")
    lost.close()
    SideChannel("nonsense").put("{}")
    said = capfd.readouterr().err
    assert "does not reach the arena" in said
    assert "no address" in said


def test_lines_of_a_program_in_any_language_are_sent_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "bot.py"
    program.write_text(PRINTS)
    with arena(tmp_path / "data") as visitor:
        made = visitor.order(SPOKEN, external(), person())
        words = [sys.executable, str(program)]
        assert run_forwarding(words, None, address(visitor, made["seats"][0])) == 3
        state = visitor.opened.arena.recorder.live(made["id"])
        assert state is not None
        assert state.shown[0, 1].values == {"x": 1}
    assert "hello" in capfd.readouterr().err
    assert run_forwarding(words, None, None) == 3
    assert VARIABLE not in os.environ
