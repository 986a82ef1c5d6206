"""Games after the fact, as a browser asks for them: replays, analyses, contests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from spielleiter import bots, games
from spielleiter.review.chances import grade
from spielleiter.service.record_files import read
from spielleiter.store import open_store
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl
from spielleiter.web.contest_reader import log_of
from tests import seasons, talks
from tests.arenas import Visitor, arena, built_in, person
from tests.contests import QUICK
from tests.test_viewer import built

SEVERAL = next(
    (
        (name, option.name, choice)
        for name in games.names()
        for option in games.load(name).options
        for choice in option.choices()
        if games.load(name).start(1, **{option.name: choice}).seats > 2
    ),
    None,
)
"""An edition and a set-up for more than two."""


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """An arena with a played season in its folder and another that has not begun."""
    folder = tmp_path_factory.mktemp("archive")
    seasons.play(seasons.season(folder / "data" / "contests"))
    later = seasons.season(folder, "later.toml")
    with arena(folder / "data", contests=(later,)) as found:
        found.log_in()
        yield found


def sent(visitor: Visitor, content: bytes, **headers: str) -> httpx.Response:
    given = {"x-csrf-token": visitor.csrf, **headers}
    return visitor.http.post("/api/replays", content=content, headers=given)


@contextmanager
def words(visitor: Visitor, what: str, **query: Any) -> Iterator[Iterator[dict[str, Any]]]:
    """What an analysis says, one word after the other."""
    with visitor.http.stream("GET", f"/api/analysis/{what}", params=query) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        yield (json.loads(line[6:]) for line in lines if line.startswith("data: "))


def all_words(visitor: Visitor, what: str, **query: Any) -> list[dict[str, Any]]:
    with words(visitor, what, **query) as said:
        return list(said)


# ---------------------------------------------------------------------------------------- replays


@pytest.mark.parametrize("data", talks.replays())
def test_an_official_replay_is_opened_plain_or_packed(visitor: Visitor, data: bytes) -> None:
    plain, packed = sent(visitor, data), sent(visitor, gzip.compress(data))
    assert (plain.status_code, packed.status_code) == (201, 201)
    assert plain.json() == packed.json()
    replay = visitor.get(f"/api/replays/file/{plain.json()['id']}")
    record = read(data)
    positions = [frame.position.text() for frame in record.frames(record.game(games.load_recorded))]
    assert [turn["position"] for turn in replay["turns"]] == positions
    assert len(replay["scenes"]["scenes"]) == len(positions)
    assert record.ended is not None
    assert replay["result"]["ranks"] == list(record.ended.outcome.ranks)


@pytest.mark.parametrize("data", talks.replays())
def test_everything_that_is_offered_can_be_had(visitor: Visitor, data: bytes) -> None:
    place = f"/api/replays/file/{sent(visitor, data).json()['id']}"
    files = visitor.get(place)["downloads"]
    got = {file: visitor.http.get(f"{place}/{file}", params={"turn": 3}) for file in files}
    assert all(each.status_code == 200 for each in got.values())
    assert all("attachment" in each.headers["content-disposition"] for each in got.values())
    assert got["picture.svg"].content.startswith(b"<svg")
    assert got["picture.png"].content.startswith(b"\x89PNG")
    assert gzip.decompress(got["replay.xml.gz"].content) == data
    assert visitor.http.get(f"{place}/picture.svg", params={"turn": 999}).status_code == 404


@pytest.mark.parametrize("data", talks.replays())
def test_the_page_to_take_along_asks_nobody_for_anything(visitor: Visitor, data: bytes) -> None:
    built()
    place = f"/api/replays/file/{sent(visitor, data).json()['id']}"
    page = visitor.http.get(f"{place}/page.html").text
    assert "default-src 'none'" in page
    assert "<link" not in page
    assert " src=" not in page.partition("<script>")[0]


BOMB = gzip.compress(bytes(30 * 1024 * 1024))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "neither XML nor a log"),
        (b"hello", "neither XML nor a log"),
        (b"<protocol>\n<room>\n</rom>", "line 3"),
        (BOMB, "more in this file than 24 MB"),
        (gzip.compress(BOMB)[:-5], "ends too early"),
        (b"\x1f\x8b nonsense", "damaged"),
    ],
)
def test_a_file_that_is_no_replay_is_refused_with_the_reason(
    visitor: Visitor, content: bytes, problem: str
) -> None:
    answer = sent(visitor, content)
    assert answer.status_code == 422
    assert problem in answer.json()["detail"]["message"]


def test_a_file_that_is_too_large_is_refused(visitor: Visitor) -> None:
    assert sent(visitor, bytes(5 * 1024 * 1024)).status_code == 413


def test_a_guest_may_open_a_file_but_another_site_may_not_send_one(visitor: Visitor) -> None:
    assert sent(visitor, b"<protocol/>", cookie="spielleiter_session=guessed").status_code == 422
    assert sent(visitor, b"<protocol/>", origin="http://elsewhere.example").status_code == 403


@pytest.mark.parametrize("name", ["", "x" * 300, "..", "%2e%2e%2fsecret", "0" * 20, "season~1"])
@pytest.mark.parametrize("source", ["file", "game", "contest", "nowhere"])
def test_what_is_not_there_is_not_there(visitor: Visitor, source: str, name: str) -> None:
    answer = visitor.http.get(f"/api/replays/{source}/{name}")
    assert answer.status_code in (404, 422)


def test_a_game_of_the_arena_is_told_again_and_played_on(visitor: Visitor) -> None:
    game = visitor.order(QUICK, built_in(), built_in(), seed=1)["id"]
    visitor.watch_to_the_end(game)
    replay = visitor.get(f"/api/replays/game/{game}", lang="de")
    watched = visitor.get(f"/api/games/{game}")
    assert [turn["move"] for turn in replay["turns"][1:]] == [
        turn["move"] for turn in watched["turns"]
    ]
    middle = replay["turns"][len(replay["turns"]) // 2]
    again = visitor.order(QUICK, built_in(), built_in(), position=middle["position"])["id"]
    visitor.watch_to_the_end(again)
    first = visitor.get(f"/api/replays/game/{again}")["turns"][0]
    assert (first["position"], first["to_move"]) == (middle["position"], middle["to_move"])


# --------------------------------------------------------------------------------------- analysis


@pytest.fixture(scope="module")
def played(visitor: Visitor) -> str:
    """A short game of the arena that is over."""
    game: str = visitor.order(QUICK, built_in(), built_in(), seed=5)["id"]
    visitor.watch_to_the_end(game)
    return game


def test_a_whole_game_is_analysed_turn_by_turn(visitor: Visitor, played: str) -> None:
    turns = visitor.get(f"/api/replays/game/{played}")["turns"]
    said = all_words(visitor, f"game/{played}", seconds=0.02)
    assert (said[0]["kind"], said[-1]["kind"]) == ("began", "finished")
    found = {word["turn"]: word for word in said if word["kind"] == "evaluated"}
    assert list(found) == list(range(len(turns)))
    known = [word["chances"] for word in found.values() if None not in word["chances"]]
    assert len(known) > 1  # besides the end: who is kept from thinking says nothing of a turn
    for told in known:
        assert sum(told) == pytest.approx(1, abs=1e-3)
    judged = {word["turn"]: word for word in said if word["kind"] == "judged"}
    assert judged
    for turn, word in judged.items():
        assert (word["move"], word["seat"]) == (turns[turn]["move"], turns[turn]["seat"])
        assert word["grade"] in ("best", grade(word["drop"]))


def test_a_position_is_analysed_better_and_better(visitor: Visitor) -> None:
    position = games.load(QUICK).start(3)
    asked = {"edition": QUICK, "position": position.text(), "seconds": 0.3, "lines": 2}
    found = [w for w in all_words(visitor, "position", **asked) if w["kind"] == "evaluated"]
    assert [word["final"] for word in found] == [False] * (len(found) - 1) + [True]
    legal = {move.text() for move in position.legal_moves()}
    assert {line["moves"][0] for line in found[-1]["lines"]} <= legal
    assert len(found[-1]["lines"]) == 2


def test_who_asks_again_gives_up_what_he_asked_before(visitor: Visitor, played: str) -> None:
    with words(visitor, f"game/{played}", seconds=5, client="one") as first:
        assert next(first)["kind"] == "began"
        other = all_words(visitor, f"game/{played}", seconds=0.01, client="one")
        *_, last = first
    assert (last["kind"], last["code"]) == ("failed", "superseded")
    assert other[-1]["kind"] == "finished"


def test_others_wait_until_somebody_goes_away(visitor: Visitor, played: str) -> None:
    with words(visitor, f"game/{played}", seconds=5, client="one") as first:
        assert next(first)["kind"] == "began"
        with words(visitor, f"game/{played}", seconds=6, client="two") as second:
            assert next(second)["kind"] == "began"
            assert next(second)["final"] is False  # a first look at the turn that is shown
            assert next(second) == {"kind": "queued", "ahead": 1}
    said = all_words(visitor, f"game/{played}", seconds=0.01, client="three")
    assert said[-1]["kind"] == "finished"


def evaluated(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All that is known in the end of turns that an engine thought about."""
    return [
        word for word in said if word["kind"] == "evaluated" and word["lines"] and word["final"]
    ]


