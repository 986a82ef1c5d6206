"""The arena as a whole: real processes on loopback, visited as a browser visits it."""

from __future__ import annotations

import gzip
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosedError

from spielleiter import bots, games
from spielleiter.client import binary, player
from spielleiter.client.doctor import examine
from spielleiter.errors import UsageError
from spielleiter.server import ServedGame
from spielleiter.server.replay import load
from spielleiter.service.served_games import served_games
from spielleiter.service.service import speech_of
from tests.arenas import (
    PASSWORD,
    PATIENCE,
    Visitor,
    arena,
    built_in,
    external,
    person,
    settings,
)

EDITIONS = games.names()
SPOKEN = {speech: [e for e in EDITIONS if speech_of(e) == speech] for speech in ("xml", "binary")}
A_GAME = EDITIONS[0]


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with arena(tmp_path_factory.mktemp("arena")) as opened:
        opened.log_in()
        yield opened


def seats_of(edition: str) -> int:
    return int(games.load(edition).start().seats)


def against_chance(edition: str) -> list[dict[str, Any]]:
    return [person(), *[built_in("random")] * (seats_of(edition) - 1)]


# -------------------------------------------------------------------------------------- catalogue


def test_the_shelf_offers_every_edition_with_its_options_and_players(visitor: Visitor) -> None:
    catalogue = visitor.get("/api/catalogue")
    assert [edition["name"] for edition in catalogue["editions"]] == list(EDITIONS)
    players = {each["name"]: each for each in catalogue["players"]}
    assert players.keys() == set(bots.names())
    for edition in catalogue["editions"]:
        game = games.load(edition["name"])
        assert {"random", "best"} <= set(edition["players"]) <= players.keys()
        assert [option["name"] for option in edition["options"]] == [o.name for o in game.options]
        for name, seats in edition["seats"].items():
            assert game.start(0, **{edition["seats_by"]: name}).seats == seats


def test_everything_on_the_shelf_is_there_in_german(visitor: Visitor) -> None:
    english, german = visitor.get("/api/catalogue"), visitor.get("/api/catalogue", lang="de")
    for one, other in zip(english["editions"], german["editions"], strict=True):
        assert one["seat_names"] != other["seat_names"]
    assert [p["help"] for p in english["players"]] != [p["help"] for p in german["players"]]


# ---------------------------------------------------------------------------------------- watching


def test_a_game_of_built_in_players_is_watched_to_its_end(visitor: Visitor) -> None:
    seats = [built_in("random")] * seats_of(A_GAME)
    game = visitor.order(A_GAME, *seats, seed=7)["id"]
    told = visitor.watch_to_the_end(game)
    numbers = [number for number, _, _ in told]
    assert told[0][1] == "snapshot"
    assert numbers == sorted(set(numbers))
    detail = visitor.get(f"/api/games/{game}")
    assert detail["summary"]["state"] == "finished"
    assert detail["event"] == numbers[-1]
    assert detail["summary"]["result"]["reason"]
    assert turns_of(told) == detail["turns"]


def turns_of(told: list[tuple[int, str, Any]]) -> list[Any]:
    """What a browser knows in the end: a game may outrun it, and then it gets a snapshot."""
    turns: list[Any] = []
    for _, kind, data in told:
        if kind == "snapshot":
            turns = list(data["game"]["turns"])
        elif kind == "move":
            turns.append(data["turn"])
    return turns


def test_the_scenes_of_a_feed_are_those_of_its_turns(visitor: Visitor) -> None:
    game = visitor.order(A_GAME, *[built_in("random")] * seats_of(A_GAME), seed=8)["id"]
    told = [data for _, kind, data in visitor.watch_to_the_end(game) if kind == "move"]
    last = visitor.get(f"/api/games/{game}")["summary"]["turn"]
    every: list[Any] = []
    while len(every) <= last:
        every += visitor.get(f"/api/games/{game}/scenes", first=len(every))["scenes"]
    assert len(every) == last + 1
    for data in told:
        turn = data["turn"]["turn"]
        assert every[turn] == data["scene"]
        position = visitor.get(f"/api/games/{game}/positions/{turn}")
        assert position["position"] == data["position"]
    assert visitor.get(f"/api/games/{game}/scenes/0") == every[0]
    assert visitor.http.get(f"/api/games/{game}/scenes/{last + 1}").status_code == 404


