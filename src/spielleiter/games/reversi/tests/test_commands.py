"""The commands as a harness meets them: options, output, status, log and result file, replay."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.cli import cli
from spielleiter.errors import TextError
from spielleiter.games.reversi import EDITIONS, Position, course, maps, replay
from spielleiter.games.reversi.commands import reversi_serve
from spielleiter.games.reversi.tests import talks
from spielleiter.games.reversi.tests.stage import GAME, Playing, Reaction, Scripted, first_move
from spielleiter.match import Frame
from spielleiter.protocol.binary import HUMAN

PATIENCE = 60


class Program:
    """The server as a program of its own, in a folder of its own.

    Nobody reads its output while it plays: that must not hold up a game.
    """

    def __init__(self, folder: Path, *words: str, typed: bytes = b"") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "spielleiter", "reversi-serve", *words],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(typed)
        self._process.stdin.close()
        self.head = ""

    def port(self) -> int:
        """Where it listens, read as a harness reads it."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline().decode():
            self.head += line
            if found := re.fullmatch(r"Opening port\.\.\.OK\. Port number is (\d+)\.\n", line):
                return int(found[1])
        raise AssertionError(f"no port: {self.head}")

    def end(self, complaint: str = "") -> tuple[int, str]:
        """Exit status and all it printed; a complaint only if one is expected."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with self._process.stdout as out, self._process.stderr as errors:
            text, complaints = out.read().decode(), errors.read().decode()
        assert complaints.startswith(complaint)
        assert bool(complaints) == bool(complaint)
        return self._process.wait(PATIENCE), self.head + text

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


@contextmanager
def serving(folder: Path, *words: str, typed: bytes = b"") -> Iterator[Program]:
    program = Program(folder, *words, typed=typed)
    try:
        yield program
    finally:
        program.kill()


def say(*words: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, list(words))
    assert result.exit_code == status, result.output
    return result.output


# ---------------------------------------------------------------------------- the four-player game


def test_one_late_one_illegal_and_two_who_play_on(tmp_path: Path) -> None:
    over = threading.Event()

    def answers_late(position: Position, asked: int, sock: socket.socket) -> Reaction:
        if asked == 3:
            over.wait(PATIENCE)
        return position.legal_moves()[0]

    def cheats(position: Position, asked: int, sock: socket.socket) -> Reaction:
        return position.legal_moves()[0] if asked < 5 else b"\5\0\0\0\5\0\0\0\x63\0"

    words = ["-m", "p4_10x10_block", "-t", "0.2", "-p", "0", "-r", "result.txt", "-C"]
    with serving(tmp_path, *words) as program:
        port = program.port()
        first = Playing(port, "greedy", group=HUMAN)  # only one of them is timed
        late = Scripted(port, 22, answers_late)
        cheat = Scripted(port, HUMAN, cheats)
        last = Playing(port, "random", group=HUMAN)
        reports = [first.wait(), last.wait()]
        over.set()
        late.wait(), cheat.wait()
        status, output = program.end()
    assert status == 0
    assert output.endswith("bye bye.\n")
    (log,) = tmp_path.glob("log_game_*.txt")
    _is_right(reports[0].outcome, log, (tmp_path / "result.txt").read_text("utf-8"), output)


def frames_of(log: str) -> list[Frame]:
    """The positions of a log."""
    return list(replay.read(log).frames(EDITIONS[0]))


def _is_right(outcome: Any, log: Path, result: str, output: str) -> None:
    frames = frames_of(log.read_text("utf-8"))
    end = frames[-1].position
    assert end.outcome() == outcome
    assert sorted(outcome.ranks[:1] + outcome.ranks[3:]) in ([1, 2], [1, 1])
    assert (outcome.ranks[1], outcome.ranks[2]) == (4, 3)  # who was out later ranks better
    lines = result.splitlines()
    assert lines[0] == "p4_10x10_block.map"
    for seat, line in enumerate(lines[1:]):
        group, verdict = 22 if seat == 1 else HUMAN, "disq." if seat in (1, 2) else "ok"
        assert re.fullmatch(rf"{group}\t{outcome.scores[seat]}\t\d+ msecs\t{verdict}", line)
    assert "Player 2 disqualified (timeout during move)." in output
    assert re.search(
        r"Player 3 disqualified \(invalid move: \(0,99,0\)\. time left: \d+ ms", output
    )
    shown = say("show", str(log))
    assert shown.count(" played ") == sum(frame.turn.move is not None for frame in frames)
    assert shown.count(" disqualified: ") == 2
    assert shown.endswith(say("show", end.text()).splitlines()[-1] + "\n")
    assert "player 2: " in say("show", str(log), "--turn", "-1")
    assert say("show", str(log), "--turn", "0").count("[") == 0


# --------------------------------------------------------------------------------------- replays


@pytest.mark.parametrize("name", [name for name in talks.names() if talks.read(name).log])
def test_logs_of_the_real_server_are_read(name: str) -> None:
    talk = talks.read(name)
    if name.startswith("X_"):
        with pytest.raises(TextError):
            replay.read(talk.log)
        return
    end = frames_of(talk.log)[-1].position
    points = [line.split("\t")[1] for line in talk.result.splitlines()[1:]]
    outcome = end.outcome()
    assert outcome is not None
    assert list(map(str, outcome.scores)) == points


def test_a_log_that_cannot_be_is_refused() -> None:
    log = course.log_head("a.map", 1, maps.load("p2_08x08_classic"), ("1", "2"), None, 1)
    assert replay.recognises(log)
    assert not replay.recognises("move 0: player 1")
    with pytest.raises(TextError, match="not the turn of player 2"):
        replay.read(log + course.log_move(0, 1, "(4,2,0)", 0))
    with pytest.raises(TextError):
        replay.read("something else")


def test_a_turn_of_a_log_becomes_a_picture(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(talks.read("J10_elim_2p").log, "utf-8")
    say("show", str(log), "--turn", "1", "--svg", str(tmp_path / "board.svg"))
    assert (tmp_path / "board.svg").read_text("utf-8").startswith("<svg")
    result = CliRunner().invoke(cli, ["show", str(log), "--turn", "99"])
    assert "has the turns 0 to" in str(result.exception)


def test_the_groups_of_a_log_are_the_players() -> None:
    text = talks.read("J10_elim_2p").log
    groups = re.findall(r"^Player [1-4] is group (.*)$", text, re.MULTILINE)
    assert replay.read(text).names == tuple(f"group {each}" for each in groups)


@pytest.mark.parametrize("names", [("mybot.py", "greedy"), ("group 7", ""), ("a  b\nc", "Zoë 3")])
def test_a_log_that_we_write_keeps_the_names(names: tuple[str, str]) -> None:
    record = replay.read(talks.read("J10_elim_2p").log).renamed(names)
    written = replay.write(list(record.frames(games.load("reversi"))))
    assert written is not None
    again = replay.read(written)
    assert again.names == tuple(" ".join(each.split()) for each in names)
    assert len(list(again.events)) == len(list(record.events))


def test_a_file_no_game_knows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk, eggs", "utf-8")
    result = CliRunner().invoke(cli, ["show", str(tmp_path / "notes.txt")])
    assert result.exit_code != 0
    assert "no game recognises this file" in str(result.exception)


# ---------------------------------------------------------------------------------------- options


def test_help_documents_every_option() -> None:
    text = say("reversi-serve", "-h")
    assert text == say("reversi-serve", "--help")
    for flag in ("-m, --map", "-t, --timelimit", "-d, --depthlimit", "-r, --result"):
        assert flag in text
    for flag in ("-p, --baseport", "-z, --zleep", "-M ", "-C ", "-s ", "-v, --version", "--bind"):
        assert flag in text


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-m", "p2_04x04_classic", "-t", "0.1"],
        ["-m", "p2_04x04_classic", "-t", "nan"],
        ["-m", "p2_04x04_classic", "-t", "inf"],
        ["-m", "p2_04x04_classic", "-t", "soon"],
        ["-m", "p2_04x04_classic", "-z", "nan"],
        ["-m", "p2_04x04_classic", "--unknown"],
        ["-m", "p2_04x04_classic", "p2_06x06_classic"],
        ["p2_04x04_classic", "p2_06x06_classic"],
        ["-m", "p2_04x04_classic", "-p", "70000"],
    ],
)
def test_wrong_options_end_with_the_usage_and_status_255(words: list[str]) -> None:
    told = say("reversi-serve", *words, status=255)
    assert "Usage:" in told
    assert "--timelimit" in told


def test_a_map_that_is_not_there_ends_with_status_255() -> None:
    assert "FAILED: there is no map" in say("reversi-serve", "-m", "nowhere.map", status=255)


@pytest.mark.parametrize("name", ["X_bombs_only", "X_bomb_from_bonus"])
def test_maps_of_the_full_game_are_refused_by_name(name: str) -> None:
    path = talks.FACTS / "maps" / f"{name}.map"
    text = say("reversi-serve", str(path), status=255)
    assert "full game" in text
    assert "FAILED: Invalid argument" in text


def test_missing_clients_end_with_status_255(tmp_path: Path) -> None:
    with serving(tmp_path, "-m", "p2_04x04_classic", "-z", "0.1", "-p", "0", "-r", "r") as program:
        status, output = program.end()
    assert status == 255
    assert "not all clients connected after 0.1 seconds. aborting.\nbye bye.\n" in output
    assert not list(tmp_path.iterdir())


def test_the_map_may_come_from_standard_input(tmp_path: Path) -> None:
    text = maps.load("p2_04x04_classic")
    with serving(tmp_path, "-m", "-", "-p", "0", "-s", "--no-log", typed=text) as program:
        port = program.port()
        clients = [Scripted(port, group, first_move) for group in (1, 2)]
        for client in clients:
            client.wait()
        status, output = program.end()
    assert status == 0
    assert "\n".join(["Board:", *maps.read(text).rows]) in output
    assert not list(tmp_path.iterdir())


def test_several_games_have_a_log_and_a_result_each(tmp_path: Path) -> None:
    words = ["-m", "p2_04x04_classic", "-p", "0", "--games", "3", "-r", "result.txt"]
    with serving(tmp_path, *words) as program:
        port = program.port()
        players = [Playing(port, seed=seed, group=seed) for seed in range(6)]
        for player in players:
            player.wait()
        status, output = program.end()
    assert status == 0
    assert output.count("ended, scores") == 3
    results = sorted(path.name for path in tmp_path.glob("result*"))
    assert results == ["result.txt", "result_2.txt", "result_3.txt"]
    assert len(list(tmp_path.glob("log_game_*.txt"))) == 3


def test_several_maps_have_a_port_each(tmp_path: Path) -> None:
    words = ["-m", "p2_04x04_classic", "-m", "p3_06x06_cramped", "-p", "0", "--no-log"]
    with serving(tmp_path, *words, "-r", "r.txt") as program:
        for seats in (2, 3):
            port = program.port()
            players = [Playing(port, seed=seat) for seat in range(seats)]
            for player in players:
                player.wait()
        status, output = program.end()
    assert status == 0
    assert output.count("ended, scores") == 2
    results = sorted(path.name for path in tmp_path.iterdir())
    assert results == ["r_p2_04x04_classic.txt", "r_p3_06x06_cramped.txt"]


def test_ranks_are_printed_and_the_log_names_the_map_as_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "mine.map").write_bytes(maps.load("p3_06x06_cramped"))
    with serving(tmp_path, "maps/mine.map", "-p", "0", "-r", "result.txt") as program:
        port = program.port()
        for player in [Playing(port, seed=seat, group=seat + 5) for seat in range(3)]:
            player.wait()
        _, output = program.end()
    assert "No time limit: nobody is timed." in program.head
    lines = re.findall(r"^(\d)\. player (\d), group (\d): (\d+) points$", output, re.M)
    points = [int(line[3]) for line in lines]
    assert points == sorted(points, reverse=True)
    assert [int(rank) for rank, *_ in lines] == [1 + sum(p > own for p in points) for own in points]
    (log,) = tmp_path.glob("log_game_*.txt")
    assert log.read_text().startswith("Starting game with map maps/mine.map\n")
    assert (tmp_path / "result.txt").read_text().startswith("mine.map\n")


def test_a_log_that_cannot_be_written_is_no_reason_to_end_a_game(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with serving(tmp_path, "p2_04x04_classic", "-p", "0", "--logs", "logs") as program:
        port = program.port()
        (tmp_path / "logs").rmdir()
        players = [Playing(port, seed=seat) for seat in range(2)]
        assert not any(player.wait().disqualified for player in players)
        status, _ = program.end(complaint="Error: the log logs")
    assert status == 0


def test_pauses_are_off_unless_asked_for() -> None:
    given = {"timelimit": None, "bind": "127.0.0.1", "baseport": None, "depthlimit": 1}
    given |= {"games": 1, "zleep": None, "clock": "account"}
    quick = reversi_serve._settings({**given, "pauses": False})
    assert (quick.before_game, quick.after_move, quick.port) == (0.0, 0.0, 7777)
    slow = reversi_serve._settings({**given, "pauses": True})
    assert (slow.before_game, slow.after_move) == (1.0, 0.1)


def test_the_commands_come_from_the_folder_of_the_game() -> None:
    assert reversi_serve.__name__.startswith(GAME.folder)
    assert "reversi-serve" in say("-h")
    assert "reversi-join" in say("-h")
