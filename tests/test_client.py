"""The client against real servers, recorded servers and broken ones."""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import spielleiter
from spielleiter import Bot, Clock, bots, run
from spielleiter.cli import admin as admin_command
from spielleiter.cli import doctor as doctor_command
from spielleiter.cli import join as join_command
from spielleiter.client import (
    Administrator,
    BotFailed,
    GameReport,
    LostConnection,
    Refused,
    Session,
    incoming,
    join,
    play,
    seasons,
)
from spielleiter.client.doctor import examine
from spielleiter.client.finding import Finding, Severity
from spielleiter.client.player import outcome_of
from spielleiter.client.proxy import Inspector, relay
from spielleiter.client.seasons import Season
from spielleiter.draw import terminal
from spielleiter.errors import Malformed
from spielleiter.protocol import conversation
from spielleiter.protocol.lobby import (
    Join,
    Joined,
    Left,
    Memento,
    Message,
    MoveRequest,
    Result,
    Welcome,
)
from spielleiter.protocol.wire import Cause, End
from spielleiter.protocol.xml import Connection, Side
from spielleiter.server import Server
from tests.conftest import in_turns
from tests.serving import HOST, PASSWORD, PATIENCE, deaf, saying, scripted, serving

SEASONS = [
    *seasons.seasons("document", "document"),
    *seasons.seasons("server", "real"),
]
TALKS = sorted((Path(spielleiter.__file__).parent / "games").glob("*/facts/talks/*/*.txt.gz"))

pytestmark = pytest.mark.skipif(not SEASONS, reason="no game installed speaks XML")
each_season = pytest.mark.parametrize(
    "season",
    in_turns(SEASONS, lambda season: season.game.name),
    ids=lambda season: f"{season.game.name}/{season.game.authority}",
)


@cache
def brief() -> Season:
    """The one whose states are shortest: for tests of what is the same in all seasons."""
    return min(SEASONS, key=lambda season: len(season.wire.state(season.game.start(1))))


class Broken(Bot):
    """Fails as it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(self, position: Any, clock: Clock) -> Any:
        if isinstance(self.answer, Exception):
            raise type(self.answer)(*self.answer.args)  # one of its own, it keeps its frames
        return self.answer


class Recorder(Bot):
    """Plays at random and remembers what it was told."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.allowed: list[float] = []
        self.player = bots.load("random", seed=1)

    def begin(self, position: Any, seat: int) -> None:
        self.heard.append(f"begin {seat} at {position.ply}")

    def choose(self, position: Any, clock: Clock) -> Any:
        assert clock.per_move is not None
        self.heard.append("choose")
        self.allowed.append(clock.per_move)
        return self.player.choose(position, clock).text()

    def end(self, position: Any, outcome: Any) -> None:
        self.heard.append(f"end {outcome.winner}")


def both(port: int, *options: dict[str, Any]) -> list[GameReport]:
    """Two random players on one server; their reports in seat order."""
    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(join, bots.load("random", seed=seed), HOST, port, **given)
            for seed, given in enumerate(options or ({}, {}))
        ]
        return sorted((job.result(60) for job in jobs), key=lambda report: report.seat)


# ------------------------------------------------------------------------------------- real servers


@each_season
def test_two_players_play_a_whole_game_on_our_server(season: Season) -> None:
    with serving([season.game]) as server:
        authority = {"authority": season.game.authority}
        first, second = both(server.port, authority, authority)
    assert (first.seat, second.seat) == (0, 1)
    assert first.season == second.season
    assert first.season.wire.game_type == season.wire.game_type
    assert first.result == second.result
    assert first.position == second.position
    assert first.position is not None
    outcome = season.game.parse(first.position.text()).outcome()
    assert outcome is not None
    assert (first.outcome.ranks, first.outcome.scores) == (outcome.ranks, outcome.scores)
    assert first.moves > 5


def test_a_port_of_several_games_seats_everybody_at_the_game_they_asked_for() -> None:
    offered = {season.wire.game_type: season for season in SEASONS}
    with serving([season.game for season in offered.values()]) as server:
        for game_type in offered:
            first, second = both(server.port, {"game": game_type}, {"game": game_type})
            assert first.season.wire.game_type == second.season.wire.game_type == game_type


