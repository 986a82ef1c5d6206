"""Contests are run by the real program from a file, killed and resumed in every phase."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import time
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.errors import SpielleiterError, UnknownName
from spielleiter.game import WireForm
from spielleiter.programs.entrants import sandboxed_players
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.store import Entry, open_store
from spielleiter.tournament import formats
from spielleiter.tournament.definition import Definition, read
from spielleiter.tournament.record import from_text, to_text
from spielleiter.tournament.standings import SITE, document
from tests.conftest import IS_PLAIN
from tests.contests import BOTS, QUICK, kept, said, start

EXAMPLE = Path(__file__).parents[1] / "examples" / "season.toml"
SMALL = f"""
[contest]
name = "Small"
game = "{QUICK}"
format = "FORMAT"
seed = 3
games = 2
[limits]
nodes = 1
"""
TEAMS = """
[[team]]
name = "One"
player = "greedy"
[[team]]
name = "Two"
player = "random"
[[team]]
name = "Three"
player = "bots.py:Fine"
[[team]]
name = "Four"
"""


def small(folder: Path, form: str = "league", more: str = "") -> str:
    (folder / "bots.py").write_text(BOTS)
    (folder / "small.toml").write_text(SMALL.replace("FORMAT", form) + more + TEAMS)
    return "small.toml"


def tables(folder: Path, file: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said(folder, "contest", "table", file, "--json"))
    return found


@pytest.mark.parametrize(
    ("form", "more", "played"),
    [
        ("league", "", 12),
        pytest.param("gauntlet", '[format]\nchallengers = ["One"]\n', 6, marks=pytest.mark.deep),
        pytest.param("swiss", "[format]\nrounds = 2\n", 8, marks=pytest.mark.deep),
        ("knock-out", "", None),
        pytest.param("cup", "[format]\nrank_points = [3, 1]\n", 12, marks=pytest.mark.deep),
    ],
)
def test_every_format_runs_to_its_end_and_is_verified(
    tmp_path: Path, form: str, more: str, played: int | None
) -> None:
    file = small(tmp_path, form, more)
    spoken = said(tmp_path, "contest", "run", file, "--concurrency", "1")
    (table,) = tables(tmp_path, file)
    first = table["rows"][0]["team"]
    assert f"Winner: {first}" in spoken
    assert first == "One" or IS_PLAIN, "players in Python draw other numbers"
    verified = said(tmp_path, "contest", "verify", file)
    assert played is None or verified.startswith(f"{played} games verified")
    assert "finished" in said(tmp_path, "contest", "status", file)
    assert table["final"]
    assert "ratings" in said(tmp_path, "contest", "table", file, "--ratings")


def test_tables_of_three_take_every_rotation_of_every_set_up(tmp_path: Path) -> None:
    wide = [name for name in games.names() if len(games.load(name).seat_names) > 2]
    for name in wide:
        option = games.load(name).options[0]
        maps = [
            choice
            for choice in option.choices()
            if games.load(name).start(1, **{option.name: choice}).seats == 3
        ][:2]
        set_ups = "".join(f'[[set_up]]\n{option.name} = "{each}"\n' for each in maps)
        file = small(tmp_path, "cup", "[format]\nseats = 3\n" + set_ups)
        text = (tmp_path / file).read_text().replace(QUICK, name).replace("bots.py:Fine", "random")
        (tmp_path / file).write_text(text.replace('"greedy"', '"random"'))
        said(tmp_path, "contest", "run", file)
        assert said(tmp_path, "contest", "verify", file).startswith(f"{4 * 3 * len(maps)} games")
        _check_absent(tmp_path / "small.db")
        ratings = said(tmp_path, "contest", "table", file, "--ratings").partition("ratings")[2]
        assert " One " in ratings
        assert " Four " not in ratings


def _check_absent(path: Path) -> None:
    """Four has no player: it comes last in every game, and the others play all the same."""
    with closing(open_store(path)) as store:
        records = [from_text(entry.data) for entry in store.read("game")]
    absent = [record for record in records if "Four" in record.pairing.players]
    assert absent
    for record in absent:
        result = record.result()
        seat = record.pairing.players.index("Four")
        assert result.faults[seat] == "not connected"
        assert result.ranks[seat] == 3
        assert len(record.events.moves) > 5
        assert seat not in record.events.seats


@pytest.mark.deep
def test_the_example_season_survives_a_kill_in_each_phase(tmp_path: Path) -> None:
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        shutil.copy(EXAMPLE, tmp_path / name)
    whole = result(said(tmp_path / "whole", "contest", "run", EXAMPLE.name))
    assert whole[-1].startswith("Winner: ")
    killed = tmp_path / "killed"
    for phase in ("group A", "group B", "Champions League", "Final Eight/semi"):
        process = start(killed, "contest", "run", EXAMPLE.name, "--concurrency", "2")
        while process.poll() is None and not kept(killed / "season.db", f"{phase}%"):
            time.sleep(0.01)
        process.kill()
        process.communicate()
    spoken = said(killed, "contest", "run", EXAMPLE.name, "--concurrency", "3")
    assert result(spoken) == whole
    assert tables(killed, EXAMPLE.name) == tables(tmp_path / "whole", EXAMPLE.name)
    assert "games verified" in said(killed, "contest", "verify", EXAMPLE.name)


def result(text: str) -> list[str]:
    """What is printed without the lines on the way there, which a slow machine has more of."""
    on_the_way = (" games played; ", "sandbox:", " players are ready")
    return [line for line in text.splitlines() if not any(each in line for each in on_the_way)]


def season(folder: Path) -> str:
    """The example of a whole season."""
    shutil.copy(EXAMPLE, folder)
    return EXAMPLE.name


def killed_anywhere(folder: Path, kills: int, seed: int, write: Callable[[Path], str]) -> int:
    """Kill the program at so many random moments of whole contests; how many contests that took.

    A moment lies anywhere between the start of the program and its end: while it reads, makes its
    store, plays any phase, draws lots or prints. Every contest that comes to its end has to be the
    one that nobody interrupted.
    """
    lot, done, contests = random.Random(seed), 0, 0
    (folder / "whole").mkdir()
    file = write(folder / "whole")
    store = Path(file).with_suffix(".db")
    began = time.monotonic()
    printed = result(said(folder / "whole", "contest", "run", file))
    longest = time.monotonic() - began
    wanted, games_ = tables(folder / "whole", file), kept(folder / "whole" / store)
    while done < kills:
        room = folder / f"killed{contests}"
        room.mkdir()
        write(room)
        while done < kills and not _ended_before(room, file, lot.uniform(0.0, longest)):
            done += 1
        assert result(said(room, "contest", "run", file)) == printed
        assert tables(room, file) == wanted
        assert "games verified" in said(room, "contest", "verify", file)
        assert kept(room / store) == games_
        contests += 1
    return contests


def _ended_before(room: Path, file: str, patience: float) -> bool:
    """Run a contest and kill it after some time, unless it ended before."""
    process = start(room, "contest", "run", file)
    try:
        process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    assert process.returncode == 0
    return True


def test_a_contest_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    """The cut of the test below: a league of four, and one kill."""
    killed_anywhere(tmp_path, kills=1, seed=1, write=small)


@pytest.mark.deep
def test_seasons_survive_two_hundred_kills_at_any_moment(tmp_path: Path) -> None:
    assert killed_anywhere(tmp_path, kills=200, seed=2, write=season) >= 5


def test_a_changed_game_a_foreign_game_and_a_changed_contest_are_found(tmp_path: Path) -> None:
    file = small(tmp_path)
    said(tmp_path, "contest", "run", file)
    with closing(open_store(tmp_path / "small.db")) as store:
        record = from_text(next(store.read("game")).data)
        foreign = replace(record, pairing=replace(record.pairing, key="Small/day 9/One – Two/0"))
        store.append([Entry("game", foreign.pairing.key, to_text(foreign))])
    spoken = said(tmp_path, "contest", "verify", file, status=2)
    assert "One – Two/0: nobody asked for this game" in spoken
    with closing(sqlite3.connect(tmp_path / "small.db")) as raw:
        raw.execute("update event set data = replace(data, 'reason', 'season') where number = 5")
        raw.commit()
    assert "entry 5" in said(tmp_path, "contest", "verify", file, status=2)
    changed = (tmp_path / file).read_text().replace("seed = 3", "seed = 4")
    (tmp_path / file).write_text(changed)
    assert "seed changed" in said(tmp_path, "contest", "run", file, status=2)


def test_new_players_may_be_handed_in_and_are_noted(tmp_path: Path) -> None:
    file = small(tmp_path)
    said(tmp_path, "contest", "run", file)
    text = (tmp_path / file).read_text().replace('player = "random"', 'player = "greedy"')
    (tmp_path / file).write_text(text)
    said(tmp_path, "contest", "run", file)
    with closing(open_store(tmp_path / "small.db")) as store:
        assert [entry.key for entry in store.read("players")] == ["1", "2"]


def test_a_match_and_a_contest_do_not_share_a_store(tmp_path: Path) -> None:
    file, words = small(tmp_path), ("greedy", "random", "--game", QUICK, "--games", "2")
    said(tmp_path, "match", *words, "--nodes", "1", "--store", "small.db")
    assert "holds a match" in said(tmp_path, "contest", "run", file, status=2)
    (tmp_path / "small.db").unlink()
    said(tmp_path, "contest", "run", file)
    assert "holds a contest" in said(tmp_path, "match", *words, "--store", "small.db", status=2)


def test_a_lot_is_recorded(tmp_path: Path) -> None:
    text = SMALL.replace("FORMAT", "league") + '[[team]]\nname = "A"\n[[team]]\nname = "B"\n'
    (tmp_path / "small.toml").write_text(text)
    assert "lot" in said(tmp_path, "contest", "run", "small.toml")
    with closing(open_store(tmp_path / "small.db")) as store:
        (lot,) = store.read("lot")
        assert sorted(json.loads(lot.data)) == ["A", "B"]


def test_new_writes_a_contest_that_runs_and_does_not_overwrite(tmp_path: Path) -> None:
    said(tmp_path, "contest", "new", "mine.toml")
    assert tomllib.loads((tmp_path / "mine.toml").read_text())["contest"]["name"] == "mine"
    assert "exists already" in said(tmp_path, "contest", "new", "mine.toml", status=2)
    assert "nothing has been played" in said(tmp_path, "contest", "table", "mine.toml", status=2)
    assert "Winner: Red" in said(tmp_path, "contest", "run", "mine.toml")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("seed = 3", "sede = 3", "did you mean 'seed'"),
        ("[limits]", "[limit]", "did you mean 'limits'"),
        ("league", "leage", "did you mean 'league'"),
        ("nodes = 1", "node = 1", "did you mean 'nodes'"),
        ("games = 2", 'games = "2"', "expected a whole number"),
        ('name = "Two"', 'name = "One"', "two teams"),
        ('name = "Two"', 'nam = "Two"', "did you mean 'name'"),
        ("[limits]", "[format]\nrounds = 2\n[limits]", "rounds"),
        ('name = "Small"', "", "no name"),
        ("nodes = 1", 'time = "soon"', "no time"),
        ("seed = 3", "seed = ", "no TOML"),
    ],
)
def test_a_contest_file_is_read_strictly(old: str, new: str, problem: str) -> None:
    text = SMALL.replace("FORMAT", "league") + TEAMS
    read(text, games.load)
    assert old in text
    with pytest.raises(SpielleiterError, match=problem):
        read(text.replace(old, new), games.load)


@pytest.mark.parametrize(
    ("old", "new", "said_"),
    [
        ("seed = 3", "sede = 3", "[contest] has no setting 'sede'; did you mean 'seed'?"),
        ("[limits]", "[limit]", "there is no section [limit]; did you mean 'limits'?"),
        ('nam = "Two"', "", "[[team]] 2 has no setting 'nam'; did you mean 'name'?"),
        ("seed = 3", 'seed = "x"', "[contest] seed = 'x': expected a whole number"),
        ("seed = 3", "seed = true", "[contest] seed = True: expected a whole number"),
        (
            "[limits]",
            "[sandbox]\nmemory = 'much'\n[limits]",
            "[sandbox] memory = 'much': 'much' is",
        ),
        ("[limits]", "[format]\nrounds = 2\n[limits]", "[format] has no setting 'rounds'"),
        ("[contest]", "[contests]", "there is no section [contest]"),
        ("games = 2", "games = 0", "[contest] games = 0: "),
    ],
)
def test_an_error_names_section_key_and_the_nearest_known_key(
    old: str, new: str, said_: str
) -> None:
    text = SMALL.replace("FORMAT", "league") + TEAMS
    text = text.replace('name = "Two"', old) if old.startswith("nam ") else text.replace(old, new)
    with pytest.raises(SpielleiterError) as refused:
        read(text, games.load)
    assert said_ in str(refused.value)


def test_every_format_writes_a_template_that_can_be_read(tmp_path: Path) -> None:
    for form in formats.names():
        said(tmp_path, "contest", "new", f"{form}.toml", "--format", form)
        definition = read((tmp_path / f"{form}.toml").read_text("utf-8"), games.load)
        assert definition.format == form
        definition.check_official()


# ---------------------------------------------------------------------------- ranking, unofficial


def other_ranking() -> tuple[str, Definition]:
    """A contest of an edition whose document ranks otherwise than the contest's site."""
    text = SMALL.replace("FORMAT", "league") + TEAMS
    definition = read(text, games.load)
    assert definition.ranking == document(games.load(QUICK).ranking) != SITE
    return text, definition


