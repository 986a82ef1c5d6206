"""Datasets: recorded games and self-play as tables, in both formats."""

from __future__ import annotations

import gzip
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.cli import cli
from spielleiter.datasets import SelfPlayGames, read, write
from spielleiter.errors import UsageError
from spielleiter.game import Game

STORES = Path(__file__).parent / "facts" / "stores"


def run(*words: str) -> str:
    result = CliRunner().invoke(cli, ["datasets", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_rows_of_self_play_tell_the_game_move_by_move(engine_game: Game, tmp_path: Path) -> None:
    game, file = engine_game, tmp_path / "games.npz"
    playing = SelfPlayGames(game=game, nodes=20, lines=3, seed=5)
    assert write(file, game, playing.play(1)) == len(read(file)["game"]) > 0
    rows = read(file)
    for at, text in enumerate(rows["position"]):
        position = game.parse(str(text))
        assert (rows["planes"][at] == position.observe()).all()
        assert rows["seat"][at] == position.to_move()
        begin, end = rows["policy_begins"][at : at + 2]
        actions, shares = rows["policy_actions"][begin:end], rows["policy_shares"][begin:end]
        assert rows["action"][at] in actions
        assert shares.sum() == pytest.approx(1, abs=1e-5)
        assert -1 <= rows["value"][at] <= 1
        position.play(position.move_at(int(rows["action"][at])))
        if at + 1 < len(rows["position"]):
            assert position.text() == rows["position"][at + 1]
    outcome = position.outcome()
    if outcome is not None:
        assert rows["result"][-1] == outcome.worth(int(rows["seat"][-1]))


def test_parquet_holds_what_npz_holds(engine_game: Game, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra spielleiter[datasets]")
    playing = SelfPlayGames(game=engine_game, nodes=10, lines=2, seed=1)
    for name in ("games.npz", "games.parquet"):
        write(tmp_path / name, engine_game, playing.play(1))
    rows, table = read(tmp_path / "games.npz"), parquet.read_table(tmp_path / "games.parquet")
    for name in ("game", "ply", "seat", "action", "value", "result"):
        assert np.array_equal(table[name].to_numpy(), rows[name], equal_nan=True)
    assert table["position"].to_pylist() == rows["position"].tolist()
    begins = rows["policy_begins"]
    for at, shares in enumerate(table["policy_shares"].to_pylist()):
        assert shares == rows["policy_shares"][begins[at] : begins[at + 1]].tolist()
    planes = np.frombuffer(b"".join(table["planes"].to_pylist()), np.uint8)
    assert (planes.reshape(rows["planes"].shape) == rows["planes"]).all()
    assert table.schema.metadata[b"edition"] == engine_game.name.encode()


@pytest.mark.parametrize("store", ["contest", "match", "arena"])
def test_games_of_a_store_become_rows(store: str, tmp_path: Path) -> None:
    file, output = tmp_path / f"{store}.db", tmp_path / "games.npz"
    with gzip.open(STORES / f"{store}.db.gz") as packed, file.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    told = run("records", str(file), "-o", str(output), "--no-planes")
    rows = read(output)
    assert f"wrote {len(rows['game'])} positions" in told
    assert len(rows["game"]) > 0
    assert "planes" not in rows
    assert np.isnan(rows["value"]).all(), "nobody was asked"
    assert (rows["policy_shares"] == 1).all()
    game = games.load(str(rows["edition"])).under(str(rows["authority"]))
    for text, action in list(zip(rows["position"], rows["action"], strict=True))[:50]:
        position = game.parse(str(text))
        assert position.why_illegal(position.move_at(int(action))) is None


def test_the_command_plays_and_says_what_it_wrote(engine_game: Game, tmp_path: Path) -> None:
    output = tmp_path / "games.npz"
    words = ["--games", "1", "--nodes", "5", "--random-plies", "2", "-o", str(output)]
    told = run("self-play", engine_game.name, "--authority", engine_game.authority, *words)
    assert told == f"wrote {len(read(output)['game'])} positions of 1 games to {output}\n"


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    game = games.load(games.names()[0])
    found = []
    for _ in range(2):
        samples = SelfPlayGames(game=game, nodes=10, lines=2, seed=3).play(1)
        found.append([(sample.action, sample.position.text()) for sample in samples])
    assert found[0] == found[1]


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.npz or \.parquet"):
        write(tmp_path / "games.csv", games.load(games.names()[0]), [])


def test_a_record_without_an_end_has_no_result() -> None:
    game = games.load(games.names()[0])
    sample = next(SelfPlayGames(game=game, nodes=5, lines=1).play(1))
    assert math.isnan(sample.ended(None).result)
