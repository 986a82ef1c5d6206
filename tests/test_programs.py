"""Programs wait ready for their game, and nobody is charged for time that was not his."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.errors import MachineError
from spielleiter.game import Bot, Clock
from spielleiter.match import Ended, Event, Kind, TurnBegan
from spielleiter.programs.entrants import _entrants
from spielleiter.programs.own_files import OwnFiles, own_files
from spielleiter.programs.player_process import _questions, prepare
from spielleiter.programs.players import Players, kept_waiting
from spielleiter.programs.process_executor import ProcessExecutor
from spielleiter.programs.processor_waits import RunQueueMeter
from spielleiter.programs.program import program
from spielleiter.programs.remote_player import PlayerStarter
from spielleiter.programs.server_executor import ServerExecutor
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Box, Level, RunningProgram, probe, scheduling
from spielleiter.tournament.executor import NoWatcher
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import kind_of
from spielleiter.tournament.time_control import TimeControl
from tests.contests import BOTS, PROGRAM, QUICK, SPOKEN, said


class Watched(ServerExecutor):
    """Keeps what the referee told of every game."""

    told: list[list[Event]]

    def _recorded(self, pairing: Pairing, sitting: Any, printed: Any) -> Any:
        self.told.append(list(sitting.events))
        return super()._recorded(pairing, sitting, printed)


@pytest.fixture
def place(tmp_path: Path) -> Watched:
    (tmp_path / "bots.py").write_text(BOTS)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"{sys.executable} {tmp_path / 'program.py'} Fine -h {{host}} -p {{port}}"
    players: dict[str, str | None] = dict.fromkeys("AB", f"{command} -r {{reservation}}")
    edition = games.load(SPOKEN)
    level = Level.LIMITS if sys.platform != "win32" else Level.NONE
    made = Watched(
        edition, players, TimeControl(60.0), lambda opening: edition.start(opening.seed),
        Setting(Box(level)),
    )  # fmt: skip
    made.told = []
    return made


# On Linux make test has three games that follow each other.
@pytest.mark.deep
def test_the_next_game_begins_as_soon_as_the_table_is_free(place: Watched) -> None:
    first, second = (Pairing(f"match/{n}", ("A", "B"), Opening(n)) for n in (1, 2))
    place.expect(first)
    place.expect(second)
    for each in (first, second):
        place._expected[each.key].result(60)  # all four programs have their seats
    records = [place.play(first), place.play(second)]
    assert [record.failures for record in records] == [(None, None), (None, None)]
    assert [record.pairing for record in records] == [first, second]
    assert records[0].events != records[1].events
    ended = next(event.at for event in place.told[0] if isinstance(event, Ended))
    began = next(event.at for event in place.told[1] if isinstance(event, TurnBegan))
    assert ended < began, "one game at a time"
    assert all(record.sandbox == "limits" for record in records) or sys.platform == "win32"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the supervisor wakes them up")
def test_games_whose_players_wait_follow_each_other_before_they_are_cleaned_up(
    place: Watched,
) -> None:
    pairings = [Pairing(f"match/{n}", ("A", "B"), Opening(n)) for n in (1, 2, 3)]
    for each in pairings:
        place.expect(each)
    seated = [place._expected[each.key].result(60) for each in pairings]
    for running in (running for game in seated for running in game._programs):
        while running is not None and not scheduling._stopped(running.pid or 0):
            time.sleep(0.001)
    records = [place.play(pairings[0])]
    while not seated[2].is_over:
        time.sleep(0.001)
    records += map(place.play, pairings[1:])
    assert [record.failures for record in records] == [(None, None)] * 3
    assert [record.pairing for record in records] == pairings
    assert records[0].events != records[1].events != records[2].events
    assert all(record.sandbox == "limits" for record in records)
    for before, after in itertools.pairwise(place.told):
        ended = next(event.at for event in before if isinstance(event, Ended))
        assert ended < next(event.at for event in after if isinstance(event, TurnBegan))


def test_a_game_that_was_not_expected_is_played_all_the_same(place: Watched) -> None:
    pairing = Pairing("match/0", ("A", "B"), Opening(0))
    place.expect(Pairing("match/9", ("A", "B"), Opening(9)))
    record = place.play(pairing)
    assert record.failures == (None, None)
    place._expected["match/9"].result(60).end()


class Slow(Bot):
    """Takes three seconds of a clock that it moves itself."""

    name = "slow"
    clock = 0.0

    def choose(self, position: Any, clock: Clock) -> Any:
        type(self).clock += 3.0
        return position.legal_moves()[0]


@pytest.mark.parametrize(
    ("others", "late"), [(None, True), (0.5, True), (1.5, False), (9.9, False)]
)
def test_time_that_others_had_the_processor_is_not_charged(
    others: float | None, late: bool
) -> None:
    Slow.clock = 0.0
    edition = games.load(QUICK)
    table = InProcessExecutor(
        lambda opening: edition.start(opening.seed),
        {"A": lambda seed: Slow(), "B": lambda seed: Slow()},
        TimeControl(2.0),
        lambda: Slow.clock,
        None if others is None else lambda: Slow.clock / 3.0 * others,
    )
    record = table.play(Pairing("match/0", ("A", "B"), Opening(0)))
    faults = [each.fault.kind for each in record.failures if each is not None]
    assert faults == ([Kind.LATE] if late else [])
    assert late or max(record.events.spent) <= 2.0


class Sleepy(Slow):
    """Takes long to wake up, and no time to think."""

    def wake(self) -> None:
        Slow.clock += 5.0

    def choose(self, position: Any, clock: Clock) -> Any:
        return position.legal_moves()[0]


def test_waking_a_player_that_stood_still_is_not_its_time() -> None:
    Slow.clock = 0.0
    edition = games.load(QUICK)
    table = InProcessExecutor(
        lambda opening: edition.start(opening.seed),
        {"A": lambda seed: Sleepy(), "B": lambda seed: Sleepy()},
        TimeControl(2.0),
        lambda: Slow.clock,
    )
    record = table.play(Pairing("match/0", ("A", "B"), Opening(0)))
    assert record.failures == (None, None)
    assert max(record.events.spent) == 0.0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_a_process_that_does_several_things_at_a_time_keeps_itself_waiting() -> None:
    script = "import sys, threading; {}; print(); sys.stdin.read()"
    threads = "[threading.Thread(target=sys.stdin.read, daemon=True).start() for _ in range(3)]"
    for work, may_be_excused in (("sum(range(10**6))", True), (threads, False)):
        process = subprocess.Popen(
            [sys.executable, "-c", script.format(work)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        with RunQueueMeter(process.pid) as meter:
            assert meter.waking_up() > 0.0, "at the first move both are credited"
            assert meter.waited() > 0.0
            assert (meter.waited_since(0.0) > 0.0) is may_be_excused
            process.communicate()
            gone = meter.waited(), meter.waited_since(0.0), meter.waking_up()
            assert gone == (0.0, 0.0, 0.0), "who is gone waits no more"
    with RunQueueMeter(None) as nobody:
        assert nobody.waking_up() == nobody.waited() == nobody.waited_since(0.0) == 0.0


def test_the_system_tells_how_long_we_waited() -> None:
    waited = kept_waiting()
    if waited is None:
        pytest.skip("this system does not say how long a thread waited for a processor")
    assert 0.0 <= waited() <= waited()


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path


def test_a_python_file_has_a_process_of_its_own_as_tightly_held_as_can_be(bot: Path) -> None:
    words = (
        "bots.py:Fine", "random", "--game", QUICK, "--games", "2", "--nodes", "9",
    )  # fmt: skip
    found = json.loads(said(bot, "match", *words, "--json"))
    assert found["sandbox"] == [probe().best.text]
    assert [each["faults"] for each in found["players"]] == [[], []]
    trusted = json.loads(said(bot, "match", *words, "--trust-files", "--json", "--store", "t.db"))
    assert trusted["sandbox"] == ["trusted"]
    spoken = said(bot, "match", *words, "--sandbox", "none", "--freeze", status=2)
    assert "only a program in a sandbox can be frozen" in spoken


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no server forks players")
def test_a_server_of_players_that_was_killed_is_replaced_and_nobody_is_blamed(bot: Path) -> None:
    if probe().best is Level.NONE:
        pytest.skip("no sandbox here")
    box = probe().box(probe().best)
    starter = PlayerStarter(games.load(QUICK), Setting(box), patience=60.0)
    file = bot / "bots.py"
    own = own_files(file, Setting(box))
    with closing(starter):
        starter.start(f"{file}:Fine", own).close()
        (server,) = (each for each in children_of(os.getpid()) if is_forkserver(each))
        os.kill(server, signal.SIGKILL)
        with pytest.raises(MachineError, match="no player can be started"):
            starter.start(f"{file}:Fine", own)
        again = starter.start(f"{file}:Fine", own)
        again.make(f"{file}:Fine", 1)
        again.close()


def children_of(pid: int) -> list[int]:
    lists = [each.read_text() for each in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for text in lists for child in text.split()]


def is_forkserver(pid: int) -> bool:
    return b"spielleiter.sandbox.forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize("level", list(Level))
def test_a_game_is_the_same_wherever_its_players_run(bot: Path, level: Level) -> None:
    if level > probe().best:
        pytest.skip(f"sandbox level {level.text} is out of reach")
    pairing = Pairing("match/0", ("A", "B"), Opening(5))
    players: dict[str, str | None] = {"A": f"{bot / 'bots.py'}:Fine", "B": "greedy"}
    made = Players(QUICK, "document", players, TimeControl(nodes=9), Setting(probe().box(level)))
    place = made.separate()
    apart = place.play(pairing)
    place.close()
    trusted = replace(made, setting=Setting(trust_files=True))().play(pairing)
    assert apart.events.moves == trusted.events.moves
    assert apart.result().scores == trusted.result().scores
    assert (apart.sandbox, trusted.sandbox) == (level.text, "trusted")


@pytest.mark.parametrize(
    ("kind", "fault", "printed"),
    [
        ("Raises", "crashed", "ValueError: no idea"),
        ("Dies", "crashed", ""),
        ("Hangs", "silent", ""),
        ("Leaves", "crashed", "I am off"),
        ("Unborn", "crashed", "not today"),
        ("Babbles", "illegal", ""),
        ("Missing", "crashed", "holds no class"),
    ],
)
def test_a_player_that_fails_loses_and_what_it_printed_is_kept(
    bot: Path, kind: str, fault: str, printed: str
) -> None:
    players: dict[str, str | None] = {"A": f"{bot / 'bots.py'}:{kind}", "B": "random"}
    setting = Setting(probe().box(probe().best))
    place = Players(QUICK, "document", players, TimeControl(patience=3.0), setting).separate()
    record = place.play(Pairing("match/0", ("A", "B"), Opening(5)))
    place.close()
    failure = record.failures[0]
    assert failure is not None
    assert kind_of(failure.fault) == fault
    assert record.failures[1] is None
    assert record.result().ranks == (2, 1)
    assert printed in record.log
    assert not record.log or record.log.startswith("--- A\n")


def test_a_player_sees_its_folder_if_it_is_its_own_and_else_its_file_alone(tmp_path: Path) -> None:
    for name in (
        "red/bot.py",
        "red/weights.txt",
        "blue.py",
        "green.py",
        "contest.toml",
        "games.db",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    red, blue, green = (tmp_path / name for name in ("red/bot.py", "blue.py", "green.py"))
    setting = Setting(foreign=(red, blue, green), hidden=(tmp_path / "games.db",))
    assert own_files(red, setting) == OwnFiles(tmp_path / "red")
    assert own_files(blue, setting) == OwnFiles(files=(blue,))
    alone = Setting(foreign=(blue,), hidden=(tmp_path / "games.db",))
    assert own_files(blue, alone) == OwnFiles(tmp_path, hidden=(tmp_path / "games.db",))
    assert own_files(Path.home() / "bot.py", Setting()).folder is None


def test_an_unpacked_zip_is_read_only_and_whatever_was_changed_is_unpacked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        archive.writestr("start.sh", "#!/bin/sh\necho fair\n")
        archive.writestr("data/weights", "1 2 3")
    found = program(str(tmp_path / "bot.zip"))
    assert found.own.folder is not None
    script, weights = found.own.folder / "start.sh", found.own.folder / "data" / "weights"
    assert not any(path.stat().st_mode & 0o222 for path in (script, weights, weights.parent))
    before = weights.stat()
    for change in (
        lambda: script.write_text("#!/bin/sh\necho foul\n"),
        lambda: weights.unlink(),
        lambda: (weights.parent / "more.py").write_text("evil"),
    ):
        for path in (found.own.folder, weights.parent, script, weights):
            path.chmod(0o755)
        change()
        os.utime(weights.parent, ns=(before.st_atime_ns, before.st_mtime_ns))
        found.order({"{port}": "1"})
        assert script.read_text() == "#!/bin/sh\necho fair\n"
        assert weights.read_text() == "1 2 3"
        assert [path.name for path in weights.parent.iterdir()] == ["weights"]


def test_while_players_are_tried_none_sees_the_files_of_another_team(tmp_path: Path) -> None:
    texts: dict[str, str | None] = {}
    for name in ("red", "blue"):
        (tmp_path / f"{name}.py").write_text("")
        texts[name] = str(tmp_path / f"{name}.py")
    players = Players(QUICK, "document", texts, TimeControl())
    for text, entrant in _entrants(players, 2).items():
        assert own_files(Path(text), entrant.setting) == OwnFiles(files=(Path(text),))


def test_warming_up_leaves_nothing_behind_but_what_was_loaded() -> None:
    game = games.load(SPOKEN)
    path, modules = list(sys.path), set(sys.modules)
    prepare(SPOKEN, "document")
    assert sys.path == path
    assert not [name for name in set(sys.modules) - modules if "warm_up" in name]
    asked = list(_questions(game.start(0), "bot.py"))
    positions = [game.parse(each["choose"]) for each in asked if "choose" in each]
    assert len(positions) > 5
    assert all(position.legal_moves() for position in positions)


PAUSES = """
class Pauses(Fine):
    def answer(self, position):
        if self.moves > 1:
            time.sleep(60)
        return super().answer(position)