@each_season
def test_an_administrator_prepares_and_watches_a_game(season: Season) -> None:
    with (
        serving([season.game]) as server,
        Administrator.open(HOST, server.port, PASSWORD, game=season.game.name) as admin,
    ):
        room = admin.prepare(("Alice", "Bob"))
        sights = admin.observe(room.room or "")
        codes = [{"reservation": code, "game": season.game.name} for code in room.reservations]
        with ThreadPoolExecutor(1) as pool:
            played = pool.submit(both, server.port, *codes)
            seen = list(sights)
            reports = played.result(60)
    assert isinstance(seen[-1].message, Left)
    assert [type(sight.message) for sight in seen[-2:-1]] == [Result]
    states = [sight for sight in seen if isinstance(sight.message, Memento)]
    plies = [sight.position.ply for sight in states if sight.position is not None]
    assert plies == sorted(plies)
    assert states[-1].position == reports[0].position
    silent = 2 if season.wire.dialect.to_the_letter else 1  # the document shows none in round one
    first = [ply for ply in plies if ply < plies[0] + silent]
    assert [sight.last is None for sight in states].count(True) == len(first)
    assert seen[-2].message == reports[0].result


@each_season
def test_an_administrator_holds_steps_and_cancels(season: Season) -> None:
    with (
        serving([season.game]) as server,
        Administrator.open(HOST, server.port, PASSWORD, game=season.game.name) as admin,
    ):
        room = admin.prepare(pause=True)
        sights = admin.observe(room.room or "")
        moved = threading.Event()
        with ThreadPoolExecutor(2) as pool:
            for code in room.reservations:
                pool.submit(_play_until_cancelled, server.port, code, moved)
            _wait_until(lambda: _all_seated(server))
            admin.step(room.room or "")
            assert moved.wait(PATIENCE)
            admin.cancel(room.room or "")
            seen = [type(sight.message) for sight in sights]
    assert seen[-1] is Left
    assert Memento in seen


def _all_seated(server: Server) -> bool:
    rooms = list(server.lobby.rooms.values())
    return bool(rooms) and all(room.match.began for room in rooms)


def _play_until_cancelled(port: int, code: str, moved: threading.Event) -> None:
    class Noticed(Bot):
        def choose(self, position: Any, clock: Clock) -> Any:
            moved.set()
            return position.legal_moves()[0]

    try:
        join(Noticed(), HOST, port, reservation=code)
    except (LostConnection, Refused):
        return


def test_a_room_is_joined_by_its_id() -> None:
    season = seasons.named(brief().wire.game_type)
    newest = [each for each in SEASONS if "joinRoom" in each.wire.dialect.also_requests]
    season = newest[0]
    with (
        serving([season.game]) as server,
        Administrator.open(HOST, server.port, PASSWORD, game=season.game.name) as admin,
    ):
        room = admin.prepare(reserved=False).room
        first, second = both(server.port, {"room": room}, {"room": room})
        assert first.result == second.result
        with pytest.raises(Refused, match="room"):
            join(bots.load("random"), HOST, server.port, room="nowhere")


def test_a_connection_can_be_used_for_a_second_game() -> None:
    season = next(each for each in SEASONS if not each.wire.dialect.closes_after_game)
    entrance = Join(season.wire.game_type)

    def twice(seed: int) -> list[GameReport]:
        with Session.open(HOST, server.port) as session:
            return [play(bots.load("random", seed=seed), session, entrance) for _ in range(2)]

    with serving([season.game]) as server, ThreadPoolExecutor(2) as pool:
        games = [job.result(60) for job in [pool.submit(twice, seed) for seed in (1, 2)]]
    assert [len(reports) for reports in games] == [2, 2]
    assert games[0][0].position != games[0][1].position


def test_a_wrong_password_or_code_is_told_as_such() -> None:
    game = seasons.seasons()[-1].game
    with serving([game]) as server:
        admin = Administrator.open(HOST, server.port, "wrong", game=game.name)
        with admin, pytest.raises(Refused):
            admin.prepare()
        with pytest.raises(Refused):
            join(bots.load("random"), HOST, server.port, reservation="nope")


# --------------------------------------------------------------------------------- recorded servers


