"""What visitors may do without a password, and what keeps the arena usable for the others."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, cast

import httpx
import pytest

from spielleiter import games
from spielleiter.match import Ended
from spielleiter.web.cards import has_maps
from spielleiter.web.game_orders import GameOrders, GuestsFull, rotated, seat_after
from spielleiter.web.housekeeping import ABANDONED, LOOKED, Housekeeping
from spielleiter.web.human_players import HumanPlayers
from spielleiter.web.models import GameOrder
from spielleiter.web.network import LocalNetwork
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.service import GamePlan, GameService
from tests.arenas import PATIENCE, Visitor, arena, built_in, external, person

A_GAME = games.names()[0]
NOT_OURS, SECOND = "192.0.2.7", "127.0.0.2"
"""An address that no machine has, and a second one of this machine."""


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("guests")
    with arena(folder, interfaces=lambda: [NOT_OURS, SECOND]) as opened:
        yield opened


def state_of(guest: Visitor, game: str) -> str:
    return str(guest.get(f"/api/games/{game}")["summary"]["state"])


def end(guest: Visitor, made: dict[str, Any]) -> int:
    """Ended by whoever opened it."""
    path, headers = f"/api/games/{made['id']}/cancel", {"x-game-key": made["key"]}
    return guest.http.post(path, json={}, headers=headers).status_code


# ----------------------------------------------------------------------------------------- playing


def test_a_guest_plays_a_built_in_player_and_resigns(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), built_in())
    with guest.seat(made["id"], 0, made["seats"][0]["token"], "de") as seat:
        assert json.loads(seat.recv())["kind"] == "ask"
        seat.send(json.dumps({"kind": "resign"}))
        while (said := json.loads(seat.recv()))["kind"] != "end":
            pass
    result = said["result"]
    assert result["winners"] == [1]
    assert result["faults"][0]["explanation"] == "gab auf"


def until(seat: Any, kind: str) -> dict[str, Any]:
    """What is said of that kind next."""
    while (said := json.loads(seat.recv(PATIENCE)))["kind"] != kind:
        pass
    return cast(dict[str, Any], said)


def move(seat: Any) -> dict[str, Any]:
    """Wait for a request, make the first move there is; what was asked."""
    asked = until(seat, "ask")
    seat.send(json.dumps({"kind": "move", "move": asked["gestures"][0]["move"]}))
    until(seat, "accepted")
    return asked


def test_a_move_against_a_built_in_player_is_taken_back_at_once(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), built_in())
    with guest.seat(made["id"], 0, made["seats"][0]["token"]) as seat:
        first = move(seat)
        until(seat, "ask")
        seat.send(json.dumps({"kind": "take-back"}))
        again = until(seat, "ask")
        assert again["gestures"] == first["gestures"]
        told = guest.get(f"/api/games/{made['id']}")
        note, start = told["turns"][-1], guest.get(f"/api/games/{made['id']}/positions/0")
        assert note["move"] is None
        assert "takes back" in note["note"]
        assert told["position"] == start["position"]
        seat.send(json.dumps({"kind": "take-back"}))
        assert "no move to take back" in until(seat, "refused")["explanation"]
        seat.send(json.dumps({"kind": "move", "move": again["gestures"][-1]["move"]}))
        assert until(seat, "accepted")["turn"] == again["turn"] == 4
    assert end(guest, made) == 204
    record = guest.http.get(f"/api/replays/game/{made['id']}?lang=de").json()
    assert "nimmt zurück" in record["turns"][3]["note"]


def test_a_move_between_people_is_taken_back_if_both_agree(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), person())
    keys = [seat["token"] for seat in made["seats"]]
    with (
        guest.seat(made["id"], 0, keys[0]) as one,
        guest.seat(made["id"], 1, keys[1]) as other,
    ):
        move(one)
        until(other, "ask")
        one.send(json.dumps({"kind": "take-back"}))
        assert until(other, "take-back")["seat"] == 0
        other.send(json.dumps({"kind": "take-back", "agreed": False}))
        assert until(one, "take-back-over")["refused"]
        one.send(json.dumps({"kind": "take-back"}))
        assert until(other, "take-back")["seat"] == 0
        other.send(json.dumps({"kind": "take-back"}))
        assert until(one, "ask")["turn"] == 3
    assert end(guest, made) == 204


def test_a_program_takes_nothing_back(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), external())
    with guest.seat(made["id"], 0, made["seats"][0]["token"]) as seat:
        seat.send(json.dumps({"kind": "take-back"}))
        assert "program" in until(seat, "refused")["explanation"]
    assert end(guest, made) == 204


def test_the_clock_begins_when_everybody_is_there(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), person(), per_move=0.05)
    tokens = [seat["token"] for seat in made["seats"]]
    with guest.seat(made["id"], 0, tokens[0]) as first:
        assert json.loads(first.recv())["kind"] == "wait"
        assert state_of(guest, made["id"]) == "waiting"
        assert guest.get(f"/api/games/{made['id']}")["summary"]["present"] == [True, False]
        with guest.seat(made["id"], 1, tokens[1]) as second:
            assert json.loads(second.recv())["kind"] == "wait"
            assert json.loads(first.recv())["kind"] == "ask"
    guest.watch_to_the_end(made["id"])  # the time of the first one is up


def test_who_opened_a_game_may_end_it_and_strangers_may_not(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), built_in())
    path = f"/api/games/{made['id']}/cancel"
    for headers in ({}, {"x-game-key": "guess"}, {"x-game-key": made["seats"][0]["token"]}):
        assert guest.http.post(path, json={}, headers=headers).status_code == 401
    assert end(guest, made) == 204


def test_nobody_wins_a_game_that_is_ended_before_it_began(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), person())
    with guest.seat(made["id"], 0, made["seats"][0]["token"]) as seat:
        seat.recv()
        assert end(guest, made) == 204
    guest.watch_to_the_end(made["id"])
    result = guest.get(f"/api/games/{made['id']}")["summary"]["result"]
    assert (result["cancelled"], result["winners"]) == (True, [])


def test_a_rematch_changes_seats_and_the_old_keys_fit(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), person())
    tokens = [seat["token"] for seat in made["seats"]]
    path = f"/api/games/{made['id']}/rematch"
    assert guest.post(path, {"seat": 0, "key": tokens[0]}).status_code == 409  # it is not over
    with guest.seat(made["id"], 0, tokens[0]) as first, guest.seat(made["id"], 1, tokens[1]):
        first.send(json.dumps({"kind": "resign"}))
    guest.watch_to_the_end(made["id"])
    assert guest.get(path)["game"] is None
    assert guest.post(path, {"seat": 1, "key": tokens[0]}).status_code == 403
    again = guest.post(path, {"seat": 1, "key": tokens[1]}).json()
    assert guest.post(path, {"seat": 0, "key": tokens[0]}).status_code == 409  # there is one
    found = guest.get(path)
    assert (found["game"], found["seats"]) == (again["id"], [1, 0])
    with guest.seat(again["id"], 0, tokens[1]) as second:
        assert json.loads(second.recv())["kind"] == "wait"
        with guest.seat(again["id"], 1, tokens[0]) as first:
            assert json.loads(first.recv())["kind"] == "wait"
            assert json.loads(second.recv())["kind"] == "ask"
    assert end(guest, again) == 204


def test_a_seat_for_a_program_comes_with_commands_to_start_it(guest: Visitor) -> None:
    for card in guest.get("/api/catalogue")["cards"]:
        made = guest.order(card["edition"], external(), built_in())
        seat = made["seats"][0]
        python, java, _ = (each["text"] for each in seat["commands"])
        assert python.startswith("python bot.py ")
        assert java.startswith("java -jar ")
        for word in (seat["host"], str(seat["port"]), seat["reservation"] or ""):
            assert word in python
            assert word in java
        assert end(guest, made) == 204


def test_names_that_we_gave_are_said_in_the_language_of_the_reader(guest: Visitor) -> None:
    made = guest.order(A_GAME, person(), built_in("best", 2))
    names = guest.get(f"/api/games/{made['id']}", lang="de")["summary"]["names"]
    assert names == ["Mensch", "Computer (Stufe 2)"]
    assert end(guest, made) == 204


# ------------------------------------------------------------------------------------------ bounds


def test_a_guest_has_so_many_games_open_and_no_more(guest: Visitor) -> None:
    made, body = [], {"edition": A_GAME, "seats": [person(), built_in()]}
    while (answer := guest.post("/api/games", body)).status_code == 201:
        made.append(answer.json())
        assert len(made) <= 20
    assert (answer.status_code, answer.json()["detail"]["code"]) == (503, "service-full")
    assert [end(guest, each) for each in made] == [204] * len(made)
    for each in made:
        guest.watch_to_the_end(each["id"])
    last = guest.post("/api/games", body)
    assert last.status_code == 201
    assert end(guest, last.json()) == 204


def order() -> GameOrder:
    return GameOrder.model_validate({"edition": A_GAME, "seats": [person(), external()]})


def test_all_guests_together_leave_room_for_the_organiser() -> None:
    orders = GameOrders(per_visitor=2, in_all=3)
    for number, visitor in enumerate(["a", "a", "b"]):
        orders.admit(visitor)
        orders.add(str(number), order(), visitor)
    with pytest.raises(GuestsFull):
        orders.admit("c")
    orders.add("mine", order(), None)
    assert orders.find("mine") is not None
    over = cast(Any, type("State", (), {"id": "2"})())
    orders.on_event(over, object.__new__(Ended))
    orders.admit("c")
    with pytest.raises(GuestsFull):
        orders.admit("a")


def test_in_a_rematch_everybody_moves_up_one_seat() -> None:
    assert [seat.kind for seat in rotated(order()).seats] == ["external", "person"]
    assert [seat_after(seat, 3) for seat in range(3)] == [2, 0, 1]


# ------------------------------------------------------------------------------- by itself


class FakeService:
    """Hears what is asked of it."""

    def __init__(self) -> None:
        self.opened: list[GamePlan] = []
        self.cancelled: list[str] = []

    async def open(self, plan: GamePlan) -> None:
        """Remember it."""
        self.opened.append(plan)

    async def cancel(self, game: str) -> None:
        """Remember it."""
        self.cancelled.append(game)


class FakeGame:
    """A game in which something happened last at a moment."""

    def __init__(self, name: str, at: float, *, paused: bool = False) -> None:
        self.id, self.at = name, at
        self.events = [self]
        self.match = type("Match", (), {"paused": paused})()

    def wall(self, at: float) -> float:
        """The moment itself."""
        return at


class FakeRecorder:
    """Knows these games."""

    def __init__(self, *states: FakeGame) -> None:
        self.states = states

    def live_games(self) -> tuple[FakeGame, ...]:
        """All of them."""
        return self.states


def keeper(service: FakeService, recorder: FakeRecorder, moment: list[float]) -> Housekeeping:
    return Housekeeping(
        cast(GameRecorder, recorder),
        cast(GameService, service),
        HumanPlayers(),
        demos=[games.load(A_GAME)],
        now=lambda: moment[0],
    )


def test_games_that_everybody_left_are_ended_after_minutes() -> None:
    service, moment = FakeService(), [ABANDONED + 2]
    recorder = FakeRecorder(
        FakeGame("left", 1.0), FakeGame("fresh", 3.0), FakeGame("held", 1.0, paused=True)
    )
    asyncio.run(keeper(service, recorder, moment).tend())
    assert service.cancelled == ["left"]
    assert service.opened == []  # somebody plays


def test_a_game_with_a_person_at_a_seat_is_not_ended() -> None:
    service, moment, people = FakeService(), [ABANDONED + 2], HumanPlayers()
    people.subscribe("left", lambda event: None)
    recorder = cast(GameRecorder, FakeRecorder(FakeGame("left", 1.0)))
    kept = Housekeeping(recorder, cast(GameService, service), people, now=lambda: moment[0])
    asyncio.run(kept.tend())
    assert service.cancelled == []


def test_a_demo_begins_only_while_somebody_looks_and_nobody_plays() -> None:
    service, moment = FakeService(), [0.0]
    kept = keeper(service, FakeRecorder(), moment)
    asyncio.run(kept.tend())
    assert [plan.source for plan in service.opened] == ["demo"]
    moment[0] = LOOKED + 1
    asyncio.run(kept.tend())
    assert len(service.opened) == 1
    kept.looked()
    asyncio.run(kept.tend())
    assert len(service.opened) == 2


# ---------------------------------------------------------------------------------- the first page


def test_there_is_one_card_for_each_game_the_running_season_first(guest: Visitor) -> None:
    for lang in ("en", "de"):
        cards = guest.get("/api/catalogue", lang=lang)["cards"]
        editions = [card["edition"] for card in cards]
        folders = [games.load(edition).folder for edition in editions]
        assert sorted(folders) == sorted({games.load(name).folder for name in games.names()})
        years = [int("".join(filter(str.isdigit, edition)) or 0) for edition in editions]
        assert years == sorted(years, reverse=True)
        assert all(card["scene"]["tokens"] for card in cards)


@pytest.mark.parametrize("edition", games.names())
def test_the_rules_are_told_in_steps_in_both_languages(guest: Visitor, edition: str) -> None:
    english, german = (guest.get(f"/api/guides/{edition}", lang=lang) for lang in ("en", "de"))
    assert len(english["steps"]) == len(german["steps"]) >= 4
    assert not set(english["steps"]) & set(german["steps"])
    assert english["about"] != german["about"]


def test_editions_that_differ_say_so_in_their_rules(guest: Visitor) -> None:
    told: dict[str, set[tuple[str, ...]]] = {}
    for name in games.names():
        steps = tuple(guest.get(f"/api/guides/{name}")["steps"])
        told.setdefault(games.load(name).folder, set()).add(steps)
    editions = Counter(games.load(name).folder for name in games.names())
    assert all(len(told[folder]) > 1 for folder, count in editions.items() if count > 1)


# -------------------------------------------------------------------------------------------- maps

WITH_MAPS = next((name for name in games.names() if has_maps(games.load(name))), None)
MAP = b"3\n0\n0 0\n4 4\n0 0 0 0\n0 1 2 0\n0 2 1 0\n3 0 0 -\n"


@pytest.mark.skipif(WITH_MAPS is None, reason="no game here has maps")
def test_a_map_is_shown_before_it_is_played_and_test_maps_stand_apart(guest: Visitor) -> None:
    catalogue = guest.http.get("/api/catalogue?lang=de").json()
    editions = {each["name"]: each for each in catalogue["editions"]}
    (option,) = editions[WITH_MAPS]["options"]
    assert set(option["tests"]) < set(option["choices"])
    assert "Spieler" in option["names"][option["default"]]
    path = f"/api/starts/{WITH_MAPS}?lang=de&map={option['choices'][0]}"
    shown = guest.http.get(path).json()
    assert shown["seats"] == editions[WITH_MAPS]["seats"][option["choices"][0]]
    refused = guest.http.get(f"/api/starts/{WITH_MAPS}?map=/etc/hostname")
    assert refused.status_code == 422


@pytest.mark.skipif(WITH_MAPS is None, reason="no game here has maps")
def test_a_guest_plays_on_a_map_of_their_own(guest: Visitor) -> None:
    path = f"/api/starts/{WITH_MAPS}"
    start = guest.http.post(path, content=MAP).json()
    assert start["seats"] == 3
    position = start["position"]
    made = guest.order(str(WITH_MAPS), person(), built_in(), built_in(), position=position)
    assert guest.get(f"/api/games/{made['id']}")["position"] == position
    assert end(guest, made) == 204
    wrong = guest.http.post(path, content=MAP.replace(b"-", b"9"))
    assert (wrong.status_code, wrong.json()["detail"]["code"]) == (422, "no-map")
    assert "line 8" in wrong.json()["detail"]["message"]
    assert guest.http.post(path, content=b"0 " * 20_000).status_code == 413


def test_the_network_is_let_in_by_one_switch_through_an_address_that_works(guest: Visitor) -> None:
    there = f"http://{SECOND}:{guest.opened.port}"
    assert guest.get("/api/network") == {"address": None, "may_open": True}
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{there}/api/session", timeout=PATIENCE)
    assert guest.post("/api/network").json()["address"] == there
    assert guest.post("/api/network").json()["address"] == there  # it stays open
    assert httpx.get(f"{there}/api/session", timeout=PATIENCE).status_code == 200
    assert guest.get("/api/network")["address"] == there


def test_an_address_that_nobody_answers_at_is_not_offered() -> None:
    async def listen(address: str) -> None:
        """Begin to listen nowhere."""

    async def opened() -> str | None:
        with socket.create_server((SECOND, 0)) as silent:
            port = silent.getsockname()[1]
        return await LocalNetwork(port, listen, addresses=lambda: [SECOND]).open()

    assert asyncio.run(opened()) is None


def test_every_season_has_a_port_that_the_page_names(guest: Visitor) -> None:
    ports_shown = {
        each["edition"]: each["port"] for each in guest.get("/api/catalogue")["client_ports"]
    }
    ports = guest.opened.service.ports
    assert ports_shown == dict((*ports.seasons, *ports.binary))


def test_a_client_that_names_no_game_plays_that_of_its_port(guest: Visitor) -> None:
    for edition, port in guest.opened.service.ports.seasons:
        leave_at_once("127.0.0.1", port)
        game = the_game_of_strangers(guest, edition)
        guest.watch_to_the_end(game)
        summary = guest.get(f"/api/games/{game}", lang="de")["summary"]
        result, plural = summary["result"], games.load(edition).seats_are_plural
        wins = "gewinnen" if plural and summary["names"] == summary["seat_names"] else "gewinnt"
        assert result["headline"].endswith(wins)
        assert result["reason"].endswith("verließen das Spiel" if plural else "verließ das Spiel")


def leave_at_once(host: str, port: int) -> None:
    """Two clients join without naming a game, and one leaves."""
    with ExitStack() as stack:
        clients = [stack.enter_context(socket.create_connection((host, port))) for _ in range(2)]
        for client in clients:
            client.settimeout(PATIENCE)
            client.sendall(b"<protocol><join/>")
        for client in clients:
            read_until(client, b"welcomeMessage")
        clients[0].sendall(b"</protocol>")
        read_until(clients[1], b'"result"')


def the_game_of_strangers(guest: Visitor, edition: str) -> str:
    """The one game of an edition that nobody ordered, as soon as it is recorded."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = guest.get("/api/games", edition=edition, limit=200)["games"]
        for game in found:
            if game["source"] == "server":
                return str(game["id"])
    raise AssertionError(f"no game of {edition}: {found}")


def read_until(client: socket.socket, wanted: bytes) -> None:
    got = b""
    while wanted not in got:
        got += (chunk := client.recv(65536))
        assert chunk, got


def test_a_stranger_sends_a_replay_without_a_password(guest: Visitor) -> None:
    answer = httpx.post(
        f"{guest.http.base_url}/api/replays", content=b"no replay", timeout=PATIENCE
    )
    assert answer.json()["detail"]["code"] == "no-replay"