"""


class Assassin(NoWatcher):
    """Kills a program's supervisor after the first move."""

    def __init__(self) -> None:
        self.running: list[RunningProgram] = []

    def played(self, move: str) -> None:
        for each in self.running[:1]:
            assert each.pid is not None
            os.kill(each.pid, signal.SIGKILL)
        self.running.clear()


@pytest.mark.skipif(sys.platform != "linux", reason="nowhere else is there this level")
@pytest.mark.parametrize("kind", ["a program at a server", "a Python file"])
def test_a_game_whose_supervisor_was_killed_counts_for_nobody(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for level, reason in probe().missing:
        if level <= Level.ISOLATED:
            pytest.skip(f"sandbox level {level.text}: {reason}")
    (tmp_path / "bots.py").write_text(BOTS + PAUSES)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"{sys.executable} {tmp_path / 'program.py'} Pauses -h {{host}} -p {{port}}"
    at_server = kind == "a program at a server"
    text = f"{command} -r {{reservation}}" if at_server else f"{tmp_path / 'bots.py'}:Pauses"
    assassin, begin = Assassin(), RunningProgram.__init__

    def begun(running: RunningProgram, *arguments: Any, **how: Any) -> None:
        begin(running, *arguments, **how)
        assassin.running.append(running)

    monkeypatch.setattr(RunningProgram, "__init__", begun)
    players: dict[str, str | None] = dict.fromkeys("AB", text)
    setting = Setting(probe().box(Level.ISOLATED), warm=False)
    place = Players(SPOKEN, "document", players, TimeControl(60.0), setting)()
    try:
        with pytest.raises(MachineError, match="the supervisor of a player was killed"):
            place.play(Pairing("match/1", ("A", "B"), Opening(1)), assassin)
    finally:
        if isinstance(place, ProcessExecutor):
            place.close()