def recorded_players() -> Iterator[Any]:
    """What official servers said to players that saw one game to its end.

    Those of one game hear the same but for their colour: `make test` takes them by turns, and of
    each season one game that was played to its end; the others only repeat it.
    """
    whole: set[str] = set()
    for number, path in enumerate(TALKS):
        streams = conversation.streams(
            conversation.read(gzip.decompress(path.read_bytes())), by_client=False
        )
        talk = f"{path.parent.name}/{path.name.split('.')[0]}"
        for at, name in enumerate(filter(lambda each: _plays_once(streams[each]), streams)):
            is_whole, season = len(streams[name]) > LONG, path.parent.name
            is_taken = at % 2 == number % 2 and not (is_whole and season in whole)
            marks = () if is_taken else (pytest.mark.deep,)
            yield pytest.param(streams[name], id=f"{talk} {name}", marks=marks)
            whole |= {season} if is_whole and is_taken else set()


LONG = 100_000
"""Bytes of a whole game; most recordings are of a few moves."""


def _plays_once(data: bytes) -> bool:
    once = data.count(b'<data class="result">') == 1 and b'class="memento"' in data
    return once and b"welcomeMessage" in data


@pytest.mark.parametrize("data", list(recorded_players()))
def test_the_client_understands_every_recorded_server(data: bytes) -> None:
    messages = Connection(Side.CLIENT).receive(data)
    (result,) = (message for message in messages if isinstance(message, Result))
    if not any(season.wire.recognises(_first_state(messages)) for season in seasons.seasons()):
        pytest.skip("the game is not installed")
    with scripted(saying(data)) as port, Session.open(HOST, port) as session:
        report = play(bots.load("random", seed=1), session, Join())
    assert report.result == result
    assert report.outcome == outcome_of(result)


def _first_state(messages: list[Message]) -> Any:
    return next(message.state for message in messages if isinstance(message, Memento))


# ----------------------------------------------------------------------------------- broken servers


def test_old_servers_that_want_a_game_type_are_tried_with_each() -> None:
    heard: list[bytes] = []

    def hang_up(sock: socket.socket) -> None:
        heard.append(sock.recv(1 << 16))

    types = dict.fromkeys(season.wire.game_type for season in seasons.seasons())
    with scripted(*[hang_up] * (1 + len(types))) as port, pytest.raises(Refused, match="seat"):
        join(bots.load("random"), HOST, port)
    assert heard[0] == b"<protocol>\n  <join/>"
    assert heard[1:] == [f'<protocol>\n  <join gameType="{each}"/>'.encode() for each in types]


def test_a_server_that_hangs_up_in_the_game_is_a_lost_connection() -> None:
    welcome = (
        b'<protocol><joined roomId="r"/><room roomId="r"><data class="welcomeMessage"/></room>'
    )
    with scripted(saying(welcome)) as port, pytest.raises(LostConnection, match="without a result"):
        join(bots.load("random"), HOST, port)


def test_a_server_whose_xml_is_broken_is_told_with_the_byte() -> None:
    script = saying(b"<protocol><joined roomId=oops/>")
    with scripted(script) as port, pytest.raises(Malformed, match="byte 25"):
        join(bots.load("random"), HOST, port)


def test_nobody_listening_is_told_as_such() -> None:
    with deaf() as port, pytest.raises(LostConnection, match=f"no server answers at {HOST}:{port}"):
        join(bots.load("random"), HOST, port)


def a_game(season: Season) -> bytes:
    """What a server says to the first player of a short game in which nobody waits for answers."""
    wire, position = season.wire, season.game.start(5)
    said: list[Message] = [Joined("r"), Welcome("r", wire.colours[0])]
    last = None
    for _ in range(4):
        said.append(Memento("r", wire.state(position, last, ("a", "b"))))
        if position.to_move() == 0:
            said.append(MoveRequest("r"))
        move = position.legal_moves()[0]
        last = wire.sent(position, move)
        position.play(move)
    said.append(wire.result("r", position, ("a", "b"), End(Cause.LEFT, (1,), "LOST_CONNECTION")))
    return Connection(Side.SERVER, wire.dialect).send(*said, Left("r"))


def slowly(data: bytes) -> Callable[[socket.socket], None]:
    """A script: every byte in a packet of its own."""

    def script(sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(data)):
            sock.sendall(data[at : at + 1])
        saying(b"")(sock)

    return script