def test_a_league_is_ranked_as_its_document_says_or_as_the_file_chooses() -> None:
    text, definition = other_ranking()
    table = definition.schedule().standings({})[0]
    assert (table.ranking, table.criteria) == ("document", games.load(QUICK).ranking)
    chosen = read(text.replace("seed = 3", 'seed = 3\nranking = "site"'), games.load)
    assert chosen.schedule().standings({})[0].criteria == SITE.criteria
    with pytest.raises(SpielleiterError, match="'document' or 'site'"):
        read(text.replace("seed = 3", 'seed = 3\nranking = "best"'), games.load)
    cup = text.replace('"league"', '"cup"').replace("seed = 3", 'seed = 3\nranking = "site"')
    with pytest.raises(SpielleiterError, match="has one of its own"):
        read(cup, games.load)


def test_the_documents_of_both_games_are_followed() -> None:
    """Won games, then the average; or the sum of win points, then the average."""
    criteria = {games.load(name).ranking for name in games.names()}
    assert criteria == {("games won", "average score"), ("win points", "average score")}


def test_tables_say_which_ranking_is_in_force(tmp_path: Path) -> None:
    file = small(tmp_path)
    spoken = said(tmp_path, "contest", "run", file)
    rule = ", then ".join((*games.load(QUICK).ranking, "lot"))
    assert f"ranked by {rule} (as the document has it)" in spoken
    said(tmp_path, "report", file)
    assert f"ranked by {rule}" in (tmp_path / "small.html").read_text("utf-8")
    (table,) = tables(tmp_path, file)
    assert table["ranking"] == "document"


