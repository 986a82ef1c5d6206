"""Search, over every game that has an engine: right, repeatable, within its limits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from time import thread_time
from types import SimpleNamespace
from typing import Any

import pytest

from spielleiter import bots
from spielleiter.bots import _levels, greedy
from spielleiter.bots._engine import Margin
from spielleiter.bots._lapses import guess, lapse
from spielleiter.errors import UsageError
from spielleiter.game import Clock, Game
from tests.disturbance import disturbed_by, press_control_c

pytestmark = pytest.mark.native

ONE_AUTHORITY = True
WIN, CERTAIN = 31_000, 30_000


def positions(game: Game, seed: int, count: int, late: bool = False) -> Iterator[Any]:
    """Positions of random games in which somebody can move; `late` ones are near the end."""
    lot = random.Random(seed)
    while count > 0:
        line = [game.start(lot.randrange(2**32))]
        while line[-1].outcome() is None and line[-1].legal_moves():
            after = line[-1].copy()
            after.play(lot.choice(after.legal_moves()))
            line.append(after)
        playable = [position for position in line if position.legal_moves()]
        yield lot.choice(playable[-4:] if late else playable)
        count -= 1


def minimax(game: Game, position: Any, depth: int, ply: int = 0) -> int:
    """The slow twin of search: every move, no window."""
    outcome = position.outcome()
    if outcome is not None:
        value = 0 if outcome.winner is None else 1 if outcome.winner == position.to_move() else -1
        return value * (WIN - ply)
    moves = position.legal_moves()
    if depth == 0:
        return int(game.native.evaluate(position))
    if not moves:
        return ply - WIN
    best = -WIN
    for move in moves:
        after = position.copy()
        after.play(move)
        value = minimax(game, after, depth - 1, ply + 1)
        best = max(best, value if after.to_move() == position.to_move() else -value)
    return best


def test_without_pruning_search_gives_the_score_of_minimax(engine_game: Game) -> None:
    engine = engine_game.native.Engine(table=1, without=engine_game.native.pruning_options())
    for late in (False, True):
        for position in positions(engine_game, seed=3, count=3, late=late):
            engine.forget()
            report = engine.search(position, depth=2)
            assert report.score == minimax(engine_game, position, report.depth), position.text()


def test_all_pruning_options_together_still_see_certain_ends(engine_game: Game) -> None:
    seen = 0
    for position in positions(engine_game, seed=4, count=20, late=True):
        plain = engine_game.native.Engine(table=1, without=engine_game.native.pruning_options())
        score = plain.search(position, depth=3).score
        if abs(score) >= CERTAIN:
            seen += 1
            found = engine_game.native.Engine(table=1).search(position, depth=8).score
            assert found >= CERTAIN if score > 0 else found <= -CERTAIN, position.text()
    assert seen > 5, "the test needs positions with a certain end"


def test_the_same_nodes_and_seed_give_the_same_report(engine_game: Game) -> None:
    position = next(positions(engine_game, seed=5, count=1))
    reports = [
        engine_game.native.Engine(table=1, seed=7, overlooked=100).search(
            position, nodes=20_000, lines=2
        )
        for _ in range(2)
    ]
    assert reports[0].lines == reports[1].lines
    assert reports[0].nodes == reports[1].nodes
    assert reports[0].depth == reports[1].depth


def test_an_engine_that_forgot_is_as_new(engine_game: Game) -> None:
    first, second = positions(engine_game, seed=6, count=2)
    engine = engine_game.native.Engine(table=1)
    fresh = engine.search(first, nodes=5_000)
    engine.search(second, nodes=5_000)
    engine.forget()
    again = engine.search(first, nodes=5_000)
    assert (again.lines, again.nodes) == (fresh.lines, fresh.nodes)


def test_limits_are_kept(engine_game: Game) -> None:
    position = engine_game.start(seed=1)
    engine = engine_game.native.Engine(table=1)
    assert engine.search(position, nodes=3_000).nodes <= 3_600
    assert engine.search(position, depth=3).depth <= 3
    assert engine.search(position, nodes=1).best in position.legal_moves()
    assert engine.search(position, time=0.0).best in position.legal_moves()


def answered_at_once(engine: Any, game: Game, seed: int) -> list[float]:
    """What searches without any time took of a processor, in the course of a game.

    Before each of them the engine has thought about the position before, as it does in a game.
    """
    lot, position, took = random.Random(seed), game.start(seed), list[float]()
    while position.outcome() is None and position.legal_moves():
        best = engine.search(position, nodes=300).best
        for move in (best, lot.choice):
            if position.outcome() is None and (moves := position.legal_moves()):
                position.play(move(moves) if callable(move) else move)
        if position.outcome() is None and position.legal_moves():
            begun = thread_time()
            assert engine.search(position, time=0.0).best in position.legal_moves()
            took.append(thread_time() - begun)
    return took


def slowest(make: Callable[..., Any], game: Game) -> float:
    """What the slowest of these answers costs: the same game is played thrice, for some systems
    charge a program with what others took meanwhile, but not for the same answer every time."""
    games = [answered_at_once(make(table=8), game, seed=5) for _ in range(3)]
    quickest: list[float] = [min(same) for same in zip(*games, strict=True)]
    return max(quickest)


def test_an_engine_without_time_answers_at_once(engine_game: Game) -> None:
    assert slowest(engine_game.native.Engine, engine_game) < 0.02


def test_a_tree_without_time_answers_at_once(tree_game: Game) -> None:
    assert slowest(tree_game.native.Mcts, tree_game) < 0.02


def test_every_legal_move_gets_a_score_on_request(engine_game: Game) -> None:
    position = next(positions(engine_game, seed=8, count=1))
    everything = len(position.legal_moves())
    engine = engine_game.native.Engine(table=1)
    report = engine.search(position, depth=2, lines=everything)
    assert {line.move for line in report.lines} == set(position.legal_moves())
    scores = [line.score for line in report.lines]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > -WIN - 1


def test_a_tree_gives_every_legal_move_a_score_on_request(tree_game: Game) -> None:
    position = next(positions(tree_game, seed=8, count=1))
    everything = len(position.legal_moves())
    report = tree_game.native.Mcts(table=8).search(
        position, simulations=3 * everything, lines=everything
    )
    assert {line.move for line in report.lines} == set(position.legal_moves())
    scores = [line.score for line in report.lines]
    assert scores == sorted(scores, reverse=True)


def test_a_report_says_everything(game: Game) -> None:
    """Best move, score, depth, expected play, nodes, speed and how full the table is."""
    position = game.start(seed=1)
    for engine in engines(game):
        report = list(engine.analyse(position, nodes=2_000))[-1]
        assert report.best == report.lines[0].move in position.legal_moves()
        assert report.score == report.lines[0].score
        assert len(report.lines[0].moves) >= 1 <= report.depth
        assert 0 < report.nodes <= 2_400
        assert report.speed == pytest.approx(report.nodes / report.seconds)
        assert 0 <= report.fill <= 1000


def test_variations_can_be_played(engine_game: Game) -> None:
    for position in positions(engine_game, seed=9, count=5):
        for report in engine_game.native.Engine(table=1).analyse(position, nodes=5_000):
            line = position.copy()
            for move in report.lines[0].moves:
                line.play(move)


def test_two_threads_give_a_legal_move(engine_game: Game) -> None:
    position = engine_game.start(seed=2)
    report = engine_game.native.Engine(table=1, threads=2).search(position, depth=6)
    assert report.best in position.legal_moves()
    assert report.depth == 6


def test_nonsense_is_refused(engine_game: Game) -> None:
    position = engine_game.start(seed=2)
    engine = engine_game.native.Engine(table=1)
    with pytest.raises(UsageError, match="depth"):
        engine.search(position, depth=0)
    with pytest.raises(UsageError, match="time"):
        engine.search(position, time=-1.0)
    with pytest.raises(UsageError, match="pruning option"):
        engine_game.native.Engine(without=["magic"])
    with pytest.raises(UsageError, match="weights"):
        engine_game.native.Engine(weights=[1]).search(position, depth=1)


def test_control_c_ends_a_search_without_limits(engine_game: Game) -> None:
    position = engine_game.start(seed=3)
    engine = engine_game.native.Engine(table=1)
    with disturbed_by(press_control_c), pytest.raises(KeyboardInterrupt):
        engine.search(position)
    assert engine.search(position, depth=1).best in position.legal_moves()


def test_the_same_seed_grows_the_same_tree(tree_game: Game) -> None:
    position = next(positions(tree_game, seed=11, count=1))
    reports = [tree_game.native.Mcts(table=8, seed=3).search(position, nodes=300) for _ in range(2)]
    assert reports[0].lines == reports[1].lines
    assert reports[0].nodes == reports[1].nodes <= 300


def test_a_tree_can_be_tuned_and_refuses_what_it_does_not_know(tree_game: Game) -> None:
    position = next(positions(tree_game, seed=11, count=1))
    narrow = tree_game.native.Mcts(table=8, tuning={"widening": 0, "exploration": 0.1})
    assert narrow.search(position, nodes=200).best in position.legal_moves()
    with pytest.raises(UsageError, match="depht"):
        tree_game.native.Mcts(tuning={"depht": 1})


def test_whoever_overlooks_nearly_everything_still_moves(tree_game: Game) -> None:
    position = tree_game.start(seed=1)
    report = tree_game.native.Mcts(table=8, overlooked=1024).search(position, nodes=20, lines=9)
    assert len(report.lines) == 1
    assert report.best in position.legal_moves()


def test_a_tree_follows_the_game_and_plays_legally(tree_game: Game) -> None:
    position = tree_game.start(seed=1)
    engine = tree_game.native.Mcts(table=8, seed=1)
    while position.legal_moves():
        report = engine.search(position, nodes=20)
        assert report.best in position.legal_moves()
        position.play(report.best)


def test_a_tree_finds_a_win_in_one(tree_game: Game) -> None:
    """Where one last move wins and another does not, the winning one is played."""
    seen = 0
    for position in positions(tree_game, seed=12, count=60, late=True):
        winners = set()
        for move in position.legal_moves():
            after = position.copy()
            after.play(move)
            outcome = after.outcome()
            if outcome is not None and outcome.winner == position.to_move():
                winners.add(move)
        if 0 < len(winners) < len(position.legal_moves()):
            seen += 1
            report = tree_game.native.Mcts(table=8).search(position, nodes=500)
            assert report.best in winners or report.score >= CERTAIN, position.text()
        if seen == 3:
            return


def test_trees_of_several_threads_give_a_legal_move(tree_game: Game) -> None:
    position = tree_game.start(seed=2)
    report = tree_game.native.Mcts(table=8, threads=2).search(position, nodes=200)
    assert report.best in position.legal_moves()


def test_the_tree_player_beats_the_random_one(tree_game: Game) -> None:
    points = 0.0
    for seed in range(4):
        position = tree_game.start(seed)
        players = [bots.load("mcts:simulations=60", seed=seed)]
        players += [bots.load("random", seed=seed + at) for at in range(1, position.seats)]
        while position.outcome() is None and position.legal_moves():
            position.play(players[position.to_move()].choose(position.copy(), Clock()))
        outcome = position.outcome()
        points += outcome is not None and outcome.ranks[0] == 1
    assert points >= 3


@pytest.mark.parametrize("name", ["alphabeta:level=1", "alphabeta:level=4", "best:level=7"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.deep) for n in (1, 2))])
def test_quick_games_have_no_illegal_move(engine_game: Game, name: str, seed: int) -> None:
    position = engine_game.start(seed)
    players = [bots.load(name, seed=seed), bots.load("random", seed=seed)]
    for seat, player in enumerate(players):
        player.begin(position.copy(), seat)
    while position.outcome() is None and position.legal_moves():
        seat = position.to_move() % 2
        position.play(players[seat].choose(position.copy(), Clock()))


def test_a_player_stays_within_its_time(engine_game: Game) -> None:
    player = bots.load("alphabeta:table=1")
    position = engine_game.start(seed=4)
    player.begin(position, 0)
    for _ in range(3):
        assert player.choose(position, Clock(per_move=0.05)) in position.legal_moves()


def test_the_margin_grows_with_what_was_late_and_fades() -> None:
    margin = Margin(lost=0.0)
    calm = margin.within(2.0)
    assert 1.9 < calm < 2.0
    margin.learn(0.1)
    assert margin.within(2.0) == pytest.approx(calm - 0.2)
    for _ in range(50):
        margin.learn(-0.001)
    assert margin.within(2.0) == pytest.approx(calm, abs=0.01)
    margin.learn(10.0)
    assert margin.within(2.0) == 0.5


def test_on_a_crowded_machine_the_first_move_is_careful(monkeypatch: pytest.MonkeyPatch) -> None:
    calm = Margin(lost=0.0).within(2.0)
    monkeypatch.setattr("os.getloadavg", lambda: (9.0, 0.0, 0.0), raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert Margin().within(2.0) == pytest.approx(calm - 2 * 0.004 * 3.5)


def test_time_that_is_spent_before_the_search_is_not_there_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.perf_counter", lambda: 100.0)
    margin, clock = Margin(lost=0.0), Clock(per_move=2.0, account=60.0, moves_left=7)
    left = margin.limits(clock, begun=99.0)
    assert left["deadline"] == pytest.approx(margin.within(2.0) - 1.0)
    assert left["account"] == pytest.approx(margin.within(60.0) - 1.0)
    assert left["moves_left"] == 7
    assert margin.limits(clock, begun=97.0)["deadline"] == 0.0
    assert set(margin.limits(Clock(), begun=99.0).values()) == {None}


def test_time_to_think_is_used_where_a_little_more_does_no_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.perf_counter", lambda: 100.0)
    clock = Clock(per_move=0.05, is_strict=False)
    limits = Margin(lost=0.1).limits(clock, begun=99.99)
    assert limits["time"] == pytest.approx(0.04)
    assert limits["deadline"] is None


def test_a_short_time_to_think_is_used(game: Game) -> None:
    """The first searches know nothing about the machine, and use most of their time all the same.

    A deadline of the same length would leave a twentieth of it.
    """
    position = game.start(seed=1)
    for engine in engines(game):
        for _ in range(5):
            spent = engine.search(position, time=0.02).seconds
            assert spent >= 0.75 * 0.02


def engines(game: Game) -> list[Any]:
    """One of each kind that a game has."""
    kinds = (getattr(game.native, name, None) for name in ("Engine", "Mcts"))
    return [kind(table=8) for kind in kinds if kind is not None]


def test_an_account_limits_a_search(game: Game) -> None:
    position = game.start(seed=1)
    for engine in engines(game):
        begun = thread_time()  # of a processor: others may keep it from running for long
        engine.search(position, account=0.6, moves_left=30)
        assert thread_time() - begun < 0.5
        assert engine.search(position, account=0.0).best in position.legal_moves()
        with pytest.raises(UsageError, match="negative"):
            engine.search(position, account=-1.0)
        with pytest.raises(UsageError, match="moves left"):
            engine.search(position, account=1.0, moves_left=0)


def test_an_account_lasts_for_a_whole_game(game: Game) -> None:
    """Nobody says how many moves there will be: the position does, or it is taken to be many.

    What others do with the processor meanwhile is not charged: they may take it for seconds.
    """
    position, account = game.start(seed=1), 1.0
    player = bots.load("best", seed=1)
    player.begin(position.copy(), 0)
    lot = random.Random(1)
    while position.outcome() is None and position.legal_moves():
        if position.to_move() != 0:
            position.play(lot.choice(position.legal_moves()))
            continue
        begun = thread_time()
        position.play(player.choose(position.copy(), Clock(account=account)))
        account -= thread_time() - begun
    assert account > 0


def test_games_played_out_limit_only_trees(engine_game: Game) -> None:
    with pytest.raises(UsageError, match="limit its nodes"):
        engine_game.native.Engine(table=1).search(engine_game.start(seed=1), simulations=5)


def test_a_player_that_is_prepared_plays_as_if_it_were_not(game: Game) -> None:
    """Its engine is kept from game to game and has forgotten everything."""
    start = game.start(seed=1)
    fresh, ready = (bots.load("best:level=3", seed=5) for _ in range(2))
    ready.prepare(game.start(seed=2))
    ready.choose(game.start(seed=2), Clock())
    for player in (fresh, ready):
        player.begin(start.copy(), 0)
    assert fresh.choose(start.copy(), Clock()) == ready.choose(start.copy(), Clock())


def test_bad_options_of_the_player_are_refused() -> None:
    for text in ("alphabeta:level=11", "alphabeta:nodes=many", "alphabeta:time=-1"):
        with pytest.raises(UsageError):
            bots.load(text)


def test_every_game_has_ten_levels_and_a_best_player(game: Game) -> None:
    """Whatever `levels.toml` says can be played, from the first level to the last."""
    start = game.start(seed=1)
    for level in (1, 5, 9):
        player = bots.load(f"best:level={level}", seed=1)
        player.begin(start.copy(), start.to_move())
        assert player.choose(start.copy(), Clock(per_move=1.0)) in start.legal_moves()
    with pytest.raises(UsageError, match="between 1 and 10"):
        bots.load("best:level=11")


def test_a_turn_without_thought_takes_what_counts_most_at_once(game: Game) -> None:
    player = bots.load(f"{_levels.best(game.start(seed=1)) or 'mcts'}:lapses=1024", seed=3)
    for position in positions(game, seed=2, count=5):
        seat, chosen = position.to_move(), player.choose(position.copy(), Clock())
        values = {move: greedy.lead_after(position, move, seat) for move in position.legal_moves()}
        assert values[chosen] == max(values.values())


def test_a_guess_is_any_move_but_the_worst(game: Game) -> None:
    player = bots.load(f"{_levels.best(game.start(seed=1)) or 'mcts'}:guesses=1024", seed=3)
    for position in positions(game, seed=2, count=5):
        seat, chosen = position.to_move(), player.choose(position.copy(), Clock())
        values = {move: greedy.lead_after(position, move, seat) for move in position.legal_moves()}
        assert values[chosen] > min(values.values()) or len(set(values.values())) == 1


@pytest.mark.parametrize("mistake", [lapse, guess])
def test_mistakes_come_where_they_are_expected_and_as_often(game: Game, mistake: Any) -> None:
    """To a seed they belong to the positions, not to the order in which they are met."""
    met = list(positions(game, seed=5, count=60))
    moves = [mistake(position, 512, seed=1) for position in met]
    assert moves[::-1] == [mistake(position, 512, seed=1) for position in met[::-1]]
    assert moves != [mistake(position, 512, seed=2) for position in met]
    assert 15 <= sum(move is not None for move in moves) <= 45
    assert all(mistake(position, 0, seed=1) is None for position in met)


def test_tables_of_an_edition_win_over_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {
        "default": {"best": "alphabeta", "mcts": [{"simulations": n} for n in range(1, 11)]},
        "game": {"best": "mcts"},
        "game/3": {"best": "greedy", "mcts": []},
    }
    monkeypatch.setattr(_levels, "_tables", lambda package: tables)
    two: Any = SimpleNamespace(edition="game", seats=2)
    three: Any = SimpleNamespace(edition="game", seats=3)
    _levels._for.cache_clear()
    assert _levels.best(two) == "mcts"
    assert _levels.best(three) == "greedy"
    assert _levels.options(two, "mcts", 3, general=[]) == {"simulations": 3}
    assert _levels.options(two, "other", 1, general=[{"depth": 1}] * 10) == {"depth": 1}
    with pytest.raises(UsageError, match="10 rows"):
        _levels.options(three, "mcts", 3, general=[])
    _levels._for.cache_clear()