def test_what_was_found_is_kept_for_everybody(visitor: Visitor, played: str) -> None:
    first = all_words(visitor, f"game/{played}", seconds=0.03, client="one")
    again = all_words(visitor, f"game/{played}", seconds=0.02, client="two")
    assert evaluated(again) == evaluated(first)
    with words(visitor, f"game/{played}", seconds=5, client="one") as busy:
        assert next(busy)["kind"] == "began"
        known = all_words(visitor, f"game/{played}", seconds=0.03, client="two")
    assert evaluated(known) == evaluated(first)  # nobody waits for what is known


def test_the_turn_that_is_looked_at_comes_first(visitor: Visitor, played: str) -> None:
    said = all_words(visitor, f"game/{played}", seconds=0.01, first=7)
    plain = all_words(visitor, f"game/{played}", seconds=0.01)
    assert [word["turn"] for word in evaluated(said)][:3] == [6, 7, 0]
    judged = [{w["turn"]: w for w in each if w["kind"] == "judged"} for each in (said, plain)]
    assert judged[0] == judged[1]


def test_the_moves_of_a_line_are_drawn_and_played_on_the_board(
    visitor: Visitor, played: str
) -> None:
    said = all_words(visitor, f"game/{played}", seconds=0.02, lang="de")
    best = evaluated(said)[0]["lines"][0]
    assert [each["move"] for each in best["drawn"]] == best["moves"][:8]
    assert all(each["label"] for each in best["drawn"])
    start = visitor.get(f"/api/replays/game/{played}/positions/0")
    asked: dict[str, Any] = {"edition": start["edition"], "position": start["position"]}
    asked["moves"] = best["moves"]
    answer = visitor.http.get("/api/analysis/line", params=asked)
    assert len(answer.json()["scenes"]) == len(best["moves"])
    asked["moves"] = [best["moves"][0]] * 2
    assert visitor.http.get("/api/analysis/line", params=asked).status_code == 422


