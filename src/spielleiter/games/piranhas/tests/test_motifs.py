"""What motifs say about moves of this game."""

from __future__ import annotations

import random

import pytest

from spielleiter import games
from spielleiter.games.piranhas import Position
from spielleiter.games.piranhas.motifs import motifs, traits


def test_every_motif_is_seen_in_games_by_chance_and_is_true() -> None:
    seen: set[str] = set()
    for seed in range(12):
        position = Position.start(seed, "", "piranhas-2026")
        lot = random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            seat, played = position.to_move(), lot.choice(moves)
            after = position.after(played)
            for each in motifs(position, played, lot.choice(moves)):
                seen.add(each.id)
                if "groups" in each.values and each.id != "motif.helped":
                    assert each.values["groups"] == len(after.swarms(seat))
            position.play(played)
    assert {"motif.cut-off", "motif.split", "motif.not-joined", "motif.helped"} <= seen


@pytest.mark.native  # games of an engine with 500 nodes a move
def test_a_union_that_was_missed_and_one_that_was_allowed_are_named() -> None:
    engine = games.load("piranhas-2026").native.Engine(table=8)
    seen: set[str] = set()
    for seed in range(40):
        if "motif.missed-union" in seen and seen & {"motif.allowed-union", "motif.lighter-swarm"}:
            break
        position = Position.start(seed, "", "piranhas-2026")
        before = position.copy()
        while position.outcome() is None:
            before = position.copy()
            position.play(engine.search(position, nodes=500).best)
        last = next(each for each in before.legal_moves() if before.after(each) == position)
        for other in before.legal_moves():
            seen |= {each.id for each in motifs(before, other, last)}
    assert "motif.missed-union" in seen
    assert seen & {"motif.allowed-union", "motif.lighter-swarm"}


def said_of(
    text: str, move: str, better: str, edition: str = "piranhas-2026"
) -> dict[str, dict[str, object]]:
    """What is said of a move, by id."""
    position = Position.parse(text, edition)
    found = motifs(position, position.move(move), position.move(better))
    return {each.id.removeprefix("motif."): dict(each.values) for each in found}


def test_a_fish_that_swims_away_from_the_others_is_named() -> None:
    text = (
        "...CABBaA./..a......./AA......../c........a/a.....#..b/"
        "..b......a/b........c/.B..#...BA/..a....b../..aAB.C... 14 -"
    )
    said = said_of(text, "C5-A5", "J4-H6")
    assert (said["farther"], "strayed" in said) == ({"cell": "A5"}, False)  # A4 and A6 are its kin
    assert not {"strayed", "farther"} & said_of(text, "J4-H6", "C5-A5").keys()
    alone = (
        "A....A..../...a.a...A/......Aa../...a.....a/...#....a./"
        "a........./.......#.a/..a.a....a/..A..AA.A./..AAA.AAaA 47 -"
    )
    said = said_of(alone, "F0-D0", "C9-E7", "piranhas-2019")
    assert (said["strayed"], "farther" in said) == ({"cell": "D0"}, False)


def test_a_union_that_cannot_be_broken_up_again_is_named() -> None:
    text = (
        "........../......A.../.A......../A.....A.../a........./"
        ".a#......./aAAaA...../.A.AAA#.../........../.......... 55 -"
    )
    said = said_of(text, "A3-C3", "B6-C7", "piranhas-2019-draft")
    after = Position.parse(text, "piranhas-2019-draft").after("A3-C3")
    united = after.after(str(said["lasting-union"]["move"]))
    answers = [united.after(each) for each in united.legal_moves()]
    assert answers
    assert all(each.is_whole(0) for each in answers)
    assert "lasting-union" not in said_of(text, "B6-C7", "A3-C3", "piranhas-2019-draft")


def test_who_eats_the_last_fish_that_stood_apart_unites_the_opponent() -> None:
    text = (
        "aa......../aa......../......AA../......AA../........../"
        "........../...a.A..../....#...#./........../.......... 31 -"
    )
    said = said_of(text, "F6-D6", "G2-H1", "piranhas-2019")
    assert (said["helped-whole"], "helped" in said) == ({"groups": 1}, False)
    assert Position.parse(text, "piranhas-2019").after("F6-D6").is_whole(0)


def test_what_the_swarm_of_the_opponent_is_worth_in_the_end_is_named() -> None:
    last = (
        "...a..Aaa./....Aa.A../......A.../...#...A../........../"
        "....A...../........../....#...a./.......aA./......aa.. 59 -"
    )
    edition = "piranhas-2019-draft"
    assert said_of(last, "G0-I2", "H3-H8", edition)["swarm-left"] == {"score": 4, "possible": 2}
    assert not {"swarm-left", "swarm-grows"} & said_of(last, "H3-H8", "G0-I2", edition).keys()
    round_to_go = (
        ".....aAAAa/..a....a.a/........A./........../a..a.A.a../"
        "a........./aA#......./.....#..../........../.......... 58 -"
    )
    said = said_of(round_to_go, "J1-G1", "F0-A0", edition)
    assert said["swarm-grows"] == {"score": 4, "possible": 3}
    position = Position.parse(round_to_go, edition)
    for move, score in (("J1-G1", 4), ("F0-A0", 3)):
        after = position.after(move)
        assert max(after.after(each).scores()[1] for each in after.legal_moves()) == score


def test_the_only_way_to_eat_a_fish_is_named() -> None:
    checked = 0
    for seed in range(4):
        position, lot = Position.start(seed, "", "piranhas-2026"), random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            said = {each.id: each.values for each in motifs(position, moves[0], moves[-1])}
            if "motif.exposed-first" in said:
                after, seat = position.after(moves[0]), position.to_move()
                lost = after.after(str(said["motif.exposed-first"]["threat"]))
                assert sum(map(len, lost.swarms(seat))) < sum(map(len, after.swarms(seat)))
                checked += 1
            position.play(lot.choice(moves))
    assert checked