def test_a_feed_goes_on_after_the_last_event_that_was_seen(visitor: Visitor) -> None:
    game = visitor.order(A_GAME, *against_chance(A_GAME))["id"]
    with visitor.feed(game) as told:
        number, kind, snapshot = next(told)
    assert kind == "snapshot"
    with visitor.http.stream("GET", f"/api/games/{game}/feed") as plain:
        assert "content-encoding" not in plain.headers, "a message must not wait for the next"
    assert snapshot["game"]["event"] == number
    visitor.post(f"/api/games/{game}/cancel")
    with visitor.feed(game, after=number) as told:
        kinds = [kind for _, kind, _ in told]
    assert "snapshot" not in kinds
    assert kinds[-1] == "end"
    last = visitor.get(f"/api/games/{game}")["event"]
    again = visitor.http.get(f"/api/games/{game}/feed", headers={"last-event-id": str(last)})
    assert again.status_code == 204


def test_a_spectator_who_does_not_read_holds_up_nobody(visitor: Visitor) -> None:
    game = visitor.order(A_GAME, *[built_in("random")] * seats_of(A_GAME), paused=True)["id"]
    with socket.create_connection(("127.0.0.1", visitor.opened.port)) as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.sendall(f"GET /api/games/{game}/feed HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        assert lazy.recv(16)
        assert visitor.post(f"/api/games/{game}/pause", {"paused": False}).status_code == 204
        visitor.watch_to_the_end(game)


# ----------------------------------------------------------------------------------------- playing


def play_by_hand(visitor: Visitor, game: str, token: str, lot: random.Random) -> list[Any]:
    """Answer every request with a gesture by lot until the game is over; all that was said."""
    said = []
    with visitor.seat(game, 0, token) as seat:
        for text in seat:
            said.append(json.loads(text))
            if said[-1]["kind"] == "ask":
                move = lot.choice(said[-1]["gestures"])["move"]
                seat.send(json.dumps({"kind": "move", "move": move, "turn": said[-1]["turn"]}))
            if said[-1]["kind"] == "end":
                break
    return said


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_person_plays_a_whole_game_by_hand(visitor: Visitor, edition: str) -> None:
    arranged = visitor.order(edition, *against_chance(edition), seed=3)
    token = arranged["seats"][0]["token"]
    said = play_by_hand(visitor, arranged["id"], token, random.Random(edition))
    kinds = [each["kind"] for each in said]
    assert kinds.count("ask") == kinds.count("accepted") > 0
    detail = visitor.get(f"/api/games/{arranged['id']}")
    assert said[-1]["result"] == detail["summary"]["result"]
    assert not detail["summary"]["result"]["cancelled"]
    assert detail["summary"]["kinds"][0] == "person"


def test_an_illegal_move_is_refused_with_a_reason_and_costs_nothing(visitor: Visitor) -> None:
    arranged = visitor.order(A_GAME, *against_chance(A_GAME), seed=3)
    with visitor.seat(arranged["id"], 0, arranged["seats"][0]["token"], "de") as seat:
        asked = json.loads(seat.recv())
        assert asked["kind"] == "ask"
        game = games.load(A_GAME)
        position = game.start(3)
        legal = {move.text() for move in position.legal_moves()}
        wrong = next(
            text
            for text in (position.move_at(n).text() for n in range(position.actions))
            if text not in legal
        )
        for move in ("nonsense", wrong):
            seat.send(json.dumps({"kind": "move", "move": move}))
            refused = json.loads(seat.recv())
            assert refused["kind"] == "refused"
            assert refused["explanation"]
        seat.send(json.dumps({"kind": "move", "move": asked["gestures"][0]["move"], "turn": 9}))
        assert json.loads(seat.recv())["code"] == "turn"
        seat.send(json.dumps({"kind": "move", "move": asked["gestures"][0]["move"]}))
        assert json.loads(seat.recv())["kind"] == "accepted"
    visitor.post(f"/api/games/{arranged['id']}/cancel")


def test_who_asks_why_a_place_is_wrong_is_told(visitor: Visitor) -> None:
    arranged = visitor.order(A_GAME, *against_chance(A_GAME), seed=3)
    with visitor.seat(arranged["id"], 0, arranged["seats"][0]["token"]) as seat:
        asked = json.loads(seat.recv())
        gesture = asked["gestures"][0]
        for cells, code in ((gesture["cells"], "legal"), ([[500, 500]], "nowhere")):
            said = {"kind": "why", "token": gesture["token"], "cells": cells, "id": 5}
            seat.send(json.dumps(said))
            because = json.loads(seat.recv())
            assert (because["kind"], because["code"], because["id"]) == ("because", code, 5)
            assert because["explanation"]
    visitor.post(f"/api/games/{arranged['id']}/cancel")


def test_a_seat_opens_only_with_its_own_key(visitor: Visitor) -> None:
    arranged = visitor.order(A_GAME, *against_chance(A_GAME))
    token = arranged["seats"][0]["token"]
    for seat, key in ((0, "wrong"), (1, token), (0, "")):
        socket_ = visitor.seat(arranged["id"], seat, key)
        with socket_, pytest.raises(ConnectionClosedError, match="4401"):
            socket_.recv()
    visitor.post(f"/api/games/{arranged['id']}/cancel")


def test_nonsense_on_a_seat_ends_the_connection_and_not_the_game(visitor: Visitor) -> None:
    arranged = visitor.order(A_GAME, *against_chance(A_GAME))
    token = arranged["seats"][0]["token"]
    for nonsense in ("", "{", '{"kind":"shout"}', "[]", '"move"}{"x":1', "x" * 5000):
        with visitor.seat(arranged["id"], 0, token) as seat:
            seat.recv()
            seat.send(nonsense)
            with pytest.raises(ConnectionClosedError, match="4400"):
                seat.recv()
    assert visitor.get(f"/api/games/{arranged['id']}")["summary"]["state"] == "running"
    visitor.post(f"/api/games/{arranged['id']}/cancel")


def test_a_person_who_thinks_too_long_loses(visitor: Visitor) -> None:
    arranged = visitor.order(A_GAME, *against_chance(A_GAME), per_move=0.05)
    with visitor.seat(arranged["id"], 0, arranged["seats"][0]["token"]) as seat:
        asked = json.loads(seat.recv())
        assert asked["allowed"] == pytest.approx(0.05)
        with visitor.feed(arranged["id"]) as told:
            next(told)
            threading.Event().wait(0.2)  # a person thinks
            seat.send(json.dumps({"kind": "move", "move": asked["gestures"][0]["move"]}))
            kinds = [kind for _, kind, _ in told]
    assert kinds == ["violation", "end"]
    result = visitor.get(f"/api/games/{arranged['id']}")["summary"]["result"]
    assert result["faults"][0]["kind"] == "late"
    assert result["winners"] == [1]


def test_a_game_begins_from_any_turn_of_another(visitor: Visitor) -> None:
    first = visitor.order(A_GAME, *[built_in("random")] * seats_of(A_GAME), seed=4)["id"]
    visitor.watch_to_the_end(first)
    position = visitor.get(f"/api/games/{first}/positions/5")
    again = visitor.order(A_GAME, *against_chance(A_GAME), start={"game": first, "turn": 5})
    assert visitor.get(f"/api/games/{again['id']}/positions/0")["position"] == position["position"]
    third = visitor.order(A_GAME, *against_chance(A_GAME), position=position["position"])
    assert visitor.get(f"/api/games/{third['id']}/positions/0")["position"] == position["position"]
    for game in (again, third):
        assert visitor.post(f"/api/games/{game['id']}/cancel").status_code == 204


def test_the_same_seed_gives_the_same_start(visitor: Visitor) -> None:
    orders = [visitor.order(A_GAME, *against_chance(A_GAME), seed=11) for _ in range(2)]
    one, other = (visitor.get(f"/api/games/{each['id']}")["position"] for each in orders)
    assert one == other == games.load(A_GAME).start(11).text()
    for each in orders:
        visitor.post(f"/api/games/{each['id']}/cancel")


def test_a_held_game_goes_on_by_steps_and_then_by_itself(visitor: Visitor) -> None:
    seats = [built_in("random")] * seats_of(A_GAME)
    game = visitor.order(A_GAME, *seats, paused=True)["id"]
    with visitor.feed(game) as told:
        assert next(told)[2]["game"]["summary"]["paused"]
        for turn in (1, 2):
            assert visitor.post(f"/api/games/{game}/step").status_code == 204
            while (said := next(told))[1] != "move":
                pass
            assert said[2]["turn"]["turn"] == turn
        assert visitor.post(f"/api/games/{game}/pause", {"paused": False}).status_code == 204
        assert list(told)[-1][1] in ("end", "snapshot")
    assert visitor.get(f"/api/games/{game}")["summary"]["state"] == "finished"


# ------------------------------------------------------------------------------------ other clients


@pytest.mark.parametrize("edition", SPOKEN["xml"])
def test_an_external_client_comes_with_its_reservation(visitor: Visitor, edition: str) -> None:
    arranged = visitor.order(edition, external(), built_in("random"), seed=2)
    chair = arranged["seats"][0]
    assert chair["reservation"] in chair["command"]
    assert visitor.get(f"/api/games/{arranged['id']}")["summary"]["state"] == "waiting"
    report = player.join(
        bots.load("random"),
        chair["host"],
        chair["port"],
        reservation=chair["reservation"],
        game=edition,
    )
    assert report is not None
    visitor.watch_to_the_end(arranged["id"])
    detail = visitor.get(f"/api/games/{arranged['id']}")
    assert detail["summary"]["state"] == "finished"
    assert detail["position"].split()[0] != games.load(edition).start(2).text().split()[0]


@pytest.mark.parametrize("edition", SPOKEN["binary"])
def test_an_external_client_of_the_course_comes_to_its_own_port(
    visitor: Visitor, edition: str
) -> None:
    arranged = visitor.order(edition, built_in("random"), external())
    chair = arranged["seats"][1]
    assert str(chair["port"]) in chair["command"]
    assert visitor.get(f"/api/games/{arranged['id']}")["summary"]["state"] == "waiting"
    game = games.load(edition)
    report = binary.join(bots.load("random"), game, chair["host"], chair["port"], 1)
    assert not report.disqualified
    visitor.watch_to_the_end(arranged["id"])
    assert visitor.get(f"/api/games/{arranged['id']}")["summary"]["state"] == "finished"


@pytest.mark.parametrize("edition", SPOKEN["binary"])
def test_a_course_client_that_leaves_is_out_and_that_is_a_turn(
    visitor: Visitor, edition: str
) -> None:
    arranged = visitor.order(edition, built_in("random"), external())
    chair = arranged["seats"][1]
    with socket.create_connection((chair["host"], chair["port"])) as client:
        client.sendall(struct.pack(">BIB", 1, 1, 7))
        assert client.recv(5)
    visitor.watch_to_the_end(arranged["id"])
    result = visitor.get(f"/api/games/{arranged['id']}")["summary"]["result"]
    assert result["faults"][1]["kind"] == "left"
    assert result["winners"] == [0]


def test_the_doctor_leaves_no_trace(visitor: Visitor) -> None:
    before = visitor.get("/api/games", limit=200)["games"]
    port = visitor.opened.service.ports.xml
    told = list(examine("127.0.0.1", port, password="administrator", patience=PATIENCE))
    assert any("it offers" in finding.text for finding in told)
    assert visitor.get("/api/games", limit=200)["games"] == before


def test_a_game_of_strangers_on_the_servers_port_is_shown_too(visitor: Visitor) -> None:
    port = visitor.opened.service.ports.xml
    newest = served_games((), "document")[0].name

    def join() -> None:
        player.join(bots.load("random"), "127.0.0.1", port, game=newest)

    other = threading.Thread(target=join)
    other.start()
    join()
    other.join(PATIENCE)
    found = visitor.get("/api/games", edition=newest, limit=200)["games"]
    (game,) = [game for game in found if game["source"] == "server"]
    assert game["kinds"] == ["external"] * 2
    visitor.watch_to_the_end(game["id"])


# --------------------------------------------------------------------------------------- downloads


@pytest.mark.parametrize("edition", SPOKEN["xml"])
def test_a_finished_game_is_downloaded_as_official_replay(
    visitor: Visitor, edition: str, tmp_path: Path
) -> None:
    game = visitor.order(edition, built_in("random"), built_in("greedy"), seed=5)["id"]
    visitor.watch_to_the_end(game)
    detail = visitor.get(f"/api/games/{game}")
    assert {"replay.xml", "replay.xml.gz", "picture.svg"} <= set(detail["downloads"])
    plain = visitor.http.get(f"/api/games/{game}/files/replay.xml").content
    packed = visitor.http.get(f"/api/games/{game}/files/replay.xml.gz").content
    assert gzip.decompress(packed) == plain
    (tmp_path / "replay.xml").write_bytes(plain)
    tables = [ServedGame.of(games.load(edition))]
    _, start = load(tmp_path / "replay.xml", detail["summary"]["ply"], tables)
    assert start.position.text() == detail["position"]


def test_a_picture_of_any_turn_is_downloaded_in_both_languages(visitor: Visitor) -> None:
    game = visitor.order(A_GAME, *[built_in("random")] * seats_of(A_GAME), seed=5)["id"]
    visitor.watch_to_the_end(game)
    path = f"/api/games/{game}/files/picture.svg"
    answers = [visitor.http.get(path, params={"turn": 3, "lang": lang}) for lang in ("en", "de")]
    assert all(answer.headers["content-type"] == "image/svg+xml" for answer in answers)
    assert answers[0].text.startswith("<svg")
    assert answers[0].text != answers[1].text
    painted = visitor.http.get(f"/api/games/{game}/files/picture.png", params={"turn": 3})
    assert painted.content.startswith(b"\x89PNG")
    assert visitor.http.get(path, params={"turn": 9999}).status_code == 404
    assert visitor.http.get(f"/api/games/{game}/files/passwd").status_code == 404


# ------------------------------------------------------------------------------------------ orders


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"edition": "chess"}, "cannot-be-played"),
        ({"seats": [{"kind": "person"}]}, "seats"),
        ({"position": "nonsense"}, "cannot-be-played"),
        ({"start": {"game": "none", "turn": 0}}, "no-such-game"),
        ({"options": {"nonsense": "1"}}, "option"),
        ({"options": {"seed": "1"}}, "option"),
        ({"seats": [{"kind": "built-in", "player": "../x.py"}] * 2}, "player"),
        ({"seats": [{"kind": "built-in", "player": "best", "level": 99}] * 2}, "level"),
        ({"per_move": -1}, "invalid"),
        ({"surprise": True}, "invalid"),
        ({"seats": [{"kind": "person", "name": "a\x00b"}] * 2}, "invalid"),
    ],
)
def test_an_order_that_cannot_be_served_is_refused_with_a_reason(
    visitor: Visitor, changes: dict[str, Any], code: str
) -> None:
    body = {"edition": A_GAME, "seats": against_chance(A_GAME), **changes}
    answer = visitor.post("/api/games", body)
    assert 400 <= answer.status_code < 500
    assert answer.json()["detail"]["code"] == code
    assert answer.json()["detail"]["message"]


