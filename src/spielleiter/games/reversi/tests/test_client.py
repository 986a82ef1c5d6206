"""Our player on the course's protocol: never disqualified, whatever its bot does."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from spielleiter.cli import cli
from spielleiter.client import LostConnection, binary
from spielleiter.errors import PeerError
from spielleiter.game import Bot, Clock, Outcome, Position
from spielleiter.games.reversi import maps
from spielleiter.games.reversi.tests.stage import (
    GAME,
    PATIENCE,
    UNHURRIED,
    Playing,
    Scripted,
    first_move,
    hosted,
)
from spielleiter.match import Accounts, Played
from spielleiter.protocol.binary import (
    HUMAN,
    Disqualified,
    EndOfGame,
    EndOfPhase1,
    Map,
    Message,
    Moved,
    MoveRequest,
    Player,
    encode,
)


class Noting(Bot):
    """Plays the first legal move and notes what it was told."""

    name = "noting"

    def __init__(self) -> None:
        self.seat = -1
        self.clocks: list[Clock] = []
        self.outcome: Outcome | None = None

    def begin(self, position: Position, seat: int) -> None:
        self.seat = seat

    def choose(self, position: Position, clock: Clock) -> Any:
        assert position.to_move() == self.seat
        self.clocks.append(clock)
        return position.legal_moves()[0].text()

    def end(self, position: Position, outcome: Outcome) -> None:
        self.outcome = outcome


class Bad(Noting):
    """Does something else in its second move."""

    def __init__(self, what: Callable[[Any], Any]) -> None:
        super().__init__()
        self._what = what

    def choose(self, position: Position, clock: Clock) -> Any:
        good = super().choose(position, clock)
        return self._what(position) if len(self.clocks) == 2 else good


# -------------------------------------------------------------------------------------- whole games


def test_a_bot_hears_begin_requests_and_end() -> None:
    bot = Noting()
    with hosted("p2_08x08_classic", limit=UNHURRIED) as server:
        player, other = Playing(server.port, bot), Playing(server.port)
        report = player.wait()
        other.wait()
    assert (bot.seat, bot.outcome) == (0, server.ended[0].outcome)
    assert report.moves == len(bot.clocks)
    assert all(0 < (clock.per_move or 0) < UNHURRIED * len(bot.clocks) for clock in bot.clocks)


def test_without_time_the_depth_is_passed_on() -> None:
    bot = Noting()
    with hosted("p2_04x04_classic", depth=4) as server:
        player, other = Playing(server.port, bot), Playing(server.port)
        player.wait()
        other.wait()
    assert set(bot.clocks) == {Clock(depth=4)}


@pytest.mark.parametrize(
    "what",
    [
        lambda position: 1 / 0,
        lambda position: "a1",
        lambda position: "z99",
        lambda position: None,
        lambda position: 7,
    ],
    ids=["raises", "illegal", "no move", "None", "a number"],
)
def test_a_bot_that_fails_is_covered_by_a_legal_move(what: Callable[[Any], Any]) -> None:
    with hosted("p2_08x08_classic", limit=UNHURRIED) as server:
        player, other = Playing(server.port, Bad(what)), Playing(server.port)
        report = player.wait()
        other.wait()
    assert len(report.troubles) == 1
    assert server.ended[0].regular


def given_up_after(report: binary.BinaryReport) -> float:
    """When a bot was first given up. The games are played as people, whom nobody times: so we are
    not too late ourselves where the machine keeps us waiting."""
    found = re.search(r"is too slow: no answer after ([0-9.]+) s", report.troubles[0])
    assert found is not None, report.troubles[0]
    return float(found[1])


def test_a_bot_that_is_too_slow_is_covered_before_its_account_runs_out() -> None:
    wake = threading.Event()
    with hosted("p2_06x06_classic", limit=0.3) as server:
        player = Playing(server.port, Bad(lambda position: wake.wait(PATIENCE)), HUMAN)
        other = Playing(server.port, group=HUMAN)
        report = player.wait()
        other.wait()
        wake.set()
    first = next(event for event in server.events["1"] if isinstance(event, Played))
    account = Accounts(0.3, (0.0, 0.0)).asked(0).charged(0, first.spent).asked(0).balances[0]
    assert given_up_after(report) < account
    assert server.ended[0].regular


def test_a_bot_that_begins_slowly_is_covered_too() -> None:
    class Loading(Noting):
        ready = threading.Event()

        def begin(self, position: Position, seat: int) -> None:
            super().begin(position, seat)
            self.ready.wait(PATIENCE)

    with hosted("p2_06x06_classic", limit=0.2) as server:
        player, other = Playing(server.port, Loading(), HUMAN), Playing(server.port, group=HUMAN)
        report = player.wait()
        other.wait()
        Loading.ready.set()
    assert len(report.troubles) == report.moves
    assert given_up_after(report) < 0.2
    assert server.ended[0].regular


def test_group_and_seat_have_nothing_to_do_with_each_other() -> None:
    with hosted("p2_04x04_classic") as server:
        players = [Playing(server.port, group=7) for _ in range(2)]
        assert [player.wait().seat for player in players] == [0, 1]


def test_another_one_disqualified_is_taken_out_of_the_game() -> None:
    with hosted("p3_06x06_cramped", limit=UNHURRIED) as server:
        offender = Scripted(server.port, 0, lambda position, asked, sock: b"\xff" * 5)
        players = [Playing(server.port, "greedy", seed=seed) for seed in range(2)]
        reports = [player.wait() for player in players]
        offender.wait()
    assert reports[0].outcome == server.ended[0].outcome
    assert not any(report.troubles for report in reports)


# ------------------------------------------------------------------------- servers that are strange


def playing_against(*said: Message, raw: bytes = b"") -> binary.BinaryReport:
    """How our player takes what a server says, all at once, and the end of the stream."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join(map(encode, said)) + raw)
        theirs.shutdown(socket.SHUT_WR)
        return binary.play(Noting(), GAME, ours, warn=lambda trouble: None)