def test_no_engine_helps_those_who_sit_in_a_running_game(visitor: Visitor) -> None:
    made = visitor.order(QUICK, person(), built_in(), seed=7)
    asked: dict[str, Any] = {"edition": QUICK, "position": games.load(QUICK).start(7).text()}
    asked["seconds"] = 0.01
    with visitor.seat(made["id"], 0, made["seats"][0]["token"]) as seat:
        assert json.loads(seat.recv())["kind"] == "ask"
        path = f"/api/analysis/game/{made['id']}"
        assert visitor.http.get(path).json()["detail"]["code"] == "seated"
        assert visitor.http.get("/api/analysis/position", params=asked).status_code == 403
        seat.send(json.dumps({"kind": "resign"}))
        while json.loads(seat.recv())["kind"] != "end":
            pass
    assert all_words(visitor, "position", **asked)[-1]["kind"] == "finished"
    assert all_words(visitor, f"game/{made['id']}", seconds=0.01)[-1]["kind"] == "finished"


@pytest.mark.skipif(SEVERAL is None, reason="no game is played by more than two")
def test_a_game_of_several_tells_each_seat_when_it_is_to_move(visitor: Visitor) -> None:
    assert SEVERAL is not None
    edition, option, choice = SEVERAL
    seats = games.load(edition).start(1, **{option: choice}).seats
    ordered = visitor.order(edition, *[built_in()] * seats, options={option: choice}, seed=1)
    visitor.watch_to_the_end(ordered["id"])
    said = all_words(visitor, f"game/{ordered['id']}", seconds=0.01)
    assert said[-1]["kind"] == "finished"
    found = [w for w in said if w["kind"] == "evaluated" and w["to_move"] is not None]
    known = [[s for s in range(seats) if w["chances"][s] is not None] for w in found]
    assert any(known)
    assert all(told in ([], [w["to_move"]]) for told, w in zip(known, found, strict=True))
    assert any(word["kind"] == "judged" for word in said)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"position": "nonsense"}, 422),
        ({"edition": "nonsense"}, 422),
        ({"engine": "nonsense"}, 422),
        ({"seconds": 1e9}, 422),
        ({"lines": 0}, 422),
    ],
)
def test_a_senseless_analysis_is_refused(
    visitor: Visitor, change: dict[str, Any], status: int
) -> None:
    asked = {"edition": QUICK, "position": games.load(QUICK).start(3).text(), **change}
    assert visitor.http.get("/api/analysis/position", params=asked).status_code == status