def test_an_option_cannot_name_a_file_of_ours(visitor: Visitor) -> None:
    for edition in EDITIONS:
        for option in games.load(edition).options:
            order = {"edition": edition, "seats": [person()] * 2}
            answer = visitor.post("/api/games", order | {"options": {option.name: "/etc/passwd"}})
            assert answer.status_code == 422
            assert answer.json()["detail"]["code"] == "option"


# ------------------------------------------------------------------------------------------- rights


def test_viewing_is_open_and_changing_games_of_others_needs_the_login(visitor: Visitor) -> None:
    game = visitor.order(A_GAME, *against_chance(A_GAME))["id"]
    stranger = httpx.Client(base_url=visitor.http.base_url, timeout=PATIENCE)
    with stranger:
        assert stranger.get(f"/api/games/{game}").status_code == 200
        for verb in ("pause", "step", "cancel"):
            answer = stranger.post(f"/api/games/{game}/{verb}", json={})
            assert (answer.status_code, answer.json()["detail"]["code"]) == (401, "login-needed")
    assert visitor.post(f"/api/games/{game}/cancel").status_code == 204


def test_a_session_without_the_token_of_the_page_changes_nothing(visitor: Visitor) -> None:
    for headers in ({}, {"x-csrf-token": "guess"}):
        answer = visitor.http.post("/api/games", json={}, headers=headers)
        body = {"edition": A_GAME, "seats": against_chance(A_GAME)}
        answer = visitor.http.post("/api/games", json=body, headers=headers)
        assert (answer.status_code, answer.json()["detail"]["code"]) == (403, "csrf")


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"host": "evil.example"}, "wrong-host"),
        ({"origin": "http://evil.example"}, "wrong-origin"),
        ({"origin": "null"}, "wrong-origin"),
        ({"sec-fetch-site": "cross-site"}, "wrong-origin"),
    ],
)
def test_pages_of_others_cannot_ask_for_anything(
    visitor: Visitor, headers: dict[str, str], code: str
) -> None:
    answer = visitor.http.post("/api/session", json={"password": PASSWORD}, headers=headers)
    assert answer.json()["detail"]["code"] == code


