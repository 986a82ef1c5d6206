"""A match against another program, which here is a few lines that move by lot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.strength.rivals import command, processor_seconds
from spielleiter import games
from spielleiter.errors import PeerError
from tests.contests import QUICK

BY_LOT = """
import sys
from spielleiter import games
from spielleiter.errors import PeerError
for line in sys.stdin:
    verb, _, rest = line.strip().partition(" ")
    if verb == "new":
        edition, _, text = rest.partition(" ")
        position = games.load(edition, "server").parse(text)
    elif verb == "play":
        position.play(rest)
    else:
        print(position.random_move(len(rest)).text(), flush=True)
"""


def match(folder: Path, program: str, *options: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The sum and the games of one pair."""
    script, kept = folder / "rival.py", folder / "games.jsonl"
    script.write_text(program, encoding="utf-8")
    rival = f"'{Path(sys.executable).as_posix()}' '{script.as_posix()}'"
    given = [QUICK, "--rival", rival, "--time", "0.005", "--pairs", "1", "--games", str(kept)]
    result = CliRunner().invoke(command, [*given, *options], catch_exceptions=False)
    lines = kept.read_text(encoding="utf-8").splitlines()
    return json.loads(result.output), [json.loads(line) for line in lines]


def test_both_seats_are_played_from_the_same_opening_and_every_move_counts(tmp_path: Path) -> None:
    total, played = match(tmp_path, BY_LOT, "--rival-name", "lots")
    assert total["rival"] == "lots"
    assert total["games"] == 2 == sum(total["pairs"]) * 2
    assert {game["seat"] for game in played} == {0, 1}
    assert len({game["start"] for game in played}) == 1
    for game in played:
        assert len(game["moves"]) == len(game["ours"]) + len(game["theirs"])
        assert replayed(game).scores == tuple(game["scores"])
    assert total["points"] == sum(game["points"] for game in played)
    assert total["cpu"] == [
        round(sum(game["cpu"][side] for game in played) / 2, 1) for side in (0, 1)
    ]


def test_what_the_process_computes_counts_as_its_processor_time() -> None:
    begun = processor_seconds()[0]
    counted = (processor_seconds()[0] > begun + 0 * sum(range(10_000)) for _ in range(100_000))
    assert any(counted), "a second of sums and more takes no time"


def replayed(game: dict[str, Any]) -> Any:
    """The outcome that the moves of a record lead to."""
    position = games.load(QUICK, "server").parse(game["start"])
    for move in game["moves"]:
        position.play(move)
    return position.outcome()


def test_openings_come_from_a_file_if_one_is_given(tmp_path: Path) -> None:
    start = games.load(QUICK, "server").start(5).text()
    (tmp_path / "openings").write_text(start + "\n", encoding="utf-8")
    _, played = match(tmp_path, BY_LOT, "--openings", str(tmp_path / "openings"))
    assert [game["start"] for game in played] == [start] * 2


def test_a_rival_that_goes_away_ends_the_match_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match="gone away"):
        match(tmp_path, "import sys; sys.stdin.readline()")