def test_fish_that_can_be_eaten_are_counted() -> None:
    text = (
        "....A...../..a..B..../AA.C....../c....ABa.a/a.....#.../"
        "b.....b..a/b.a......c/.B..#.A.B./..a....b../...AB.C... 24 -"
    )
    said = said_of(text, "H8-H6", "C6-F3")
    position = Position.parse(text, "piranhas-2026")
    after, instead = (position.after(each) for each in ("H8-H6", "C6-F3"))
    assert "mobility" not in said
    theirs, others = (
        {
            move.text()
            for move in each.legal_moves()
            if len(cells(each.after(move))) < len(cells(each))
        }
        for each in (after, instead)
    )
    threat = str(said["exposed"].pop("threat"))
    assert threat in theirs - others
    assert said["exposed"] == {"moves": len(theirs), "possible": len(others)}
    assert "exposed" not in said_of(text, "C6-F3", "H8-H6")


def test_moves_of_the_opponent_are_counted_where_there_is_no_graver_reason() -> None:
    checked = 0
    for seed in range(8):
        position, lot = Position.start(seed, "", "piranhas-2026"), random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            said = {each.id: each.values for each in motifs(position, moves[0], moves[-1])}
            if "motif.mobility" in said:
                boards = [position.after(each) for each in (moves[0], moves[-1])]
                counts = [len(each.legal_moves()) for each in boards]
                assert list(said["motif.mobility"].values()) == counts
                assert (len(said), counts[0] - counts[1] >= 4) == (1, True)
                checked += 1
            position.play(lot.choice(moves))
    assert checked


def test_a_fish_that_leaves_its_swarm_is_not_called_cut_off() -> None:
    checked = 0
    for seed in range(6):
        position, lot = Position.start(seed, "", "piranhas-2026"), random.Random(seed)
        while position.outcome() is None:
            moves, seat = list(position.legal_moves()), position.to_move()
            said = {each.id: each.values for each in motifs(position, moves[0], moves[-1])}
            after = position.after(moves[0])
            for key in ("motif.left-alone", "motif.cut-off"):
                if key in said:
                    name = str(said[key]["cell"])
                    cell = ord(name[0]) - ord("A"), int(name[1:])
                    assert {cell} in [set(each) for each in after.swarms(seat)]
                    assert (cell == moves[0].target) == (key == "motif.left-alone")
                    assert len(after.swarms(seat)) > len(position.swarms(seat))
                    checked += key == "motif.left-alone"
            assert not {"motif.left-alone", "motif.strayed"} <= said.keys()
            position.play(lot.choice(moves))
    assert checked


def cells(position: Position) -> list[tuple[int, int]]:
    """The fields of all fish."""
    return [cell for seat in (0, 1) for swarm in position.swarms(seat) for cell in swarm]


def test_a_fish_that_could_have_been_eaten_is_named() -> None:
    text = (
        "....A...../..a..B..../AA.C....../c....ABa.a/a.....#.../"
        "b.....b..a/b.a......c/.B..#.A.B./..a....b../...AB.C... 24 -"
    )
    position = Position.parse(text, "piranhas-2026")
    fish = len(cells(position))
    eating, quiet = (
        next(m for m in position.legal_moves() if (len(cells(position.after(m))) < fish) == eats)
        for eats in (True, False)
    )
    said = said_of(text, quiet.text(), eating.text())
    assert said["missed-capture"] == {"move": eating.text()}
    assert "missed-capture" not in said_of(text, eating.text(), quiet.text())


def test_a_fish_that_could_have_come_nearer_is_named() -> None:
    text = (
        "...CABBaA./..a......./AA......../c........a/a.....#..b/"
        "..b......a/b........c/.B..#...BA/..a....b../..aAB.C... 14 -"
    )
    position = Position.parse(text, "piranhas-2026")
    checked = 0
    for better in position.legal_moves():
        said = said_of(text, "J4-H6", better.text())
        checked += "not-nearer" in said
        if "not-nearer" in said:
            assert mean_distance(position.after(better)) < mean_distance(position.after("J4-H6"))
            assert mean_distance(position.after(better)) < mean_distance(position)
    assert 0 < checked < len(position.legal_moves())


def mean_distance(position: Position) -> float:
    """How far the fish of the seat that moved are from each other on average."""
    fish = [cell for swarm in position.swarms(0) for cell in swarm]
    pairs = [(a, b) for a in fish for b in fish if a != b]
    return sum(max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in pairs) / len(pairs)


def test_traits_say_along_which_line_a_fish_swims_and_whether_it_eats() -> None:
    seen: set[str] = set()
    for seed in range(3):
        position, lot = Position.start(seed, "", "piranhas-2026"), random.Random(seed)
        while position.outcome() is None:
            for move in position.legal_moves()[::5]:
                said = {each.id.removeprefix("trait.") for each in traits(position, move)}
                target = move.target
                assert target is not None
                steps = target[0] - move.start[0], target[1] - move.start[1]
                assert ("along-rising" in said) == (steps[0] == steps[1])
                assert ("along-falling" in said) == (steps[0] == -steps[1])
                assert ("along-row" in said) == (steps[1] == 0)
                fish = position.at(target)
                assert ("eats" in said) == (
                    fish is not None and fish.seat == 1 - position.to_move()
                )
                seen |= said
            position.play(lot.choice(list(position.legal_moves())))
    assert {"eats-rising", "eats-falling", "small", "large", "edge", "joins", "splits"} <= seen
