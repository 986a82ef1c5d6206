"""The course's server on real sockets: whole games, nonsense in the middle, crowds at the door."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import random
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spielleiter.errors import PeerError, UsageError
from spielleiter.games.reversi import Position, maps, wire
from spielleiter.games.reversi.commands._match_writer import reason
from spielleiter.games.reversi.tests.stage import (
    PATIENCE,
    UNHURRIED,
    Playing,
    Reaction,
    Scripted,
    board,
    connect,
    first_move,
    hosted,
    judged,
)
from spielleiter.match import Accounts, Kind, Match, Played, TurnBegan, Violated
from spielleiter.protocol.binary import (
    HUMAN,
    Disqualified,
    EndOfGame,
    EndOfPhase1,
    Group,
    Map,
    Moved,
    MoveRequest,
    Player,
    encode,
)
from spielleiter.server import Timekeeper, event_loop
from spielleiter.server.binary import (
    BinarySettings,
    Board,
    ClientRefused,
    GaveUp,
    Host,
    Listening,
    Notice,
)
from spielleiter.store.event_json import from_json, to_json

FACTS = Path(__file__).parent.parent / "facts"


# -------------------------------------------------------------------------------------- whole games


def replays() -> list[dict[str, Any]]:
    with gzip.open(FACTS / "replays.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_games_of_the_real_server_come_out_the_same_over_ours() -> None:
    for replay in replays():
        with hosted(Board(replay["map_file"], replay["map"].encode(), wire)) as server:
            clients = [
                Scripted(server.port, seat, _recorded(replay, seat + 1))
                for seat in range(server.host.seats)
            ]
            heard = [client.wait() for client in clients]
        assert list(server.ended[0].outcome.scores) == replay["scores"]
        for seat, messages in enumerate(heard):
            assert messages[:2] == [Map(replay["map"].encode()), Player(seat + 1)]
            assert messages[-2:] == [EndOfPhase1(), EndOfGame()]
            assert messages.count(MoveRequest(0, 1)) == clients[seat].asked


def _recorded(replay: dict[str, Any], player: int) -> Callable[[Any, int, socket.socket], Any]:
    moves = [ply["move"] for ply in replay["plies"] if ply["player"] == player]
    return lambda position, asked, sock: position.move("{},{}".format(*moves[asked]))


PLAYABLE = [name for name in maps.names() if board(name).start().outcome() is None]
SOME = {*PLAYABLE[::4], *(name for name in PLAYABLE if not re.search(r"\d\dx\d\d", name))}
"""Every number of players, small and large, and what is named for something odd in its course."""


@pytest.mark.parametrize(
    "name",
    [each if each in SOME else pytest.param(each, marks=pytest.mark.deep) for each in PLAYABLE],
)
def test_a_game_on_every_map_ends_as_the_rules_say(name: str) -> None:
    with hosted(name, limit=UNHURRIED) as server:
        players = [Playing(server.port, group=seat, seed=seat) for seat in range(server.host.seats)]
        reports = [player.wait() for player in players]
    (events,) = server.events.values()
    outcome = judged(events)
    assert server.ended[0].outcome == outcome
    assert [report.outcome for report in reports] == [outcome] * len(reports)
    assert sum(report.moves for report in reports) == sum(isinstance(e, Played) for e in events)


def test_events_tell_the_whole_match_again() -> None:
    with hosted("p3_06x06_cramped", limit=UNHURRIED) as server:
        players = [Playing(server.port, seed=seat) for seat in range(3)]
        for player in players:
            player.wait()
    (events,) = server.events.values()
    told = [from_json(json.loads(json.dumps(to_json(event)))) for event in events]
    match = Match.restored(told, lambda text: board("p3_06x06_cramped").start())
    assert match.ended == server.ended[0]
    assert match.position.outcome() == server.ended[0].outcome


# ------------------------------------------------------------------------- nonsense in mid-game


def _occupied(position: Position) -> bytes:
    rows = position.text().split(" ")[0].split("/")
    cell = next((x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in "123")
    return _move(*cell)


def _takes_nothing(position: Position) -> bytes:
    rows = position.text().split(" ")[0].split("/")
    legal = {wire.write_move(position, move) for move in position.legal_moves()}
    return next(
        _move(x, y)
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark == "0" and all((move.x, move.y) != (x, y) for move in legal)
    )


def _good_move_with_choice(position: Position) -> bytes:
    move = wire.write_move(position, position.legal_moves()[0])
    return _move(move.x, move.y, 1)


def _move(x: int, y: int, choice: int = 0) -> bytes:
    return struct.pack(">BIHHB", 5, 5, x, y, choice)


def _frame(kind: int, payload: bytes, length: int | None = None) -> bytes:
    return struct.pack(">BI", kind, len(payload) if length is None else length) + payload


def _reset(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


ILLEGAL: dict[str, Callable[[Any], bytes]] = {
    "an occupied cell": _occupied,
    "a cell that takes nothing": _takes_nothing,
    "a cell far off the board": lambda position: _move(100, 200),
    "negative coordinates": lambda position: _move(65535, 65535),
    "a choice where there is none": _good_move_with_choice,
}
OTHER_MESSAGES = {
    "its group again": _frame(1, b"\3"),
    "a map": _frame(2, b"2\n0\n0 0\n1 3\n0 1 2\n"),
    "the header of a huge map": _frame(2, b"", 1 << 20),
    "a player number": _frame(3, b"\1"),
    "a request": _frame(4, bytes(5)),
    "a move of somebody": _frame(6, bytes(6)),
    "a disqualification": _frame(7, b"\1"),
    "the end of the phase": _frame(8, b""),
    "the end of the game": _frame(9, b""),
}
NO_MESSAGES = {
    "type 0": _frame(0, b""),
    "type 10": _frame(10, b""),
    "type 255": _frame(255, b"hello"),
    "a move too short": _frame(5, bytes(4)),
    "a move too long": _frame(5, bytes(6)),
    "a length beyond all bounds": _frame(5, bytes(5), 0x7FFF_FFFF),
    "a negative length": _frame(5, bytes(5), 0xFFFF_FFFF),
    "a huge map": _frame(2, b"", (1 << 20) + 1),
    "a web request": b"GET / HTTP/1.0\r\n\r\n",
    "a flood": b"\xff" * 2_000_000,
}
FAREWELLS: dict[str, Callable[[socket.socket], None]] = {
    "it closes": socket.socket.close,
    "it resets": _reset,
    "it stops sending": lambda sock: sock.shutdown(socket.SHUT_WR),
}
WRONG: list[tuple[str, Callable[[Any, socket.socket], Any], str]] = [
    *((n, lambda p, s, f=f: f(p), "invalid move") for n, f in ILLEGAL.items()),
    *((n, lambda p, s, d=d: d, "invalid message") for n, d in OTHER_MESSAGES.items()),
    *((n, lambda p, s, d=d: d, "receive failed") for n, d in NO_MESSAGES.items()),
    *((n, lambda p, s, f=f: f(s), "receive failed") for n, f in FAREWELLS.items()),
]


@pytest.mark.parametrize(("wrong", "why"), [each[1:] for each in WRONG], ids=[n for n, *_ in WRONG])
def test_who_talks_nonsense_is_out_and_the_others_play_on(
    wrong: Callable[[Any, socket.socket], Any], why: str
) -> None:
    def misbehaves(position: Position, asked: int, sock: socket.socket) -> Reaction:
        return wrong(position, sock) if asked == 2 else position.legal_moves()[0]

    with hosted("p3_06x06_cramped", limit=UNHURRIED) as server:
        first = Scripted(server.port, 11, first_move)
        offender = Scripted(server.port, 12, misbehaves)
        last = Scripted(server.port, 13, first_move)
        heard = [first.wait(), offender.wait(), last.wait()]
    (events,) = server.events.values()
    (violated,) = [event for event in events if isinstance(event, Violated)]
    assert violated.seat == 1
    assert reason(violated.fault, 0).startswith(why)
    assert server.ended[0].outcome == judged(events)
    assert server.ended[0].outcome.ranks[1] == 3
    assert server.ended[0].outcome.scores[1] == 0
    for messages in (heard[0], heard[2]):
        assert messages.count(Disqualified(2)) == 1
        assert messages[-2:] == [EndOfPhase1(), EndOfGame()]
    assert EndOfGame() not in heard[1]


@pytest.mark.parametrize("name", [n for n, _, why in WRONG if why != "receive failed"])
def test_an_offender_is_told_that_it_is_out(name: str) -> None:
    wrong = next(act for n, act, _ in WRONG if n == name)
    with hosted("p2_06x06_classic", limit=UNHURRIED) as server:
        offender = Scripted(server.port, 1, lambda position, asked, sock: wrong(position, sock))
        other = Scripted(server.port, 2, first_move)
        assert offender.wait()[-1] == Disqualified(1)
        assert other.wait()[-2:] == [Disqualified(1), EndOfGame()]


def test_who_does_not_answer_in_time_is_out() -> None:
    silence = threading.Event()

    def sleeps(position: Position, asked: int, sock: socket.socket) -> Reaction:
        silence.wait(PATIENCE)
        return position.legal_moves()[0]

    with hosted("p3_06x06_cramped", limit=0.2) as server:
        asleep = Scripted(server.port, 1, sleeps)
        others = [Playing(server.port, group=HUMAN) for _ in range(2)]  # they are not timed
        reports = [player.wait() for player in others]
        silence.set()
        assert asleep.wait()[-1] == Disqualified(1)
    (events,) = server.events.values()
    (violated,) = [event for event in events if isinstance(event, Violated)]
    assert violated.fault.kind is Kind.SILENT
    assert violated.receipt is not None
    assert 0.3 <= violated.receipt.spent < PATIENCE
    assert server.ended[0].outcome == judged(events) == reports[0].outcome


def test_an_answer_a_little_late_is_too_late() -> None:
    def hesitates(position: Position, asked: int, sock: socket.socket) -> Reaction:
        threading.Event().wait(0.23)
        return position.legal_moves()[0]

    with hosted("p2_06x06_classic", limit=0.2) as server:
        slow = Scripted(server.port, 1, hesitates)
        other = Scripted(server.port, 2, first_move)
        assert slow.wait()[-1] == Disqualified(1)
        assert other.wait()[-2:] == [Disqualified(1), EndOfGame()]
    fault = server.ended[0].faults[0]
    assert fault is not None
    assert reason(fault, 0) == "timeout during move"


def test_with_a_clock_per_move_nothing_is_saved_up() -> None:
    with hosted("p2_04x04_classic", limit=60.0, per_move=True) as server:
        first = Scripted(server.port, 1, first_move)
        second = Scripted(server.port, 2, first_move)
        requests = [each for each in first.wait() if isinstance(each, MoveRequest)]
        second.wait()
    assert len(requests) > 2
    assert set(requests) == {MoveRequest(60_000, 1)}


def test_with_a_clock_per_move_silence_is_punished_at_the_limit() -> None:
    silence = threading.Event()

    def sleeps(position: Position, asked: int, sock: socket.socket) -> Reaction:
        if asked == 2:
            silence.wait(PATIENCE)
        return position.legal_moves()[0]

    with hosted("p2_06x06_classic", limit=0.3, per_move=True) as server:
        asleep = Scripted(server.port, 1, sleeps)
        awake = Scripted(server.port, HUMAN, first_move)
        assert awake.wait()[-2:] == [Disqualified(1), EndOfGame()]
        silence.set()
        asleep.wait()
    (events,) = server.events.values()
    (violated,) = [event for event in events if isinstance(event, Violated)]
    assert violated.fault.kind is Kind.SILENT
    assert violated.receipt is not None
    assert 0.3 <= violated.receipt.spent < PATIENCE


def test_who_closes_right_after_its_move_is_out_but_the_move_counts() -> None:
    def leaves(position: Position, asked: int, sock: socket.socket) -> Reaction:
        move = wire.write_move(position, position.legal_moves()[0])
        sock.sendall(_move(move.x, move.y))
        if asked == 1:
            sock.close()
        return None

    with hosted("p3_06x06_cramped", limit=UNHURRIED) as server:
        clients = [Scripted(server.port, seat, first_move) for seat in range(2)]
        gone = Scripted(server.port, 3, leaves)
        heard = [client.wait() for client in clients]
        gone.wait()
    (events,) = server.events.values()
    (violated,) = [event for event in events if isinstance(event, Violated)]
    assert (violated.seat, violated.fault.kind) == (2, Kind.LEFT)
    assert sum(isinstance(event, Played) and event.seat == 2 for event in events) == 2
    assert server.ended[0].outcome == judged(events)
    told = [[m for m in messages if isinstance(m, Moved | Disqualified)] for messages in heard]
    assert told[0] == told[1]
    assert told[0].count(Disqualified(3)) == 1


def test_half_a_move_is_no_move() -> None:
    with hosted("p2_06x06_classic", limit=0.2) as server:
        slow = Scripted(server.port, 1, lambda position, asked, sock: _move(3, 1)[:8])
        other = Scripted(server.port, 2, first_move)
        assert slow.wait()[-1] == Disqualified(1)
        assert other.wait()[-1] == EndOfGame()
    assert server.ended[0].faults[0] is not None
    assert server.ended[0].faults[0].kind is Kind.SILENT


def test_people_have_all_the_time() -> None:
    def ponders(position: Position, asked: int, sock: socket.socket) -> Reaction:
        if asked == 0:
            threading.Event().wait(0.5)
        return position.legal_moves()[0]

    with hosted("p2_04x04_classic", limit=0.2) as server:
        human = Scripted(server.port, HUMAN, ponders)
        other = Scripted(server.port, HUMAN, first_move)
        assert MoveRequest(200, 1) in human.wait()
        other.wait()
    assert server.ended[0].regular


def test_accounts_grow_by_the_limit_and_shrink_by_what_is_used() -> None:
    with hosted("p2_06x06_classic", limit=1.5) as server:
        clients = [Scripted(server.port, seat, first_move) for seat in range(2)]
        for client in clients:
            client.wait()
    (events,) = server.events.values()
    clock = Accounts(1.5, (0.0, 0.0))
    for event in events:
        if isinstance(event, TurnBegan):
            clock = clock.asked(event.seat)
            assert event.allowed == clock.balances[event.seat]
        elif isinstance(event, Played):
            clock = clock.charged(event.seat, event.spent)


# --------------------------------------------------------------------------------- before the game


BEFORE: dict[str, Callable[[socket.socket], None]] = {
    "it moves first": lambda sock: sock.sendall(_move(1, 1)),
    "its group has two bytes": lambda sock: sock.sendall(_frame(1, b"\1\7")),
    "there is no such group": lambda sock: sock.sendall(encode(Group(100))),
    "it speaks another language": lambda sock: sock.sendall(b"<protocol><join/>"),
    "it closes": socket.socket.close,
    "it resets": _reset,
}


@pytest.mark.parametrize("name", BEFORE)
def test_who_misbehaves_before_the_game_is_refused_alone(name: str) -> None:
    with hosted("p2_06x06_classic") as server:
        good = Scripted(server.port, 1, first_move)
        bad = connect(server.port)
        BEFORE[name](bad)
        _until(lambda: any(isinstance(notice, ClientRefused) for notice in server.notices))
        late = Scripted(server.port, 2, first_move)
        assert good.wait()[1] == Player(1)
        assert late.wait()[1] == Player(2)
        if bad.fileno() >= 0:
            assert bad.recv(100) == b""
            bad.close()
    assert server.ended[0].regular


def test_who_leaves_before_the_game_leaves_its_seat() -> None:
    with hosted("p2_06x06_classic") as server:
        connect(server.port, 7).close()
        _until(lambda: any(isinstance(notice, ClientRefused) for notice in server.notices))
        clients = [Scripted(server.port, group, first_move) for group in (1, 2)]
        assert clients[0].wait()[1] == Player(1)
        clients[1].wait()
    assert server.events["1"][0].names == ("1", "2")  # type: ignore[union-attr]


def test_who_says_nothing_holds_up_nobody() -> None:
    with hosted("p2_06x06_classic") as server:
        silent = connect(server.port)
        clients = [Scripted(server.port, group, first_move) for group in (1, 2)]
        for client in clients:
            client.wait()
        assert silent.recv(100) == b""
        silent.close()


def test_seats_are_given_in_the_order_of_connecting() -> None:
    with hosted("p2_06x06_classic") as server:
        sockets = [connect(server.port) for _ in range(2)]
        for group, sock in zip((8, 3), reversed(sockets), strict=True):
            sock.sendall(encode(Group(group)))
        first = [sock.recv(5)[0] for sock in sockets]
        assert first == [2, 2]
        for sock in sockets:
            sock.close()
    assert server.events["1"][0].names == ("3", "8")  # type: ignore[union-attr]


def test_a_client_too_many_is_refused() -> None:
    with hosted("p2_06x06_classic") as server:
        sockets = [connect(server.port, group) for group in (1, 2)]
        sockets[0].recv(1)
        with pytest.raises(ConnectionRefusedError):
            connect(server.port)
        for sock in sockets:
            sock.close()


def test_a_game_without_players_is_given_up() -> None:
    notices: list[Notice] = []
    clients: list[socket.socket] = []

    def notify(notice: Notice) -> None:
        notices.append(notice)
        if isinstance(notice, Listening):  # the patience begins after that
            clients.append(connect(notice.port, 1))

    async def wait_in_vain() -> None:
        host = Host(board("p2_06x06_classic"), BinarySettings(port=0, give_up=0.05), notify=notify)
        await host.start()
        await host.finished()
        assert host.gave_up

    with contextlib.closing(event_loop(Timekeeper())) as loop:
        loop.run_until_complete(wait_in_vain())
    assert GaveUp(0.05) in notices
    with clients[0] as client:
        assert client.recv(1) == b""


def test_a_taken_port_is_passed_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        if port == 65535:
            pytest.skip("there is no next port")
        with hosted("p2_06x06_classic", port=port, give_up=0.01) as server:
            assert port < server.port


@pytest.mark.parametrize("address", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_refused(address: str) -> None:
    host = Host(board("p2_06x06_classic"), BinarySettings(host=address, port=7777))
    with pytest.raises(UsageError, match="cannot listen on"):
        asyncio.run(host.start())


# ---------------------------------------------------------------------------------------- crowds


def test_many_games_are_played_at_the_same_time() -> None:
    games, seats = 12, 3
    with hosted("p3_06x06_cramped", games=games, limit=UNHURRIED) as server:
        players = [Playing(server.port, seed=seed, group=seed) for seed in range(games * seats)]
        reports = [player.wait() for player in players]
    assert len(server.ended) == games
    assert all(ended.regular for ended in server.ended)
    assert not any(report.troubles for report in reports)
    assert max(server.events, key=int) == str(games)


def test_a_queue_waits_when_enough_games_run() -> None:
    with hosted("p2_04x04_classic", games=3, running=1) as server:
        players = [Playing(server.port, seed=seed) for seed in range(6)]
        for player in players:
            player.wait()
    ends = [(events[0].at, events[-1].at) for events in server.events.values()]
    assert all(before[1] <= after[0] for before, after in pairwise(ends))


def test_one_who_floods_costs_nobody_else_anything() -> None:
    stop = threading.Event()

    def floods(sock: socket.socket) -> None:
        while not stop.is_set():
            try:
                sock.sendall(_move(0, 0) * 1000)
            except OSError:
                return

    with hosted("p3_06x06_cramped", limit=UNHURRIED) as server:
        flooder = connect(server.port, 9)
        flooder.settimeout(0.2)
        thread = threading.Thread(target=floods, args=(flooder,), daemon=True)
        thread.start()
        players = [Playing(server.port, seed=seed) for seed in range(2)]
        reports = [player.wait() for player in players]
        stop.set()
        thread.join(PATIENCE)
        flooder.close()
    assert not any(report.disqualified for report in reports)
    assert server.ended[0].faults[0] is not None


def test_a_stopped_server_lets_everybody_go() -> None:
    with hosted("p2_06x06_classic") as server:
        hanging = [connect(server.port, group) for group in (1, 2)]
        hanging[0].recv(1)
        server.stop()
        for sock in hanging:
            while sock.recv(4096):
                pass
            sock.close()


@pytest.mark.parametrize("seed", range(4))
def test_chance_in_all_seats_never_breaks_a_game(seed: int) -> None:
    lots = random.Random(seed)

    def wild(position: Position, asked: int, sock: socket.socket) -> Reaction:
        if lots.random() < 0.1:
            return lots.choice([*OTHER_MESSAGES.values(), *NO_MESSAGES.values()])
        moves = position.legal_moves()
        return moves[lots.randrange(len(moves))]

    with hosted("p4_08x08_tight", limit=UNHURRIED) as server:
        clients = [Scripted(server.port, seat, wild) for seat in range(4)]
        for client in clients:
            client.wait()
    (events,) = server.events.values()
    assert server.ended[0].outcome == judged(events)


def _until(true: Callable[[], bool]) -> None:
    """Wait for another thread, not for luck: this ends as soon as it is so, or fails."""
    late = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < late, "it never came true"
        threading.Event().wait(0.005)


@pytest.mark.parametrize("seed", range(5))
def test_who_comes_as_the_port_closes_is_not_left_waiting(seed: int) -> None:
    """Some get a seat, all the others an end: refused, reset or the end of the stream."""
    played: list[bool] = []

    def comes(port: int) -> None:
        try:
            played.append(not Playing(port).wait().disqualified)
        except (OSError, PeerError):
            played.append(False)

    with hosted("p2_04x04_classic", games=3) as server:
        crowd = [threading.Thread(target=comes, args=(server.port,)) for _ in range(40)]
        for client in crowd:
            client.start()
        server.wait()
        for client in crowd:
            client.join(2 * PATIENCE)
    assert played.count(True) == 6
    assert len(played) == 40