def test_a_body_that_is_too_long_is_refused(visitor: Visitor) -> None:
    answer = visitor.http.post("/api/session", content=b"x" * 200_000)
    assert (answer.status_code, answer.json()["detail"]["code"]) == (413, "too-large")

    def endless() -> Iterator[bytes]:
        for _ in range(50):
            yield b"x" * 10_000

    answer = visitor.http.post("/api/session", content=endless())
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "path", ["/", "/api/catalogue", "/api/none", "/games/x", "/api/games/none"]
)
def test_every_answer_carries_the_headers_that_protect_a_page(visitor: Visitor, path: str) -> None:
    headers = visitor.http.get(path).headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "'unsafe" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_cookie_is_kept_from_scripts_and_other_sites(visitor: Visitor) -> None:
    answer = visitor.http.post("/api/session", json={"password": PASSWORD})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    visitor.csrf = answer.json()["csrf"]


def test_files_outside_the_pages_are_not_served(visitor: Visitor) -> None:
    for path in ("/../arena.py", "/..%2farena.py", "/assets/..%2f..%2fapp.py", "/%00"):
        answer = visitor.http.get(path)
        assert "create_app" not in answer.text


# ------------------------------------------------------------------------------------------- start


@pytest.fixture(scope="module")
def restarted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visitor, First]]:
    """An arena after its first start, visit and restart."""
    folder = tmp_path_factory.mktemp("first")
    with arena(folder, demo=True) as visitor:
        session = visitor.get("/api/session")
        demos = visitor.get("/api/games")["games"]
        visitor.log_in()
        first = First(folder, session, demos, dict(visitor.http.cookies))
    with arena(folder, games=2) as visitor:
        yield visitor, first


