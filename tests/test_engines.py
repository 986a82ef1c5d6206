"""Engines in lines: programs that speak UGI, GTP or NBoard, and our players offered to others."""

from __future__ import annotations

import itertools
import queue
import re
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from spielleiter import bots, games
from spielleiter.cli import cli
from spielleiter.engines import engine_command, is_engine
from spielleiter.engines.line_process import EngineFailure, LineProcess
from spielleiter.engines.ugi_server import UgiServer
from spielleiter.errors import UsageError
from spielleiter.game import Clock, Position
from spielleiter.programs.entrants import players_of
from spielleiter.programs.players import Players, fingerprint
from spielleiter.programs.process_executor import ProcessExecutor
from spielleiter.programs.program import is_program, program_name, python_file
from spielleiter.programs.settings import Isolation, Setting
from spielleiter.sandbox import Level, probe
from spielleiter.tournament.definition import read
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import kind_of
from spielleiter.tournament.time_control import TimeControl
from tests.contests import QUICK

ROOT = Path(__file__).parents[1]
ENGINES = ROOT / "tests" / "engines"
FIRST = games.load(QUICK).start().legal_moves()[0].text()


def engine(protocol: str, name: str, *words: str) -> str:
    """The text of a test engine."""
    command = shlex.join([sys.executable, str(ENGINES / f"{name}.py"), *words])
    return f"{protocol}:{command}"


def played(text: str, edition: str, **options: str) -> Position:
    """A whole game of an engine in the first seat against random moves; its last position."""
    position, bot = games.load(edition).start(5, **options), bots.load(text, seed=7)
    others = bots.load("random", seed=8)
    bot.begin(position.copy(), 0)
    while (outcome := position.outcome()) is None:
        mover = bot if position.to_move() == 0 else others
        position.play(mover.choose(position.copy(), Clock(per_move=30.0)))
    bot.end(position, outcome)
    return position


# ------------------------------------------------------------------------------------------ names


def test_a_text_names_a_protocol_options_and_a_command() -> None:
    command = engine_command("ugi[Hash=64, Level=3]:./my bot.sh 'two words'")
    assert command.protocol == "ugi"
    assert command.options == (("Hash", "64"), ("Level", "3"))
    assert command.words == ("./my", "bot.sh", "two words")
    assert engine_command(command.text()) == command


@pytest.mark.parametrize("text", ["ugi:", "ugi[Hash]:./bot"])
def test_a_text_without_command_or_value_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="ugi"):
        engine_command(text)


@pytest.mark.parametrize("text", ["ugi:./bot.sh", "gtp:python3 bot.py", "nboard[depth=3]:x.jar"])
def test_an_engine_is_neither_a_program_of_the_server_nor_a_file(text: str) -> None:
    assert is_engine(text)
    assert not is_program(text)
    assert python_file(text) is None


def test_an_engine_is_called_by_the_file_in_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert program_name("ugi:java -cp . Bot") == tmp_path.name
    assert program_name(engine("ugi", "ugi_engine")) == "ugi_engine.py"
    assert program_name("ugi:./mybot --fast") == "mybot"