def adorned(data: bytes) -> bytes:
    """The same with things in between that no client knows."""
    noise = (
        b'<news flash="1"><a>b</a></news><room roomId="r"><data class="sparkle"/></room><!-- - -->'
    )
    data = data.replace(b"\n  <room", noise + b"\n  <room")
    data = data.replace(b"<board>", b"<glitter/><board>").replace(
        b"<state ", b'<state mood="good" '
    )
    return data.replace(b"<protocol>", b'<?xml version="1.0"?><protocol xmlns:x="y">')


@each_season
@pytest.mark.parametrize("manner", ["at once", "byte by byte", "adorned"])
def test_a_mean_server_does_not_confuse_the_client(season: Season, manner: str) -> None:
    data = a_game(season)
    if manner == "byte by byte":
        script = slowly(data)
    else:
        script = saying(adorned(data) if manner == "adorned" else data)
    with scripted(script) as port, Session.open(HOST, port) as session:
        report = play(bots.load("random"), session, Join(), authority=season.game.authority)
    assert report.season.wire.game_type == season.wire.game_type
    assert report.moves == 2
    assert report.outcome.winner == 0


def test_a_room_that_vanishes_without_a_result_is_told_as_such() -> None:
    data = a_game(brief())
    early = data[: data.index(b'<data class="result"')]
    early = early[: early.rindex(b"\n  <room")] + b'\n  <left roomId="r"/>'
    with scripted(saying(early)) as port, pytest.raises(LostConnection, match="without a result"):
        join(bots.load("random"), HOST, port)


# ------------------------------------------------------------------------------------------ the bot


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ValueError("my own bug"), r"Broken.choose\(\) raised ValueError\('my own bug'\) at "),
        ("no such move", "which is no move"),
        (None, "which is no move"),
        (7, "which is no move"),
    ],
)
def test_a_failing_bot_is_reported_with_what_it_did(answer: Any, told: str) -> None:
    season = brief()
    with serving([season.game]) as server, ThreadPoolExecutor(1) as pool:
        other = pool.submit(join, bots.load("random"), HOST, server.port)
        with pytest.raises(BotFailed, match=told):
            join(Broken(answer), HOST, server.port)
        assert other.result(60).outcome.ranks in ((1, 2), (2, 1))


def test_a_bot_is_told_about_beginning_clock_and_end_and_may_answer_with_texts() -> None:
    season, recorder = brief(), Recorder()
    with serving([season.game]) as server, ThreadPoolExecutor(1) as pool:
        other = pool.submit(join, bots.load("random"), HOST, server.port)
        report = join(recorder, HOST, server.port, seconds=600)
        other.result(60)
    assert recorder.heard[0] == f"begin {report.seat} at 0"
    assert recorder.heard[1:-1] == ["choose"] * report.moves
    assert all(600 - PATIENCE < seconds <= 600 for seconds in recorder.allowed)
    assert recorder.heard[-1] == f"end {report.outcome.winner}"


def test_what_a_bot_takes_to_begin_is_taken_off_its_first_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first request may come while it still begins: the server's clock runs meanwhile."""

    class Watch:
        """The time, and what it was put forward by."""

        ahead = 0.0

        def monotonic(self) -> float:
            return time.monotonic() + self.ahead

    class Slow(Bot):
        def __init__(self) -> None:
            self.clocks: list[float] = [0.0]

        def prepare(self, position: Any) -> None:
            assert position.legal_moves()
            self.clocks.clear()

        def begin(self, position: Any, seat: int) -> None:
            assert requested.wait(PATIENCE)
            watch.ahead += 200.0

        def choose(self, position: Any, clock: Clock) -> Any:
            self.clocks.append(clock.per_move or 0.0)
            return position.legal_moves()[0]

    def hurry(sock: socket.socket) -> None:
        sock.sendall(a_game(brief()))
        requested.set()
        saying(b"")(sock)

    requested, watch, slow = threading.Event(), Watch(), Slow()
    monkeypatch.setattr(incoming, "time", watch)
    with scripted(hurry) as port:
        join(slow, HOST, port, seconds=600)
    first, second = slow.clocks
    assert 400 - PATIENCE < first <= 400
    assert 600 - PATIENCE < second <= 600