@dataclass(frozen=True, slots=True)
class First:
    """What was seen on the first visit."""

    folder: Path
    session: Any
    games: list[Any]
    cookies: dict[str, str]


Restarted = tuple[Visitor, First]


def test_while_nobody_plays_a_demo_is_running(restarted: Restarted) -> None:
    visitor, first = restarted
    (demo,) = first.games
    assert (demo["source"], demo["state"]) == ("demo", "running")
    (again,) = visitor.get("/api/games")["games"]
    assert again["id"] == demo["id"]
    assert again["state"] == "finished"
    assert again["result"]["cancelled"]


def test_the_first_password_is_chosen_once_and_kept_as_a_hash(restarted: Restarted) -> None:
    visitor, first = restarted
    assert not first.session["password_set"]
    assert first.session["may_set_password"]
    answer = visitor.post("/api/first-password", {"password": "another one"})
    assert answer.json()["detail"]["code"] == "password-set"
    text = (first.folder / "access.json").read_text()
    assert PASSWORD not in text
    assert "argon2id" in text


def test_a_session_survives_a_restart_until_it_is_ended(restarted: Restarted) -> None:
    visitor, first = restarted
    visitor.http.cookies.update(first.cookies)
    session = visitor.get("/api/session")
    assert session["organiser"]
    headers = {"x-csrf-token": session["csrf"]}
    assert visitor.http.delete("/api/session", headers=headers).status_code == 204
    visitor.http.cookies.update(first.cookies)
    assert not visitor.get("/api/session")["organiser"]


