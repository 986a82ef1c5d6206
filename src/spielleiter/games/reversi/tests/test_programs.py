"""Programs of the course's protocol in matches: each seat has a port, so nobody can swap seats."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from spielleiter.game import Position
from spielleiter.programs.result_store import GAME, wrong_games
from spielleiter.store import open_store
from spielleiter.tournament.pairing import Opening
from tests.contests import said, start

EDITION = "reversi"
CLIENT = f"{sys.executable} -m spielleiter reversi-join --bot BOT -i {{host}} -p {{port}}"


def match(folder: Path, *words: str) -> dict[str, object]:
    options = ("--game", EDITION, "--json", "--store", "kept.db", "--time", "60s")
    found: dict[str, object] = json.JSONDecoder().raw_decode(
        said(folder, "match", *words, *options)
    )[0]
    return found


@pytest.mark.parametrize("sandbox", [pytest.param("limits", marks=pytest.mark.deep), "best"])
def test_a_program_of_the_binary_protocol_meets_a_player_of_ours(
    tmp_path: Path, sandbox: str
) -> None:
    client = CLIENT.replace("BOT", "greedy")
    found = match(tmp_path, client, "random", "--games", "2", "--sandbox", sandbox)
    greedy, random = found["players"]  # type: ignore[misc]
    assert greedy["faults"] == random["faults"] == []  # type: ignore[has-type]
    assert greedy["wins"] + greedy["draws"] + greedy["losses"] == 2  # type: ignore[has-type]
    store = open_store(tmp_path / "kept.db")
    assert len(list(store.read(GAME))) == 2
    assert list(wrong_games(store, _start)) == []
    store.close()


def _start(opening: Opening) -> Position:
    from spielleiter import games

    return games.load(EDITION).start(opening.seed, **dict(opening.options))


def test_somebody_from_outside_is_told_where_to_connect(tmp_path: Path) -> None:
    words = ("random", "outside", "--game", EDITION, "--games", "2", "--concurrency", "1")
    more = ("--cold", "--json", "--store", "kept.db", "--time", "60s")
    process = start(tmp_path, "match", *words, *more)
    assert process.stderr is not None
    for _ in range(2):
        where = process.stderr.readline().split(" waiting for outside at ")[1].strip()
        host, _, port = where.partition(":")
        said(tmp_path, "reversi-join", "--bot", "greedy", "-i", host, "-p", port)
    out, _ = process.communicate(timeout=120)
    assert [each["faults"] for each in json.loads(out)["players"]] == [[], []]


def test_who_does_not_come_or_leaves_is_at_fault(tmp_path: Path) -> None:
    lazy = f"{sys.executable} -c pass {{port}}"
    found = match(tmp_path, lazy, "random", "--games", "2", "--ignore-failures")
    assert found["players"][0]["faults"] == [["not connected", 2]]  # type: ignore[index]
    assert found["players"][1]["faults"] == []  # type: ignore[index]
