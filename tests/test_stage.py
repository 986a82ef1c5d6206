"""Games of a running contest on its stage: at a pace to follow, and no end given away."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.errors import StoreError, UsageError
from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.programs.result_store import GAME
from spielleiter.store import Entry, Store, open_store
from spielleiter.tournament.live_games import (
    MOST_GAMES,
    LiveContestGame,
    LiveGamesWriter,
    Progress,
    live_file_of,
    read_live_games,
)
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry, from_text
from spielleiter.web.contest_reader import ContestReader, Contests
from spielleiter.web.presentation import presentation_file_of
from spielleiter.web.running_stages import ContestStages, stage_view
from spielleiter.web.stage import BREAK, COUNTDOWN, HOSTS_COUNTDOWN, PACE, RESULT, ContestStage
from tests import seasons
from tests.contests import QUICK, said
from tests.test_web import client

TEAMS = 4
SLOW = """
import time
from spielleiter import Bot

class Slow(Bot):
    name = "slow"
    def choose(self, position, clock):
        time.sleep(0.02)
        return position.legal_moves()[0]
"""


# ------------------------------------------------------------------------------------ who plays


def pairing(number: int) -> Pairing:
    return Pairing(f"game {number}", ("One", "Two"), Opening(number))


def writer(file: Path, now: Callable[[], float]) -> LiveGamesWriter:
    game = games.load(QUICK)
    return LiveGamesWriter(file, game, lambda opening: game.start(opening.seed), now)


def told(file: Path) -> tuple[LiveContestGame, ...]:
    found = read_live_games(file, time.time())
    assert found is not None
    return found


def test_the_games_that_are_played_are_told_and_gone_when_the_contest_rests(tmp_path: Path) -> None:
    file, clock = tmp_path / "some.live", iter((0.0, 0.1, 0.5))
    with writer(file, lambda: next(clock)) as live:
        live.tell(lambda: [(pairing(1), ("a", "b"))])
        (game,) = told(file)
        assert (game.players, game.moves, game.edition) == (("One", "Two"), ("a", "b"), QUICK)
        assert game.position == games.load(QUICK).start(1).text()
        live.tell(lambda: [(pairing(2), ())])
        assert told(file) == (game,), "a tenth of a second later it is too early"
        live.tell(lambda: [(pairing(2), ())])
        assert [each.key for each in told(file)] == ["game 2"]
        if os.name == "posix":
            assert file.stat().st_mode & 0o077 == 0
    assert read_live_games(file, time.time()) is None


def test_of_many_games_those_that_were_told_of_before_are_told_to_their_end(tmp_path: Path) -> None:
    file, clock = tmp_path / "some.live", iter((0.0, 1.0))
    many: list[Progress] = [(pairing(number), ()) for number in range(3 * MOST_GAMES)]
    with writer(file, lambda: next(clock)) as live:
        live.tell(lambda: many)
        before = {each.key for each in told(file)}
        live.tell(lambda: reversed(many))
        assert {each.key for each in told(file)} == before
        assert len(before) == MOST_GAMES


def test_what_a_killed_process_left_or_somebody_damaged_is_no_game(tmp_path: Path) -> None:
    file = tmp_path / "some.live"
    writer(file, lambda: 0.0).tell(lambda: [(pairing(1), ())])
    assert read_live_games(file, time.time() + 60) is None
    for content in (b"", b"[", b'[{"key": 1}]', b"7", b"\xff"):
        file.write_bytes(content)
        assert read_live_games(file, time.time()) is None


def test_a_disk_that_is_full_hides_games_and_stops_nothing(tmp_path: Path) -> None:
    with writer(tmp_path / "missing" / "some.live", lambda: 0.0) as live:
        live.tell(lambda: [(pairing(1), ())])


def test_a_contest_that_is_run_tells_its_games_until_it_is_killed(tmp_path: Path) -> None:
    live = live_file_of(killed_contest(tmp_path))
    assert live.exists(), "whoever is killed cannot clear up"
    assert read_live_games(live, time.time() + 60) is None


@pytest.mark.deep
def test_a_contest_that_was_killed_goes_on_and_clears_up(tmp_path: Path) -> None:
    file = killed_contest(tmp_path)
    said(tmp_path, "contest", "run", file.name, "--skip-check")
    assert not live_file_of(file).exists()
    assert "2 games verified" in said(tmp_path, "contest", "verify", file.name)


def killed_contest(tmp_path: Path) -> Path:
    """A contest that was killed when the moves of a running game were told."""
    (tmp_path / "bots.py").write_text(SLOW)
    file = seasons.league(tmp_path, 2, player="bots.py:Slow")
    live = live_file_of(file)
    with seasons.running(file):
        until(lambda: any(game.moves for game in read_live_games(live, time.time()) or ()))
    return file


def until(is_so: Callable[[], bool], patience: float = 120.0) -> None:
    late = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < late
        time.sleep(0.01)


# -------------------------------------------------------------------------------------- the stage


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league that was played."""
    path = seasons.league(tmp_path_factory.mktemp("whole"), TEAMS)
    seasons.play(path)
    return path