START = (Map(maps.load("p2_08x08_classic")), Player(1))


def test_both_ways_to_end_a_game_are_fine() -> None:
    assert not playing_against(*START, EndOfPhase1(), EndOfGame()).disqualified
    report = playing_against(*START, Disqualified(2), EndOfGame())
    assert report.outcome is not None
    assert report.outcome.winner == 0


def test_our_own_disqualification_is_reported() -> None:
    report = playing_against(*START, MoveRequest(200, 1), Disqualified(1))
    assert report.disqualified
    assert "disqualified after 1 moves" in binary.summary(report)


def test_the_end_of_the_stream_before_the_end_of_the_game_is_a_lost_connection() -> None:
    with pytest.raises(LostConnection):
        playing_against(*START)


def test_turns_are_what_the_server_says() -> None:
    """A server that lets player 2 begin: the text of the position follows it."""
    report = playing_against(*START, Moved(4, 2, 0, 2), EndOfGame())
    assert report.position.text().split(" ")[0].split("/")[3] == "00022000"


@pytest.mark.parametrize(
    "said",
    [
        (Player(1),),
        (START[0], MoveRequest(200, 1)),
        (START[0], Player(3)),
        (*START, Moved(0, 0, 0, 1)),
        (*START, Moved(77, 0, 0, 1)),
        (*START, Moved(3, 2, 0, 4)),
        (*START, Disqualified(2), MoveRequest(200, 1)),
        (Map(b"nonsense"),),
    ],
    ids=lambda said: str(said[-1])[:40],
)
def test_a_server_that_makes_no_sense_is_left(said: tuple[Message, ...]) -> None:
    with pytest.raises((PeerError, maps.MapError)):
        playing_against(*said)


def test_bytes_that_are_no_message_are_refused() -> None:
    with pytest.raises(PeerError, match="unknown type"):
        playing_against(*START, raw=b"\xff\0\0\0\0")


def test_no_server_is_said_in_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody else listens there meanwhile
        with pytest.raises(LostConnection, match="no server answers"):
            binary.join(Noting(), GAME, port=taken.getsockname()[1])


# ------------------------------------------------------------------------------------- the program


@pytest.mark.parametrize("flag", ["-h", "-help", "--help"])
def test_help_is_found_by_all_its_names(flag: str) -> None:
    result = CliRunner().invoke(cli, ["reversi-join", flag])
    assert result.exit_code == 0
    for option in ("-i", "-p", "-g", "--bot", "-q", "-n"):
        assert option in result.output


@pytest.mark.parametrize("quiet", [True, False])
def test_the_command_plays_a_game(quiet: bool) -> None:
    with hosted("p2_04x04_classic", limit=UNHURRIED) as server:
        other = Scripted(server.port, 1, first_move)
        words = ["reversi-join", "-i", "127.0.0.1", "-p", str(server.port), "-g", "5", "-n"]
        result = CliRunner().invoke(cli, [*words, "--bot", "greedy", *["-q"] * quiet])
        other.wait()
    assert result.exit_code == 0, result.output
    assert ("player 2: rank" in result.output) != quiet


def test_the_main_program_of_a_participant(capsys: pytest.CaptureFixture[str]) -> None:
    with hosted("p2_04x04_classic", limit=UNHURRIED) as server:
        other = Scripted(server.port, 1, first_move)
        binary.run(Noting(), GAME, ["-p", str(server.port), "-g", "98"])
        other.wait()
    assert "player 2: rank" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        binary.run(Noting(), GAME, ["-p", "1", "-g", "5"])
    assert stop.value.code == 1
