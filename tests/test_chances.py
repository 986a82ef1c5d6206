"""What scores mean for people, how scenes are sent in sequence, uploads."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.errors import TextError
from spielleiter.game import UNKNOWN, Game, Outcome
from spielleiter.review.chances import ScoredLine, chance, chances, decided, grade, verdict
from spielleiter.service.analysis_worker import PLAYOUTS, Analyst, engines
from spielleiter.web.language import translator
from spielleiter.web.library import SceneSequence
from spielleiter.web.scene_sequence import scene_sequence
from spielleiter.web.serialisation import scene_of
from spielleiter.web.uploads import Uploads, unpacked
from tests.conftest import IS_PLAIN

ONE_AUTHORITY = True
GOOD, BAD = ScoredLine(200, ("a",)), ScoredLine(-200, ("b",))


def test_a_score_is_a_chance_and_certain_beyond_its_bounds() -> None:
    assert chance(0) == 0.5
    assert chance(400) == pytest.approx(10 / 11)
    assert (chance(30_990), chance(-30_990)) == (1.0, 0.0)
    assert (ScoredLine(30_997, ()).ends_in, ScoredLine(-30_990, ()).ends_in, GOOD.ends_in) == (
        3,
        10,
        None,
    )
    assert (ScoredLine(30_012, ()).ends_by, ScoredLine(-30_225, ()).ends_by, GOOD.ends_by) == (
        12,
        225,
        None,
    )
    assert (ScoredLine(30_012, ()).ends_in, ScoredLine(30_997, ()).ends_by) == (None, None)
    assert (ScoredLine(30_000, ()).ends_in, ScoredLine(-30_000, ()).ends_by) == (None, None)


def test_with_two_seats_the_other_has_the_rest_and_with_more_nobody_knows() -> None:
    assert sum(each or 0 for each in chances(2, 1, GOOD)) == pytest.approx(1)
    assert chances(2, 1, GOOD)[1] == GOOD.chance
    assert chances(3, 1, GOOD) == (None, GOOD.chance, None)
    assert decided(Outcome((1, 1, 3), (0, 0, 0), "")) == (0.5, 0.5, 0.0)


def test_an_engine_without_time_to_think_tells_no_chances() -> None:
    nothing = ScoredLine(UNKNOWN, ("a",))
    assert chances(2, 0, nothing) == (None, None)
    assert chances(3, 1, nothing) == (None, None, None)
    assert verdict(0, "c", [GOOD, BAD], chances(2, 1, nothing)) is None


def test_a_move_is_judged_by_what_is_left_after_it() -> None:
    found = verdict(0, "c", [GOOD, BAD], (0.2, 0.8))
    assert found is not None
    assert (found.grade, found.better) == ("blunder", GOOD)
    assert found.drop == pytest.approx(GOOD.chance - 0.2, abs=5e-5)
    fine = verdict(0, "c", [GOOD, BAD], (0.99, 0.01))
    assert fine is not None
    assert (fine.drop, fine.grade) == (0.0, "good")


@pytest.mark.parametrize(
    ("given", "drop", "grade"),
    [
        (0.09994, 0.0999, "good"),
        (0.09996, 0.1, "inaccuracy"),
        (0.19994, 0.1999, "inaccuracy"),
        (0.19996, 0.2, "mistake"),
        (0.29994, 0.2999, "mistake"),
        (0.29996, 0.3, "blunder"),
    ],
)
def test_the_grade_is_the_one_of_the_number_people_see(
    given: float, drop: float, grade: str
) -> None:
    kept = GOOD.chance - given
    found = verdict(0, "c", [GOOD, BAD], (kept, 1 - kept))
    assert found is not None
    assert (found.drop, found.grade) == (drop, grade)


@pytest.mark.parametrize(
    ("name", "losses"),
    [
        ("good", (0.0, 0.0999)),
        ("inaccuracy", (0.1, 0.1999)),
        ("mistake", (0.2, 0.2999)),
        ("blunder", (0.3, 1.0)),
    ],
)
def test_a_grade_begins_exactly_at_its_loss(name: str, losses: tuple[float, ...]) -> None:
    assert [grade(each) for each in losses] == [name] * len(losses)


def test_the_best_move_gave_nothing_away_whatever_came_of_it() -> None:
    found = verdict(0, "a", [GOOD, BAD], (0.0, 1.0))
    assert found is not None
    assert found.drop == 0.0


def test_a_move_of_several_players_is_judged_by_its_own_line() -> None:
    found = verdict(0, "b", [GOOD, BAD], (None, 0.3, None))
    assert found is not None
    assert found.drop == pytest.approx(GOOD.chance - BAD.chance, abs=5e-5)
    assert verdict(0, "c", [GOOD, BAD], (None, 0.3, None)) is None
    assert verdict(0, "c", [GOOD, ScoredLine(-31_000, ("c",))], (None, 0.3, None)) is None


def expanded(sequence: dict[str, Any]) -> list[dict[str, Any]]:
    """As the viewer does it."""
    trays = [
        {**tray, "tokens": [sequence["tokens"][each] for each in tray["tokens"]]}
        for tray in sequence["trays"]
    ]
    return [
        {
            **sequence["boards"][scene["board"]],
            "tokens": [sequence["tokens"][each] for each in scene["tokens"]],
            "trays": [trays[each] for each in scene["trays"]],
            "marks": scene["marks"],
            "status": scene["status"],
            "title": scene["title"],
        }
        for scene in sequence["scenes"]
    ]


def test_a_sequence_holds_every_scene(game: Game) -> None:
    position, said, scenes = game.start(2), translator(game, "de"), []
    for _ in range(12):
        scenes.append(game.scene(position, None))
        position.play(position.legal_moves()[0])
    sequence = SceneSequence.model_validate(scene_sequence(scenes, said)).model_dump(mode="json")
    assert expanded(sequence) == [scene_of(scene, said).model_dump(mode="json") for scene in scenes]
    assert len(sequence["boards"]) == 1
    once = {repr(token) for token in sequence["tokens"]}
    assert len(once) == len(sequence["tokens"]), "what lies there for many turns is sent once"


def test_every_game_can_be_analysed(game: Game) -> None:
    position = game.start(1)
    for engine in {*engines(position)} | (set() if IS_PLAIN else {PLAYOUTS}):
        *_, last = Analyst(game, engine).reports(position, 2.0 if IS_PLAIN else 0.05, 2)
        assert last.best in position.legal_moves()
        assert len(last.lines) == min(2, len(position.legal_moves()))


def test_gzip_of_several_parts_is_unpacked_and_a_bomb_is_not() -> None:
    assert unpacked(gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"
    assert unpacked(b"plain") == b"plain"
    with pytest.raises(TextError, match="more in this file"):
        unpacked(gzip.compress(bytes(2 * 1024 * 1024)), 1024 * 1024)
    with pytest.raises(TextError, match="ends too early"):
        unpacked(gzip.compress(b"something")[:-4])
    with pytest.raises(TextError, match="damaged"):
        unpacked(gzip.compress(b"something")[:-4] + b"oops")


def test_the_oldest_files_go_when_there_are_too_many(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, files=2)
    names = []
    for age, content in enumerate((b"first", b"second", b"third")):
        names.append(uploads.keep(content))
        os.utime(tmp_path / f"{names[-1]}.gz", (1_000 + age, 1_000 + age))
    names.append(uploads.keep(b"third"))
    assert names[2] == names[3]
    assert [uploads.get(name) for name in names[:3]] == [None, b"second", b"third"]
    assert uploads.get("../secret") is None


def test_a_position_without_moves_is_not_analysed(game: Game) -> None:
    position = game.start(1)
    while position.outcome() is None:
        position.play(position.legal_moves()[0])
    assert list(Analyst(games.load(game.name), PLAYOUTS).reports(position, 0.1, 1)) == []