def test_a_contest_begun_before_rankings_could_be_chosen_keeps_the_order_of_the_site(
    tmp_path: Path,
) -> None:
    file = small(tmp_path, "season")
    text = (tmp_path / file).read_text()
    definition = read(text, games.load)
    old = definition.fixed()
    del old["ranking"], old["unofficial"]
    with closing(open_store(tmp_path / "small.db")) as store:
        store.append([Entry("contest", "contest", json.dumps(old, sort_keys=True))])
    spoken = said(tmp_path, "contest", "run", file)
    assert "ranked by encounter points, then win points, then average score" in spoken
    assert "unofficial contest: games = 2" in spoken
    assert tables(tmp_path, file)[0]["ranking"] == "site"
    (tmp_path / file).write_text(text.replace("seed = 3", 'seed = 3\nranking = "document"'))
    assert "ranking changed" in said(tmp_path, "contest", "table", file, status=2)


def test_a_final_eight_with_fewer_games_is_refused_unless_it_is_unofficial(tmp_path: Path) -> None:
    file = small(tmp_path, "season")
    spoken = said(tmp_path, "contest", "run", file, status=2)
    assert "at least 6 games per encounter (or say: unofficial = true)" in spoken
    assert kept(tmp_path / "small.db") == 0
    text = (tmp_path / file).read_text()
    (tmp_path / file).write_text(text.replace("games = 2", "games = 1\nunofficial = true"))
    assert "unofficial contest: games = 1" in said(tmp_path, "contest", "run", file)
    said(tmp_path, "report", file)
    assert "unofficial contest: games = 1" in (tmp_path / "small.html").read_text("utf-8")
    assert "games verified" in said(tmp_path, "contest", "verify", file)