@pytest.mark.parametrize(("seconds", "limit"), [(0.01, None), (600.0, 0.2)])
def test_a_bot_that_is_too_slow_is_covered_by_a_legal_move(
    seconds: float, limit: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    may_answer = threading.Event()

    class Slow(Recorder):
        name = "slow"

        def choose(self, position: Any, clock: Clock) -> Any:
            assert may_answer.wait(PATIENCE)
            return super().choose(position, clock)

    slow, sent = Slow(), list[bytes]()

    def server(sock: socket.socket) -> None:
        sock.sendall(a_game(brief()))
        while data := sock.recv(1 << 16):
            sent.append(data)

    with scripted(server) as port:
        report = join(slow, HOST, port, seconds=seconds, limit=limit)
        may_answer.set()
    assert report.moves == b"".join(sent).count(b"<room") == 2
    assert [
        trouble.partition(" (at ")[0].partition(" after ")[0] for trouble in report.troubles
    ] == [
        "slow is too slow: no answer",
        "slow is too slow: it still thinks about an earlier move",
    ]
    assert capsys.readouterr().err.count("Warning: slow is too slow") == 2
    assert not any(line.startswith("end") for line in slow.heard), "it still thinks"


# ------------------------------------------------------------------------------------- the programs


@pytest.mark.parametrize(
    "arguments",
    [
        ["-h", HOST, "-p", "{port}", "-r", "{code}"],
        ["--reservation", "{code}", "--port", "{port}", "--host", HOST],
    ],
)
def test_run_understands_the_contests_options(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    game = brief().game
    with (
        serving([game]) as server,
        Administrator.open(HOST, server.port, PASSWORD, game=game.name) as admin,
        ThreadPoolExecutor(1) as pool,
    ):
        mine, theirs = admin.prepare().reservations
        other = pool.submit(join, bots.load("random"), HOST, server.port, reservation=theirs)
        run(bots.load("random"), [a.format(port=server.port, code=mine) for a in arguments])
        other.result(60)
    assert capsys.readouterr().out.startswith(game.title)


def test_run_ends_with_a_message_and_a_status_if_nobody_answers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with deaf() as port, pytest.raises(SystemExit) as stopped:
        run(bots.load("random"), ["-p", str(port), "-h", HOST])
    assert stopped.value.code == 1
    assert "no server answers" in capsys.readouterr().err


def test_run_prints_where_the_bot_broke(capsys: pytest.CaptureFixture[str]) -> None:
    with serving([brief().game]) as server, ThreadPoolExecutor(1) as pool:
        other = pool.submit(join, bots.load("random"), HOST, server.port)
        with pytest.raises(SystemExit):
            run(Broken(KeyError("lost")), ["-h", HOST, "-p", str(server.port)])
        other.result(60)
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "raise type(self.answer)" in told
    assert "Error: Broken.choose() raised KeyError('lost')" in told


def test_run_shows_help_for_help_and_not_for_h(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(bots.load("random"), ["--help"])
    assert stopped.value.code == 0
    assert "--reservation" in capsys.readouterr().out


def test_the_join_command_plays_a_game() -> None:
    game = brief().game
    with serving([game]) as server, ThreadPoolExecutor(1) as pool:
        other = pool.submit(join, bots.load("random"), HOST, server.port)
        arguments = [game.name, "--bot", "greedy", "-h", HOST, "-p", str(server.port)]
        done = CliRunner().invoke(join_command.command, arguments)
        other.result(60)
    assert done.exit_code == 0, done.output
    assert game.title in done.output


def test_the_example_bot_plays_a_game_as_a_program_of_its_own() -> None:
    script = Path(__file__).parents[1] / "examples" / "one_ply.py"
    with serving([brief().game]) as server, ThreadPoolExecutor(1) as pool:
        other = pool.submit(join, bots.load("random"), HOST, server.port)
        command = [sys.executable, str(script), "-h", HOST, "-p", str(server.port)]
        path = str(Path(spielleiter.__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"}
        done = subprocess.run(command, capture_output=True, timeout=60, env=environment)
        other.result(60)
    assert done.returncode == 0, done.stderr.decode()
    assert brief().game.title in done.stdout.decode()


def test_watch_draws_every_position_of_the_next_game() -> None:
    game = brief().game
    with serving([game]) as server, ThreadPoolExecutor(2) as pool:
        where = ["--host", HOST, "-p", str(server.port), "--password", PASSWORD]
        watched = pool.submit(_invoke, "watch", "--game", game.name, *where)
        _wait_until(lambda: any(line.is_admin for line in list(server.lobby.clients)))
        first = pool.submit(join, bots.load("random"), HOST, server.port)
        _wait_until(lambda: _is_observed(server))
        report = join(bots.load("random", seed=1), HOST, server.port)
        first.result(60)
        told = watched.result(60)
    assert "result " in told
    assert report.position is not None
    last = click.unstyle(terminal.render(game.scene(report.position, None))).splitlines()
    assert told.count(f"{last[0]}\n") >= report.moves + first.result().moves
    assert last[-1] in told


def test_the_admin_commands_prepare_observe_and_cancel() -> None:
    game = brief().game
    with serving([game]) as server, ThreadPoolExecutor(2) as pool:
        where = ["--host", HOST, "-p", str(server.port), "--password", PASSWORD]
        prepared = _invoke("prepare", game.name, "--name", "Alice", *where)
        lines = [line.split(" ") for line in prepared.splitlines()]
        assert [line[0] for line in lines] == ["room", "reservation", "reservation"]
        assert [line[2] for line in lines[1:]] == ["Alice", "player2"]
        room = lines[0][1]
        observed = pool.submit(_invoke, "observe", room, "--game", game.name, *where)
        _wait_until(lambda: _is_observed(server))
        both(server.port, *({"reservation": line[1]} for line in lines[1:]))
        told = observed.result(60).splitlines()
        assert told[-1] == "left"
        assert told[-2].startswith("result ")
        assert told[0].startswith("position ")
        assert " after " in told[1]
        second = _invoke("prepare", game.name, *where).split()[1]
        _invoke("cancel", second, "--game", game.name, *where)
        _wait_until(lambda: second not in server.lobby.rooms)


def _is_observed(server: Server) -> bool:
    return any(room.observers for room in list(server.lobby.rooms.values()))


def _wait_until(happened: Callable[[], bool]) -> None:
    late = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < late, "it did not happen"
        time.sleep(0.01)


def _invoke(*arguments: str) -> str:
    done = CliRunner().invoke(admin_command.command, arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


# --------------------------------------------------------------------------------------- the doctor


def findings(port: int, **options: Any) -> list[str]:
    found = examine(HOST, port, **{"patience": PATIENCE, **options})
    return [f"{each.severity.value}: {each.text}" for each in found]


@each_season
def test_the_doctor_finds_our_server_healthy(season: Season) -> None:
    with serving([season.game]) as server:
        told = findings(server.port, password=PASSWORD, game=season.game.name)
        assert not [line for line in told if line.startswith("PROBLEM")]
        assert told[-2] == f"ok: it offers {season.wire.game_type}"
        assert "prepared once, paused, and cancelled" in told[-1]
        wrong = findings(server.port, password="wrong", game=season.game.name)
        assert wrong[-1].startswith("PROBLEM")
        assert "password" in wrong[-1]
        _wait_until(lambda: not server.lobby.rooms)


def test_the_doctor_names_what_is_wrong_with_a_server() -> None:
    with deaf() as port:
        assert "nothing listens" in findings(port)[-1]
    assert "leads nowhere" in next(iter(examine("no.such.host.invalid", 1))).text

    def wait(sock: socket.socket) -> None:
        while sock.recv(100):
            pass

    with scripted(wait, saying(b"SSH-2.0-OpenSSH\r\n")) as port:
        assert "it greets with b'SSH-2.0" in findings(port, quiet=PATIENCE)[-1]

    def web(sock: socket.socket) -> None:
        sock.recv(999)
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n<html><br></html>")

    def hang_up(sock: socket.socket) -> None:
        sock.recv(999)

    with scripted(wait, wait, web) as port:
        assert "this is a web server" in findings(port)[-1]
    with scripted(wait, wait, hang_up) as port:
        assert "hangs up on a well-formed request" in findings(port)[-1]
    with scripted(wait, wait, wait) as port:
        assert "does not answer a request" in findings(port, patience=1.0)[-1]


def test_the_doctor_command_fails_if_there_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_command, "examine", partial(examine, patience=PATIENCE))
    with serving([brief().game]) as server:
        where = ["-h", HOST, "-p", str(server.port)]
        done = CliRunner().invoke(doctor_command.command, where)
        assert done.exit_code == 0, done.output
    with deaf() as port:
        done = CliRunner().invoke(doctor_command.command, ["-h", HOST, "-p", str(port)])
    assert done.exit_code == 1
    assert "nothing listens" in done.output


def test_an_ear_on_a_real_line_disturbs_nobody_and_hears_the_game() -> None:
    game, told, recorded = brief().game, list[Finding](), list[bytes]()
    with (
        serving([game]) as server,
        socket.create_server((HOST, 0)) as listener,
        ThreadPoolExecutor(2) as pool,
    ):
        tap = (listener, HOST, server.port, Inspector(limit=PATIENCE), told.append, recorded.append)
        inspector = pool.submit(relay, *tap)
        other = pool.submit(join, bots.load("random"), HOST, server.port, game=game.name)
        report = join(bots.load("random"), HOST, listener.getsockname()[1], game=game.name)
        assert other.result(60).result == report.result
        inspector.result(60)
    texts = [f"{finding.severity.value}: {finding.text}" for finding in told]
    assert texts[:2] == [f"ok: they play {game.name}", "ok: the game has a result"]
    assert texts[2].startswith(f"ok: {report.moves} moves, the slowest took ")
    (answers,) = conversation.streams(
        conversation.read(b"".join(recorded)), by_client=False
    ).values()
    assert report.result in Connection(Side.CLIENT).receive(answers)


def test_the_ear_hears_a_client_that_dies_on_the_line() -> None:
    told = list[Finding]()
    with (
        serving([brief().game]) as server,
        socket.create_server((HOST, 0)) as listener,
        ThreadPoolExecutor(1) as pool,
    ):
        inspector = pool.submit(relay, listener, HOST, server.port, Inspector(), told.append)
        with socket.create_connection(listener.getsockname()) as client:
            client.sendall(b"<protocol><join")
        inspector.result(60)
    assert "PROBLEM" in {finding.severity.value for finding in told}
    assert any("the client hung up before the game was over" in each.text for each in told)


def listen(path: Path, name: str) -> list[str]:
    """What an inspector on one recorded connection has to say, and both have hung up afterwards."""
    inspector, told = Inspector("server"), []
    for said in conversation.read(gzip.decompress(path.read_bytes())):
        if said.connection == name:
            hear = inspector.client_said if said.by_client else inspector.server_said
            told += hear(said.data, said.at)
    told += inspector.server_said(b"", 0.0) + inspector.client_said(b"", 0.0)
    return [finding.text for finding in told if finding.severity is Severity.PROBLEM]


@pytest.mark.parametrize(
    ("recording", "name", "problem"),
    [
        (
            "2019/10a-illegal-move",
            "p1",
            "illegal: Move in that direction would not be on the board",
        ),
        ("2019/10d-soft-timeout", "p1", "took 2.65 s for a move: the limit is 2 s"),
        ("2019/10e-hard-timeout", "p1", "did not answer a request for a move within 10"),
        ("2026/05-invalid-reservation", "x1", "code is wrong or was used before"),
        ("2026/07-joinRoom-unreserved-slots-and-third-client", "p3", "the room is full"),
        ("2026/08a-illegal-jump-over-opponent", "p1", "illegal: Gegnerische"),
        ("2026/08j-move-unknown-direction", "p1", "move is none: unknown direction"),
        ("2026/08n-move-wrong-room", "p1", "answers for room 'nope'"),
        ("2026/09a-not-your-turn", "p2", "nobody asked for"),
        ("2026/10b-unknown-element", "c", "not understood: unknown element <foo> (at byte 10)"),
        ("2026/10c-malformed", "c", "not understood: not well-formed"),
        ("2026/10e-no-root", "c", "is <protocol> missing?"),
        ("2026/11a-leave-tcp-close", "p2", "hung up"),
        ("2026/12a-soft-timeout", "p1", "took 2.4"),
    ],
)
def test_the_ear_hears_what_went_wrong(recording: str, name: str, problem: str) -> None:
    found = [path for path in TALKS if str(path).endswith(f"/{recording}.txt.gz")]
    if not found:
        pytest.skip("the recording belongs to a game that is not here")
    told = listen(found[0], name)
    assert any(problem in text for text in told), told


def test_the_ear_has_nothing_to_say_about_official_clients() -> None:
    heard = 0
    for path in TALKS:
        said = conversation.streams(
            conversation.read(gzip.decompress(path.read_bytes())), by_client=False
        )
        for name in ("p1", "p2", "py", "jar"):
            if "defaultplayer" in path.name and name in said:
                assert listen(path, name) == []
                heard += 1
    assert heard > 2