# --------------------------------------------------------------------------------------- contests


def test_contests_are_those_of_the_folder_and_the_named_ones(visitor: Visitor) -> None:
    found = {each["id"]: each for each in visitor.get("/api/contests")}
    assert found["season"]["finished"]
    assert found["season"]["winner"]
    assert (found["later"]["played"], found["later"]["finished"]) == (0, False)


def test_a_season_is_laid_out_in_phases(visitor: Visitor) -> None:
    season = visitor.get("/api/contests/season")
    titles = [phase["title"] for phase in season["phases"]]
    assert titles == ["group A", "group B", "Champions League", "Final Eight"]
    assert all(phase["final"] for phase in season["phases"])
    assert [day["title"] for day in season["phases"][3]["bracket"]] == [
        "quarter-final",
        "semi-final",
        "final",
        "third place",
    ]
    group = season["phases"][0]
    assert len(group["crosstable"]) == len(group["standings"]) == 6
    assert group["crosstable"][0][0] is None
    assert sum(phase["played"] for phase in season["phases"]) == season["played"]
    assert all(each["low"] < each["elo"] < each["high"] for each in season["ratings"])
    assert season["winner"] == season["phases"][3]["standings"][0]["team"]


def test_every_game_of_a_contest_has_a_replay_and_a_log(visitor: Visitor) -> None:
    meeting = visitor.get("/api/contests/season")["phases"][3]["bracket"][2]["meetings"][0]
    found = visitor.get("/api/contests/season/meeting", key=meeting["key"])["games"]
    assert len(found) >= 2
    for game in found:
        replay = visitor.get(f"/api/replays/contest/{game['id']}")
        assert replay["names"] == game["teams"]
        assert replay["result"]["ranks"] == game["ranks"]
        assert len(replay["turns"]) > 5
        number = game["id"].partition("~")[2]
        log = visitor.get(f"/api/contests/season/games/{number}/log")
        assert log["reason"] == replay["result"]["reason"]


def test_what_players_print_is_shown_to_the_organiser_and_not_to_everybody() -> None:
    edition = games.load(QUICK)
    bot = bots.factory("random")
    table = InProcessExecutor(
        lambda opening: edition.start(opening.seed),
        {"A": bot, "B": bot},
        TimeControl(),
        lambda: 0.0,
    )
    entry = table.play(Pairing("cup/0", ("A", "B"), Opening(1))).with_log("my secret", "isolated")
    assert log_of(entry, for_organiser=True).log == "my secret"
    assert log_of(entry, for_organiser=False).log == ""


def test_a_contest_that_has_not_begun_says_who_will_meet(visitor: Visitor) -> None:
    later = visitor.get("/api/contests/later")
    assert later["phases"][0]["days"][0]["meetings"][0]["played"] == 0
    assert later["phases"][3]["standings"] == []
    assert later["waiting"] > 0


def test_a_running_contest_tells_of_every_game(visitor: Visitor) -> None:
    """The store of the finished season is copied game by game into that of a new one."""
    folder = visitor.opened.arena.contests.find("season")
    assert folder is not None
    path = Path(folder.path)
    running = path.with_name("running.toml")
    running.write_text(path.read_text("utf-8"), "utf-8")
    source, target = open_store(path.with_suffix(".db")), open_store(running.with_suffix(".db"))
    try:
        target.append(list(source.read("contest")))
        kept = list(source.read("game"))
        target.append(kept[:10])
        with visitor.http.stream("GET", "/api/contests/running/feed") as answer:
            said = (line for line in answer.iter_lines() if line.startswith("data: "))
            assert json.loads(next(said)[6:])["played"] == 10
            target.append(kept[10:13])
            assert json.loads(next(said)[6:])["played"] == 13
        assert visitor.get("/api/contests/running")["played"] == 13
        assert not visitor.get("/api/contests/running")["finished"]
    finally:
        source.close()
        target.close()


@pytest.mark.parametrize(
    "path", ["nowhere", "season/meeting?key=nobody", "season/games/99999999/log", "nowhere/feed"]
)
def test_what_no_contest_has_is_not_found(visitor: Visitor, path: str) -> None:
    assert visitor.http.get(f"/api/contests/{path}").status_code == 404