def test_a_gauntlet_needs_a_challenger_of_its_own() -> None:
    text = SMALL.replace("FORMAT", "gauntlet") + '[format]\nchallengers = ["On"]\n' + TEAMS
    with pytest.raises(UnknownName, match="did you mean 'One'"):
        read(text, games.load)


@pytest.mark.parametrize(
    ("line", "said_there", "expected"),
    [("", None, "real"), ('wire = "document"', None, "document"),
     ('wire = "document"', "real", "real"), ("", "document", "document")],
)  # fmt: skip
def test_a_contest_file_chooses_the_wire_and_the_command_line_wins(
    tmp_path: Path, line: str, said_there: WireForm | None, expected: WireForm
) -> None:
    file = tmp_path / "small.toml"
    text = SMALL.replace("FORMAT", "league").replace("seed = 3", f"seed = 3\n{line}")
    file.write_text(text + TEAMS)
    options = ProgramOptions(None, freeze=False, warm=True, host="127.0.0.1", wire=said_there)
    players = sandboxed_players(read(file.read_text(), games.load), file, options)
    assert players.setting.wire == expected


def test_a_wire_that_nobody_knows_is_refused() -> None:
    text = SMALL.replace("FORMAT", "league").replace("seed = 3", 'wire = "reel"') + TEAMS
    with pytest.raises(SpielleiterError, match=r"\[contest\] wire = 'reel': .*'real'"):
        read(text, games.load)
