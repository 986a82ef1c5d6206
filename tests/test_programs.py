"""Programs wait ready for their game, and nobody is charged for time that was not his."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.cli._tables import kept_waiting
from spielleiter.game import Bot, Clock
from spielleiter.match import Ended, Event, Kind, TurnBegan
from spielleiter.programs.play import Served
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Box, Level
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl
from tests.contests import BOTS, PROGRAM, QUICK, SPOKEN, said


class Watched(Served):
    """Keeps what the referee told of every game."""

    told: list[list[Event]]

    def _recorded(self, pairing: Pairing, sitting: Any, log: str) -> Any:
        self.told.append(list(sitting.events))
        return super()._recorded(pairing, sitting, log)


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


def test_the_system_tells_how_long_we_waited() -> None:
    waited = kept_waiting()
    if waited is None:
        pytest.skip("this system does not say how long a thread waited for a processor")
    assert 0.0 <= waited() <= waited()


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path


def test_a_python_file_is_a_program_if_a_level_is_asked_for(bot: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("there are no limits on Windows")
    words = (
        "bots.py:Fine", "random", "--game", SPOKEN, "--games", "2", "--time", "60s",
        "--store", "kept.db",
    )  # fmt: skip
    found = json.loads(said(bot, "match", *words, "--sandbox", "limits", "--json"))
    assert found["sandbox"] == ["limits"]
    assert [each["faults"] for each in found["players"]] == [[], []]
    spoken = said(bot, "match", *words, "--sandbox", "none", "--freeze", status=2)
    assert "only a program in a sandbox can be frozen" in spoken
