"""Strangers on the organiser's machine that come to a check before the bot that is checked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.client.finding import Finding, Severity
from spielleiter.game import Game
from spielleiter.handin import trial
from spielleiter.handin.candidate import StartableBot, TrialProgram
from spielleiter.handin.project import is_binary
from spielleiter.handin.sandboxed import sandboxed_candidate
from spielleiter.handin.start_command import candidate_of
from spielleiter.sandbox import Level, probe
from tests.attack.ports import listening_ports
from tests.conftest import in_turns
from tests.contests import SPOKEN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose it is")

GAMES = [SPOKEN, *(name for name in games.names() if is_binary(games.load(name)))][:2]
CASES = list(product(GAMES, [None, Level.LIMITS, Level.ISOLATED]))
KNOCKS = 8
STRANGER = """
import socket, struct, sys
code, knocks, *ports = sys.argv[1:]
xml = '<protocol><authenticate password="examplepassword"/>'
xml += f'<joinPrepared reservationCode="{code}"/>'
said, kept = xml.encode() if code else struct.pack(">BIB", 1, 1, 9), []
for port in ports * int(knocks):
    try:
        kept.append(socket.create_connection(("127.0.0.1", int(port))))
        kept[-1].sendall(said)
    except OSError:
        pass  # closed already
print("ready", flush=True)
sys.stdin.read()
"""


@dataclass
class Attacked:
    """A bot that always comes last: before its start strangers connect wherever they can."""

    bot: StartableBot
    staying: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, host: str, port: int, reservation: str = "") -> TrialProgram:
        with self._stranger(reservation) as leaving:
            assert leaving.stdin is not None
            leaving.stdin.close()
        self.staying.append(self._stranger(reservation))
        return self.bot.start(host, port, reservation)

    def _stranger(self, code: str) -> subprocess.Popen[bytes]:
        ports = map(str, listening_ports(os.getpid()))
        words = [sys.executable, "-c", STRANGER, code, str(KNOCKS), *ports]
        started = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        return started

    def end(self) -> None:
        for each in self.staying:
            each.kill()
            each.communicate()


@contextmanager
def attacked(level: Level | None, game: Game, folder: Path) -> Iterator[Attacked]:
    if level is None:
        bot: StartableBot | None = candidate_of("random", game, None, folder, lambda finding: None)
    elif level > probe().best:
        pytest.skip(f"sandbox level {level.text}: {dict(probe().missing)[level]}")
    else:
        bot = sandboxed_candidate("random", game, probe().box(level))
    assert bot is not None
    attack = Attacked(bot)
    try:
        yield attack
    finally:
        attack.end()


@pytest.mark.parametrize("case", in_turns(CASES, lambda case: str(case[1])), ids=str)
def test_a_stranger_who_connects_first_neither_plays_for_a_bot_nor_keeps_it_out(
    case: tuple[str, Level | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, level = case
    monkeypatch.setattr(trial, "GAMES", trial.GAMES[:1])
    monkeypatch.setattr(trial, "COURSE", trial.GAMES)
    monkeypatch.setattr(trial, "ALL", ())
    monkeypatch.setattr(trial, "MOVE_SECONDS", 60.0)
    monkeypatch.setattr(trial, "SILENCE", 90.0)
    game, found = games.load(name), list[Finding]()
    with attacked(level, game, tmp_path) as bot:
        trial.try_out(bot, game, found.append)
    assert [each.about for each in found if each.severity is Severity.FINE][:1] == ["game"], found
    assert not [each for each in found if each.severity is Severity.PROBLEM], found
    (said,) = (each for each in found if each.about == "strangers")
    assert f"{2 * KNOCKS} connections of other programs were refused" in said.text
