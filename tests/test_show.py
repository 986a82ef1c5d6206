"""`spielleiter show FILE`: replays of the Software-Challenge, packed or not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from spielleiter.cli import cli
from spielleiter.service.recorded_games import LARGEST_RECORD

ROOT = Path(__file__).parents[1]
REPLAYS = sorted((ROOT / "src" / "spielleiter" / "games").glob("*/facts/talks/*/*.xml.gz"))


def said(*words: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["show", *words])
    assert result.exit_code == status, result.output
    return result.output


@pytest.mark.parametrize("packed", REPLAYS, ids=lambda path: path.parent.name)
def test_an_official_replay_is_shown_packed_and_unpacked(packed: Path, tmp_path: Path) -> None:
    plain = tmp_path / "replay.xml"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    assert said(str(packed)) == said(str(plain))
    assert said(str(packed)).startswith("start: ")
    assert said(str(packed), "--turn", "1") != said(str(packed), "--turn", "0")


def test_a_turn_of_a_record_has_the_number_that_every_command_gives_it() -> None:
    told = said(str(REPLAYS[0]), "--turn", "7").splitlines()[0]
    assert told.startswith("7: ")
    assert told in said(str(REPLAYS[0]))
    assert said(str(REPLAYS[0]), "--step", "7").splitlines()[0] == told  # the old name


def test_a_file_that_cannot_be_unpacked_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "replay.xml.gz"
    broken.write_bytes(gzip.compress(b"<protocol>" * 100)[:20])
    result = CliRunner().invoke(cli, ["show", str(broken)])
    assert result.exit_code != 0
    assert "cannot be unpacked" in str(result.exception) + result.output


def test_a_file_that_holds_far_too_much_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "replay.xml.gz"
    bomb.write_bytes(gzip.compress(bytes(LARGEST_RECORD + 1), 1))
    result = CliRunner().invoke(cli, ["show", str(bomb)])
    assert result.exit_code != 0
    assert "more in this file than 64 MB" in str(result.exception) + result.output


def test_there_is_a_replay_to_show() -> None:
    assert REPLAYS