def test_an_engine_has_another_fingerprint_when_its_file_changes(tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("1")
    first = fingerprint(f"ugi:{tmp_path / 'bot'}")
    (tmp_path / "bot").write_text("2")
    assert fingerprint(f"ugi:{tmp_path / 'bot'}") != first


def test_the_engines_of_a_contest_lie_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    teams = [("A", "ugi:python3 bot.py"), ("B", "random")]
    text = f'[contest]\nname = "Cup"\ngame = "{QUICK}"\nformat = "league"\n' + "".join(
        f'[[team]]\nname = "{name}"\nplayer = "{player}"\n' for name, player in teams
    )
    players = players_of(read(text, games.load), tmp_path / "contest.toml")
    assert players.players["A"] == f"ugi:python3 {tmp_path / 'bot.py'}"
    assert players.isolation is Isolation.SEPARATE


# ------------------------------------------------------------------------------------------ games


@pytest.mark.parametrize("edition", games.names())
def test_an_engine_that_knows_no_rules_plays_every_game_to_its_end(edition: str) -> None:
    assert played(engine("ugi", "ugi_engine"), edition).outcome() is not None


FAULTS = {
    "dies": ("crashed", "oh no"),
    "floods": ("crashed", "MiB and no answer"),
    "never ends a line": ("crashed", "a line without an end"),
    "babbles": ("crashed", "answered '?!'"),
    "cheats": ("illegal", ""),
}


def engines(*kinds: str, patience: float) -> ProcessExecutor:
    """Where engines play that are held as tightly as can be, against random moves."""
    players: dict[str, str | None] = {
        kind: engine("ugi", "ugi_engine", *kind.split()) for kind in kinds
    }
    limits = TimeControl(per_move=30.0, patience=patience)
    setting = Setting(probe().box(probe().best))
    return Players(QUICK, "document", players | {"B": "random"}, limits, setting).separate()


@pytest.fixture(scope="module")
def place() -> Iterator[ProcessExecutor]:
    """A place for good engines and bad ones."""
    place = engines("plays", *FAULTS, patience=60.0)
    yield place
    place.close()


def test_an_engine_plays_in_the_sandbox(place: ProcessExecutor) -> None:
    record = place.play(Pairing("match/0", ("plays", "B"), Opening(5)))
    assert not any(record.failures)
    assert record.sandbox == probe().best.text


@pytest.mark.parametrize("kind", FAULTS)
def test_whatever_an_engine_does_wrong_is_its_own_fault(place: ProcessExecutor, kind: str) -> None:
    record = place.play(Pairing("match/0", (kind, "B"), Opening(5)))
    failure, fine = record.failures
    fault, said = FAULTS[kind]
    assert failure is not None
    assert kind_of(failure.fault) == fault
    assert said in record.log
    assert fine is None
    assert record.result().ranks == (2, 1)


def test_an_engine_that_hangs_is_given_up() -> None:
    place = engines("hangs", patience=1.0)
    record = place.play(Pairing("match/0", ("hangs", "B"), Opening(5)))
    place.close()
    assert record.failures[0] is not None
    assert kind_of(record.failures[0].fault) == "silent"


def test_an_engine_that_cannot_be_started_says_so() -> None:
    with pytest.raises(EngineFailure, match="cannot be started"):
        bots.load("ugi:./there-is-no-such-program")


def test_an_option_that_an_engine_does_not_offer_is_refused() -> None:
    text = engine("ugi", "ugi_engine").replace("ugi:", "ugi[Hash=3]:", 1)
    with pytest.raises(EngineFailure, match="has no option 'Hash'"):
        bots.load(text)


def test_an_engine_ends_with_its_game() -> None:
    bot = bots.load(engine("ugi", "ugi_engine"))
    position = games.load(QUICK).start(1)
    bot.begin(position, 0)
    assert bot.choose(position, Clock(per_move=30.0)) in position.legal_moves()
    process = bot._process._process  # type: ignore[attr-defined]
    while position.outcome() is None:
        position.play(position.legal_moves()[0])
    outcome = position.outcome()
    assert outcome is not None
    bot.end(position, outcome)
    assert process.poll() is not None


def test_a_program_that_nobody_holds_any_more_is_ended() -> None:
    process = LineProcess([sys.executable, "-c", "import time; time.sleep(600)"])
    started = process._process
    del process
    assert started.wait(60) != 0


def test_an_engine_meets_a_program_on_a_server(tmp_path: Path) -> None:
    """Players of all kinds meet: the engine connects to the server behind our own client."""
    join = f"{sys.executable} -m spielleiter join {QUICK} --bot random -p {{port}}"
    program = f"{join} -h {{host}} -r {{reservation}}"
    players: dict[str, str | None] = {"A": engine("ugi", "ugi_engine"), "B": program}
    limits = TimeControl(per_move=30.0)
    made = Players(QUICK, "document", players, limits, Setting(probe().box(Level.NONE)))
    assert made.isolation is Isolation.SERVED
    record = made().play(Pairing("match/0", ("A", "B"), Opening(5)))
    assert not any(record.failures), record.log


# ------------------------------------------------------------------------- our players for others


class Talk:
    """A session with our own engine: lines in, lines out."""

    def __init__(self, game: str, bot: str = "greedy", **options: str) -> None:
        self._in: queue.Queue[str | None] = queue.Queue()
        self._out: queue.Queue[str] = queue.Queue()
        server = UgiServer(
            games.load(game), bots.factory(bot), self._out.put, name="us", options=options
        )
        lines = iter(self._in.get, None)
        self._thread = threading.Thread(target=server.run, args=(lines,), daemon=True)
        self._thread.start()

    def say(self, *lines: str) -> None:
        """Send commands."""
        for line in lines:
            self._in.put(line)

    def hear(self, first: str) -> list[str]:
        """All that is answered up to a line with that first word."""
        heard = [self._out.get(timeout=60)]
        while heard[-1].split()[0] != first:
            heard.append(self._out.get(timeout=60))
        return heard

    def ask(self, question: str) -> str:
        """The answer to a query."""
        self.say(f"query {question}")
        return self.hear("response")[-1].removeprefix("response ")

    def end(self) -> None:
        """Close the input; the session ends by itself."""
        self._in.put(None)
        self._thread.join(60)
        assert not self._thread.is_alive()


@pytest.mark.parametrize("edition", games.names())
def test_our_engine_plays_a_whole_game_by_queries_alone(edition: str) -> None:
    talk = Talk(edition, "random")
    talk.say("ugi", "isready", "uginewgame", "position startpos")
    assert talk.hear("ugiok")[0] == "id name us"
    moves: list[str] = []
    while talk.ask("gameover") == "false":
        legal = talk.ask("moves").split()
        assert talk.ask("turn") in {"p1", "p2"}
        talk.say("go movetime 1000")
        best = talk.hear("bestmove")[-1].split()[1]
        assert best in legal
        moves.append(best)
        talk.say(f"position startpos moves {' '.join(moves)}")
    assert talk.ask("result") in {"p1win", "p2win", "draw"}
    assert len(talk.ask("scores").split()) == 2
    assert games.load(edition).parse(talk.ask("fen")).outcome() is not None
    talk.end()


@pytest.mark.parametrize("limit", ["movetime 100", "nodes 500", "depth 2", "account 3000",
                                   "p1time 3000 p2time 3000 p1inc 10 p2inc 10"])  # fmt: skip
def test_our_engine_keeps_to_any_limit_and_tells_what_it_found(limit: str) -> None:
    talk = Talk(QUICK, "best")
    talk.say("position startpos", f"go {limit}")
    heard = talk.hear("bestmove")
    assert heard[-2].startswith("info depth")
    assert heard[-2].split()[heard[-2].split().index("pv") + 1] == heard[-1].split()[1]
    talk.end()


def test_a_search_without_limit_goes_on_until_it_is_stopped() -> None:
    talk = Talk(QUICK, "best")
    talk.say("go infinite")
    heard = talk.hear("info")
    talk.say("isready")
    heard += talk.hear("readyok")
    assert "bestmove" not in " ".join(heard)
    talk.say("stop")
    heard += talk.hear("bestmove")
    told = [line.split() for line in heard if line.startswith("info depth")][-1]
    assert told[told.index("pv") + 1] == heard[-1].split()[1], "the answer is what was found last"
    talk.say("go")
    talk.end()
    assert talk.hear("bestmove")


def test_a_stopped_search_is_answered_once() -> None:
    talk = Talk(QUICK, "best")
    talk.say("go nodes 1", "stop", "stop", "isready")
    assert str(talk.hear("readyok")).count("bestmove") == 1
    talk.say("quit")
    talk.end()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("position fen nonsense", "error"),
        ("position nowhere", "expected `position startpos`"),
        (f"position startpos moves {FIRST} {FIRST}", "illegal"),
        ("query weather", "unknown question"),
        ("dance", "unknown command"),
        ("setoption name nonsense value 1", "no option"),
        ("go movetime soon", "invalid literal"),
    ],
)
def test_a_wrong_command_is_explained_and_changes_nothing(line: str, problem: str) -> None:
    talk = Talk(QUICK)
    before = talk.ask("fen")
    talk.say(line)
    assert problem in talk.hear("info")[-1]
    assert talk.ask("fen") == before
    talk.end()