class Hall:
    """A contest whose games are told and kept one by one, and its stage, by a clock of our own."""

    def __init__(self, whole: Path, folder: Path) -> None:
        self.path = folder / "hall.toml"
        shutil.copy(whole, self.path)
        self.reader, self.now, self._live = self.opened(), 1_000.0, 0.0
        self.stage = ContestStage(self.reader, time.time)
        with closing(open_store(whole.with_suffix(".db"))) as source:
            self._kept = [(entry, from_text(entry.data)) for entry in source.read(GAME)]
            self._store: Store = open_store(self.path.with_suffix(".db"))
            self._store.append(list(source.read("contest")))

    def opened(self) -> ContestReader:
        return ContestReader("hall", self.path, opened_if_begun)

    def close(self) -> None:
        self.reader.close()
        self._store.close()

    def game(self, number: int) -> ContestEntry:
        return self._kept[number][1]

    def key(self, number: int) -> str:
        return self.game(number).pairing.key

    def keep(self, *numbers: int) -> None:
        """These games are over."""
        entries: list[Entry] = [self._kept[number][0] for number in numbers]
        self._store.append(entries)

    def tell(self, **moves: int) -> None:
        """These games are being played: `g0=7` is the first one after seven moves."""
        self._live += 1.0
        edition = games.load(QUICK)
        live = LiveGamesWriter(
            live_file_of(self.path),
            edition,
            lambda opening: edition.start(opening.seed, **dict(opening.options)),
            lambda: self._live,
        )
        found = [(self.game(int(name[1:])), count) for name, count in moves.items()]
        live.tell(lambda: [(each.pairing, each.events.moves[:count]) for each, count in found])

    def wait(self, seconds: float) -> bool:
        """So many seconds go by; whether there was anything to see."""
        seen, end = False, self.now + seconds
        while self.now < end:
            self.now += 0.25
            seen |= self.stage.advance(self.now)
        return seen

    @property
    def state(self) -> str:
        return self.stage.scene.state

    @property
    def counted(self) -> int:
        return self.reader.view().played


@pytest.fixture
def hall(whole: Path, tmp_path: Path) -> Iterator[Hall]:
    found = Hall(whole, tmp_path)
    yield found
    found.close()


def test_while_nobody_plays_the_stage_is_empty(hall: Hall) -> None:
    hall.keep(0, 1)
    assert not hall.wait(5)
    assert hall.state == "idle"


def test_a_game_is_shown_move_by_move_and_counts_when_its_last_move_was_shown(hall: Hall) -> None:
    hall.tell(g0=3)
    hall.wait(1)
    scene = hall.stage.scene
    assert (scene.state, scene.turn) == ("countdown", 0)
    hall.wait(COUNTDOWN)
    hall.wait(2 * PACE)
    assert (hall.state, hall.stage.scene.turn) == ("playing", 2)
    hall.wait(5 * PACE)
    assert hall.stage.scene.turn == 3, "the fourth move has not been made"
    hall.keep(0)
    hall.tell(g1=0)
    last = len(hall.game(0).events.moves)
    hall.wait((last - 4) * PACE)
    assert hall.state == "playing"
    assert (hall.reader.version > 0, hall.counted) == (True, 0)
    hall.wait(4 * PACE)
    assert (hall.state, hall.stage.scene.turn) == ("over", last)
    assert hall.counted == 1
    hall.tell(g1=0)
    hall.wait(RESULT)
    assert hall.state == "break"
    hall.tell(g1=0)
    hall.wait(BREAK)
    assert hall.state == "countdown"
    assert hall.stage.scene.staged is not None
    assert hall.stage.scene.staged.key == hall.key(1)


def test_nobody_finds_out_how_a_game_on_stage_ended(hall: Hall) -> None:
    hall.tell(g0=1)
    hall.wait(COUNTDOWN + 2)
    hall.keep(0)
    hall.wait(2)
    view = hall.reader.view()
    (number,) = hall.reader.numbers.values()
    meeting = hall.reader.meeting(hall.key(0).rpartition("/")[0])
    assert meeting is not None
    assert (view.played, view.latest, meeting.games[0].id) == (0, None, None)
    assert meeting.games[0].ranks is None
    assert hall.reader.entry(number) is None
    told = stage_view(hall.stage.scene, hall.reader, "en").game
    assert told is not None
    assert (told.result, told.replay) == (None, None)
    hall.stage.leave()
    assert hall.reader.entry(number) is not None


