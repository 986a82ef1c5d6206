"""The example client in JavaScript, written from docs/protocol.md, plays on our server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.protocol.lobby import Memento
from spielleiter.protocol.xml import encode
from tests.contests import ran

JAVASCRIPT = Path(__file__).parents[5] / "examples" / "javascript" / "piranhas.js"
EDITION = "piranhas-2026"
LIST_MOVES = """
const { Reader, legalMoves, readBoard } = require(process.argv[1]);
const [message] = new Reader().feed("<protocol>" + require("fs").readFileSync(0, "utf8"));
const state = message.children[0].children[0];
const team = ["ONE", "TWO"][state.attributes.turn % 2];
const moves = [...legalMoves(readBoard(state), team)];
console.log(JSON.stringify(moves.map(({ x, y, to }) => [x, y, ...to])));
"""

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def test_the_client_in_javascript_plays_whole_games_without_a_fault(tmp_path: Path) -> None:
    client = f"node {JAVASCRIPT} -h {{host}} -p {{port}} -r {{reservation}}"
    words = ("match", client, "random", "--game", EDITION, "--games", "4", "--sandbox", "none")
    done = ran(tmp_path, *words, "--json")
    assert done.returncode == 0, done.stderr
    ours = json.loads(done.stdout)["players"][0]
    assert (ours["faults"], ours["wins"]) == ([], 4)


@pytest.mark.parametrize("seed", range(3))
def test_the_client_in_javascript_lists_the_legal_moves(seed: int) -> None:
    game = games.load(EDITION)
    wire = game.part("wire").wire(game)
    position = game.start(seed)
    for _ in range(7 * seed):
        move = position.random_move(seed=position.ply)
        assert move is not None
        position.play(move)
    told = encode(Memento("room", wire.state(position)), wire.dialect)
    done = subprocess.run(
        ["node", "-e", LIST_MOVES, str(JAVASCRIPT)], input=told, capture_output=True, check=True
    )
    listed = {_text(*move) for move in json.loads(done.stdout)}
    assert listed == {move.text() for move in position.legal_moves()}


def _text(x: int, y: int, to_x: int, to_y: int) -> str:
    return f"{'ABCDEFGHIJ'[x]}{y}-{'ABCDEFGHIJ'[to_x]}{to_y}"
