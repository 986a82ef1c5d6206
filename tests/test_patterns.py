"""What the costly moves of a player have in common."""

from __future__ import annotations

from spielleiter.review.patterns import TurnTraits, habits, patterns
from spielleiter.text import Text

CORNER, EDGE, PART, ROW = (
    Text(f"trait.{each}", each) for each in ("corner h8", "edge", "part", "row")
)


def turns(count: int, *traits: Text, costly: bool = False, **also: object) -> list[TurnTraits]:
    """Turns whose best move has these traits, each in a position of its own."""
    made = []
    for number in range(count):
        known = {
            "game": f"{'costly' if costly else 'fine'} {traits} {also}",
            "turn": number,
            "position": hash((traits, costly, number, tuple(also))),
            "phase": "middle",
            "loss": 0.3 if costly else 0.0,
            "is_costly": costly,
            "won": False,
            "move": "a1",
            "best": "h8",
            "answer": "",
            "traits": tuple(("best", each) for each in traits),
        }
        made.append(TurnTraits(**{**known, **also}))  # type: ignore[arg-type]
    return made


def test_a_trait_of_costly_turns_only_is_a_pattern_and_a_common_one_is_not() -> None:
    played = [
        *turns(6, CORNER, PART, costly=True),
        *turns(6, PART, costly=True),
        *turns(90, PART),
        *turns(1, CORNER),
    ]
    (found,) = patterns(played)
    assert (found.role, found.trait) == ("best", "corner h8")
    assert (len(found.cases), found.costly, found.others, found.other_turns) == (6, 12, 1, 91)


def test_two_cases_are_no_pattern() -> None:
    assert not patterns([*turns(2, CORNER, costly=True), *turns(300)])


def test_what_recurs_by_chance_is_no_pattern() -> None:
    played = [*turns(4, EDGE, costly=True), *turns(16, costly=True), *turns(10, EDGE), *turns(90)]
    assert not patterns(played)


def test_a_phase_with_many_costly_turns_is_no_pattern_of_what_is_played_in_it() -> None:
    played = [
        *turns(20, EDGE, costly=True, phase="end"),
        *turns(20, EDGE, phase="end"),
        *turns(200, phase="opening"),
    ]
    assert not patterns(played)


def test_many_turns_are_judged_like_few() -> None:
    played = [*turns(90, EDGE, costly=True), *turns(210, costly=True)]
    assert patterns([*played, *turns(200, EDGE), *turns(2500)])
    assert not patterns([*played, *turns(700, EDGE), *turns(1500)])


def test_a_game_that_is_repeated_counts_once() -> None:
    played = [*turns(1, CORNER, costly=True) * 12, *turns(60)]
    assert not patterns(played)


def test_the_same_turns_make_one_pattern_the_clearest() -> None:
    played = [*turns(8, CORNER, EDGE, costly=True), *turns(20, EDGE), *turns(100, ROW)]
    assert [each.trait for each in patterns(played)] == ["corner h8"]


def test_cases_of_lost_games_come_first_then_the_costliest() -> None:
    played = [
        *turns(1, CORNER, costly=True, loss=0.9, won=True),
        *turns(1, CORNER, costly=True, loss=0.2, move="b1"),
        *turns(1, CORNER, costly=True, loss=0.4, move="c1"),
        *turns(100),
    ]
    (found,) = patterns(played)
    assert [each.loss for each in found.cases] == [0.4, 0.2, 0.9]


def test_a_trait_that_the_move_and_the_best_one_always_share_is_told_once() -> None:
    both = (("move", ROW), ("best", ROW))
    played = [*turns(8, ROW, costly=True, traits=both), *turns(60, PART)]
    assert [each.trait for each in patterns(played)] == ["row"]


# ---------------------------------------------------------------------------------------- habits


def played(count: int, move: Text, best: Text, loss: float = 0.1) -> list[TurnTraits]:
    """Turns with a trait of the move and one of the best move."""
    traits = (("move", move), ("best", best))
    return turns(count, move, best, loss=loss, traits=traits)


def test_what_a_player_never_does_but_the_engine_does_is_a_habit() -> None:
    (found,) = habits([*played(12, ROW, CORNER), *played(30, ROW, ROW, 0.0)])
    assert (found.trait, found.played, found.best, found.turns) == ("corner h8", 0, 12, 42)
    assert len(found.cases) == 12


def test_the_one_corner_that_is_never_taken_weighs_more_than_all_of_them() -> None:
    both = (("best", CORNER), ("best", EDGE))
    missed = turns(12, CORNER, loss=0.2, traits=(("move", ROW), *both))
    others = turns(9, EDGE, loss=0.0, traits=(("move", EDGE), ("best", EDGE)))
    rows = turns(40, ROW, loss=0.0, traits=(("move", ROW), ("best", ROW)))
    first = habits([*missed, *others, *rows])[0]
    assert (first.trait, first.played, first.best) == ("corner h8", 0, 12)
    assert round(first.loss, 1) == 2.4


def test_what_costs_nothing_or_happens_both_ways_is_no_habit() -> None:
    assert not habits(played(30, ROW, CORNER, 0.01))
    assert not habits([*played(12, ROW, CORNER), *played(9, CORNER, ROW)])