def test_the_game_of_the_best_teams_is_shown(hall: Hall) -> None:
    hall.keep(*range(6))
    places = hall.reader.places()

    def rank(number: int) -> int:
        return sum(places[team] for team in hall.game(number).pairing.players)

    best = min(range(6, 12), key=rank)
    hall.tell(**{f"g{number}": 0 for number in range(6, 12)})
    hall.wait(1)
    assert hall.stage.scene.staged is not None
    assert rank(best) == sum(places[team] for team in hall.stage.scene.staged.names)


def test_games_too_quick_to_be_seen_are_shown_when_they_are_over(hall: Hall) -> None:
    hall.keep(0)
    hall.tell()
    hall.wait(1)
    hall.keep(1, 2)
    hall.wait(2)
    staged = hall.stage.scene.staged
    assert staged is not None
    assert staged.key == hall.key(2)
    assert hall.counted == 2


def test_a_game_that_died_with_its_process_is_given_up(hall: Hall) -> None:
    hall.tell(g0=2)
    hall.wait(COUNTDOWN + 3)
    live_file_of(hall.path).unlink()
    hall.wait(60)
    assert hall.state == "idle"
    hall.tell(g1=0)
    hall.wait(2)
    assert hall.stage.scene.staged is not None


# ---------------------------------------------------------------------------------------- the host


def test_a_host_starts_game_by_game_and_a_restart_gives_nothing_away(hall: Hall) -> None:
    hall.keep(0)
    hall.wait(1)
    hall.stage.host(True)
    hall.keep(1, 2)
    hall.wait(2)
    assert [each.key for each in hall.stage.scene.ready] == [hall.key(1), hall.key(2)]
    assert hall.counted == 1
    with closing(hall.opened()) as restarted:
        assert restarted.view().played == 1
    hall.stage.start(hall.key(2), hall.now)
    hall.wait(1)
    assert (hall.state, hall.stage.scene.seconds) == ("countdown", HOSTS_COUNTDOWN - 1)
    with pytest.raises(UsageError):
        hall.stage.start(hall.key(1), hall.now)
    hall.wait(HOSTS_COUNTDOWN + 3)
    hall.stage.skip(hall.now)
    hall.wait(1)
    assert hall.state == "over"
    assert [each.key for each in hall.stage.scene.ready] == [hall.key(1)]
    assert hall.counted == 2
    hall.wait(RESULT + BREAK)
    assert [each.key for each in hall.stage.scene.ready] == [hall.key(1)]
    with closing(hall.opened()) as restarted:
        assert restarted.view().played == 2
    hall.stage.host(False)
    assert hall.counted == 3


def test_what_was_kept_of_a_host_must_not_be_damaged(hall: Hall) -> None:
    presentation_file_of(hall.path).write_text("{")
    with pytest.raises(StoreError):
        hall.opened().view()


def test_a_game_that_is_not_ready_is_not_started(hall: Hall) -> None:
    hall.keep(0)
    hall.stage.host(True)
    for key in ("", "none", hall.key(0)):
        with pytest.raises(UsageError):
            hall.stage.start(key, hall.now)


# ------------------------------------------------------------------------------------------ routes


def test_everybody_watches_and_only_organisers_are_hosts(hall: Hall) -> None:
    contests = Contests(opened_if_begun, [hall.path])
    visitor = client(contests=contests, stages=ContestStages(contests))
    assert visitor.get("/api/contests/none/stage").status_code == 404
    orders: tuple[tuple[str, Any], ...] = (
        ("host", {"hosted": True}),
        ("start", {"key": "x"}),
        ("skip", {}),
    )
    for verb, order in orders:
        answer = visitor.post(f"/api/contests/hall/stage/{verb}", json=order)
        assert (answer.status_code, answer.json()["detail"]["code"]) == (401, "login-needed")
    session = visitor.post("/api/first-password", json={"password": "open sesame"}).json()
    key = {"x-csrf-token": session["csrf"]}
    for verb, order, status in (("host", {"hosted": True}, 204), ("start", {"key": "x"}, 409)):
        answer = visitor.post(f"/api/contests/hall/stage/{verb}", json=order, headers=key)
        assert answer.status_code == status, answer.text
    contests.close()


def test_a_stage_goes_on_while_somebody_watches_and_all_are_told_the_same(hall: Hall) -> None:
    hall.tell(g0=2)

    async def watched() -> list[bytes]:
        contests = Contests(opened_if_begun, [hall.path])
        stages = ContestStages(contests)
        stage = stages.of("hall")
        assert stage is not None
        assert stages.of("hall") is stage
        heard = await asyncio.gather(*(_first(stage.feed.listen("en", None)) for _ in range(2)))
        await stages.close()
        assert stages.spectators == 0
        contests.close()
        return heard

    one, other = asyncio.run(watched())
    assert one == other
    assert b'"state":"countdown"' in one


async def _first(stream: AsyncIterator[bytes]) -> bytes:
    """The first word of a stream that tells of a game."""
    async for chunk in stream:
        if b'"game":{' in chunk:
            return chunk
    raise AssertionError("no game was told of")