def test_no_more_games_than_allowed_run_at_the_same_time(restarted: Restarted) -> None:
    visitor, _ = restarted
    visitor.log_in()
    games_ = [visitor.order(A_GAME, *against_chance(A_GAME)) for _ in range(2)]
    body = {"edition": A_GAME, "seats": against_chance(A_GAME)}
    answer = visitor.post("/api/games", body)
    assert (answer.status_code, answer.json()["detail"]["code"]) == (503, "service-full")
    assert visitor.post(f"/api/games/{games_[0]['id']}/cancel").status_code == 204
    assert visitor.post("/api/games", body).status_code == 201


def test_an_arena_whose_games_have_died_closes_and_says_so(tmp_path: Path) -> None:
    with arena(tmp_path) as visitor:
        visitor.opened.service._process.kill()
        deadline = time.monotonic() + PATIENCE
        while visitor.opened.failure is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert "ended" in str(visitor.opened.failure)


@pytest.mark.parametrize("option", ["port", "xml_port", "binary_port"])
def test_a_port_that_is_taken_is_named_with_its_option(tmp_path: Path, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        flag = f"--{option.replace('_', '-')}"
        if option == "binary_port" and not SPOKEN["binary"]:
            return
        with pytest.raises(UsageError, match=flag), arena(tmp_path, **{option: taken}):
            pass
    assert settings(tmp_path).is_local