def test_a_finished_game_has_no_best_move() -> None:
    position = games.load(QUICK).start(1)
    while position.outcome() is None:
        position.play(position.legal_moves()[0])
    talk = Talk(QUICK)
    talk.say(f"position fen {position.text()}", "go movetime 100")
    assert talk.hear("bestmove")[-1] == "bestmove none"
    assert talk.ask("p1turn") == "false"
    assert talk.ask("turn") == "none"
    talk.end()


def test_the_conversation_in_the_documents_is_one_that_we_have() -> None:
    page = (ROOT / "docs" / "reference" / "ugi.md").read_text("utf-8")
    (talk,) = re.findall(r"^```text\n# (\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    game, lines = talk[0], talk[1].splitlines()
    said: list[str] = []
    name = "Spielleiter"
    server = UgiServer(games.load(game), bots.factory("greedy"), said.append, name=name)
    for number, line in enumerate(lines):
        if line.startswith("> "):
            said.clear()
            server.run([line.removeprefix("> ")])
            answers = list(itertools.takewhile(lambda each: each[0] == "<", lines[number + 1 :]))
            expected = [each.removeprefix("< ") for each in answers if each != "< …"]
            assert [each.partition(" …")[0] for each in expected] == [
                each[: len(want.partition(" …")[0])]
                for each, want in zip(said[-len(expected) :], expected, strict=True)
            ]


def test_the_command_speaks_lines() -> None:
    said = CliRunner().invoke(
        cli, ["ugi", QUICK, "--bot", "greedy"], input="ugi\nisready\ngo nodes 1\n"
    )
    assert said.output.splitlines()[0] == f"id name Spielleiter {QUICK} greedy"
    assert said.output.splitlines()[-1].startswith("bestmove ")
