"""The ladder: pairing, ratings, the record of games to play, and what becomes of faults."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from spielleiter import bots, games
from spielleiter.game import Clock
from spielleiter.ladder import ratings
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.game_queue import FIRST, GameQueue, QueuedGame, new_game_id
from spielleiter.ladder.ladder import LadderSettings
from spielleiter.ladder.marks import MARK_ELO, mark_elo, mark_text
from spielleiter.ladder.pairing import Contender, Matchmaker
from spielleiter.ladder.ratings import PairCounts, counted, fitted, rate_pairs
from spielleiter.ladder.results import GAME, played_game
from spielleiter.ladder.roster import LEVELS, is_mark, mark, marks
from spielleiter.store import open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.ratings import davidson
from tests.ladders import EDITION, KnownVersion, RosterInMemory, entry_text, ladder_in, play, roster

# ---------------------------------------------------------------------------------------- ratings


def simulated_games(players: int, games: int) -> list[tuple[str, str, int, int]]:
    """Games between players whose strengths are drawn by lot, some of them drawn."""
    lot = random.Random(players)
    true = [lot.gauss(0, 1) for _ in range(players)]
    found = []
    for _ in range(games):
        one, other = lot.sample(range(players), 2)
        half = math.exp((true[one] - true[other]) / 2)
        (result,) = lot.choices(((1, 2), (2, 1), (1, 1)), (half, 1 / half, 0.5))
        found.append((f"v{one:03}", f"v{other:03}", *result))
    return found


def test_ratings_by_pairs_are_those_of_the_tournament_s_equations() -> None:
    counts = counted(simulated_games(15, 400))
    table = counts.table()
    wins, draws = np.zeros((15, 15)), np.zeros((15, 15))
    for one, other, won, lost, drawn in zip(
        table.one, table.other, table.won, table.lost, table.drawn, strict=True
    ):
        wins[one, other], wins[other, one] = won, lost
        draws[one, other] = draws[other, one] = drawn
    expected, _, _ = davidson(wins, draws, ratings.PRIOR)
    found, _ = fitted(table, np.ones(15), np.zeros(15))
    assert np.abs(found - found.mean() - expected).max() < 1e-6


def test_intervals_of_many_players_are_close_to_the_exact_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = counted(simulated_games(120, 900)).table()
    _, exact = fitted(table, np.ones(120), np.zeros(120))
    monkeypatch.setattr(ratings, "_FEW", 0)
    _, close = fitted(table, np.ones(120), np.zeros(120))
    assert 0.85 < (close / exact).min() <= (close / exact).max() < 1.05


def test_the_order_of_games_does_not_change_a_rating() -> None:
    played = simulated_games(10, 200)
    shuffled = random.Random(1).sample(played, len(played))
    one = {each.player: each.elo for each in rate_pairs(counted(played))}
    other = {each.player: each.elo for each in rate_pairs(counted(shuffled))}
    assert one == pytest.approx(other, abs=1e-3)


MIDDLE, ABOVE = mark(5), mark(6)


def test_marks_stand_where_they_are_whoever_wins() -> None:
    """Even if the weaker one wins all games."""
    fixed = {MIDDLE: MARK_ELO, ABOVE: 1650.0}
    counts = PairCounts()
    counts.add("strong", MIDDLE, (30, 10, 0))
    counts.add("weak", MIDDLE, (10, 30, 0))
    counts.add(MIDDLE, ABOVE, (40, 0, 0))
    found = {each.player: each for each in rate_pairs(counts, {ABOVE: 1.0}, fixed)}
    assert {name: (found[name].elo, found[name].margin) for name in fixed} == {
        MIDDLE: (MARK_ELO, 0.0),
        ABOVE: (1650.0, 0.0),
    }
    assert found["strong"].elo - MARK_ELO == pytest.approx(MARK_ELO - found["weak"].elo)
    assert 150 < found["strong"].elo - MARK_ELO < 200


def test_somebody_is_rated_by_the_mark_that_it_met() -> None:
    counts = PairCounts()
    counts.add("even", ABOVE, (200, 200, 0))
    (even,) = (each for each in rate_pairs(counts, fixed={ABOVE: 1650.0}) if each.margin)
    assert even.elo == pytest.approx(1650.0, abs=5)


def test_somebody_who_never_won_has_a_rating_and_a_wide_interval() -> None:
    counts = PairCounts()
    counts.add("v1", MIDDLE, (0, 3, 0))
    (_, last) = rate_pairs(counts, fixed={MIDDLE: MARK_ELO})
    assert last.player == "v1"
    assert -1000 < last.elo < MARK_ELO
    assert last.margin > 300


@pytest.mark.parametrize("edition", games.names())
def test_marks_stand_as_far_apart_as_was_measured(edition: str) -> None:
    text = (Path(__file__).parents[1] / "docs" / "lab" / "ladder.md").read_text("utf-8")
    measured = re.search(rf"(?ms)^## {edition}\n(.*?)(?=^## |\Z)", text)
    elos = [mark_elo(edition, level) for level in LEVELS]
    assert elos[4] == MARK_ELO
    assert elos == sorted(elos)
    if measured is not None:
        steps = re.findall(r"(?m)^\| \d → \d+ \| \d+ % \| \+(\d+) \|", measured[1])
        assert [after - before for before, after in pairwise(elos)] == list(map(float, steps))


def test_the_highest_level_is_held_to_the_limit_that_it_was_measured_with() -> None:
    assert mark_text(mark(9), EDITION) == "best:level=9"
    assert re.fullmatch(r"\w+:(nodes|simulations)=\d+", mark_text(mark(10), EDITION))


@pytest.mark.parametrize("edition", games.names())
def test_every_mark_can_play(edition: str) -> None:
    start = games.load(edition).start(1)
    for player in marks():
        bot = bots.load(mark_text(player, edition))
        bot.begin(start, start.to_move())
        assert start.why_illegal(bot.choose(start, Clock(nodes=50))) is None


# ---------------------------------------------------------------------------------------- pairing


def contenders(count: int, teams: int | None = None) -> list[Contender]:
    lot = random.Random(count)
    found = [
        Contender(f"v{number}", f"t{number % (teams or count)}", lot.gauss(1500, 200))
        for number in range(count)
    ]
    return [*found, *(Contender(mark(level), "") for level in (1, 5, 10))]


def test_the_most_uncertain_version_plays_somebody_of_its_strength() -> None:
    players = [
        Contender("sure", "a", 1500, 20, 500),
        Contender("new", "b", 1500, 300, 20),
        Contender("like", "c", 1510, 20, 500),
        Contender("far", "d", 2300, 20, 500),
    ]
    maker = Matchmaker(players)
    maker.note_past("new", "somebody", 20)
    assert set(maker.next() or ()) in ({"new", "like"}, {"new", "sure"})


def test_nobody_is_starved_and_nobody_plays_twice_at_a_time() -> None:
    maker, waiting = Matchmaker(contenders(40), 10), dict.fromkeys(range(40), 0)
    running: list[tuple[str, str]] = []
    longest = 0
    for _ in range(2_000):
        pair = maker.next()
        assert pair is not None
        busy = [player for each in running for player in each if not is_mark(player)]
        assert not set(pair) & set(busy)
        for number in waiting:
            waiting[number] = 0 if f"v{number}" in pair else waiting[number] + 1
        longest = max(longest, *waiting.values())
        running.append(pair)
        if len(running) == 4:
            maker.part(running.pop(0))
    assert longest < 200


def test_a_team_with_many_versions_gets_no_more_than_its_share() -> None:
    crowd = [Contender(f"crowd{number}", "crowd") for number in range(50)]
    others = [Contender(f"v{number}", f"t{number}") for number in range(10)]
    maker, games = Matchmaker([*crowd, *others, Contender(mark(5), "")], 2), Counter[str]()
    for _ in range(1_000):
        pair = maker.next()
        assert pair is not None
        maker.part(pair)
        games.update("crowd" if each.startswith("crowd") else each for each in pair)
    assert min(games[f"v{number}"] for number in range(10)) > 50
    assert games["crowd"] < 400


def test_versions_of_one_team_do_not_meet() -> None:
    maker = Matchmaker([Contender("a", "t"), Contender("b", "t")])
    assert maker.next() is None


def test_every_fifth_game_is_against_a_mark() -> None:
    maker, against = Matchmaker(contenders(20), 10), Counter[bool]()
    for _ in range(1_000):
        pair = maker.next()
        assert pair is not None
        maker.part(pair)
        against[any(map(is_mark, pair))] += 1
    assert 250 < against[True] < 400  # a third of the games: each has two players


def test_two_who_meet_again_change_seats() -> None:
    maker = Matchmaker([Contender("a", "1"), Contender("b", "2")])
    pairs = []
    for _ in range(4):
        pair = maker.next()
        assert pair is not None
        maker.part(pair)
        pairs.append(pair)
    assert Counter(pairs) == {("a", "b"): 2, ("b", "a"): 2}


# --------------------------------------------------------------------------------------- the queue


def queued_game(team: str = "", rank: int = 1, name: str | None = None) -> QueuedGame:
    pairing = Pairing(name or new_game_id(), ("v1", "v2"), Opening(2**64 - 1, (("map", "x"),)))
    return QueuedGame(pairing, EDITION, "friendly", team, rank)


def test_a_claim_whose_answer_was_lost_is_answered_with_the_same_game(tmp_path: Path) -> None:
    with closing(LadderDatabase(tmp_path / "queue.db")) as database:
        queue = GameQueue(database, now=lambda: 1.0)
        queue.add([queued_game(), queued_game()])
        first, again = queue.claim("one", lambda: None), queue.claim("one", lambda: None)
        assert first is not None
        assert again is not None
        assert first.pairing == again.pairing
        other = queue.claim("other", lambda: None)
        assert other is not None
        assert other.id != first.id
        assert queue.claim("third", lambda: None) is None


def test_a_game_is_due_again_when_its_lease_has_ended(tmp_path: Path) -> None:
    clock = [1.0]
    with closing(LadderDatabase(tmp_path / "queue.db")) as database:
        queue = GameQueue(database, lease=10.0, now=lambda: clock[0])
        queue.add([queued_game()])
        first = queue.claim("one", lambda: None)
        clock[0] = 10.0
        assert first is not None
        assert queue.claim("other", lambda: None) is None
        assert queue.renew(first.id, "one")
        assert not queue.renew(first.id, "other")
        clock[0] = 19.0
        assert queue.claim("other", lambda: None) is None
        clock[0] = 21.0
        again = queue.claim("other", lambda: None)
        assert again is not None
        assert again.pairing == first.pairing
        assert again.tries == 1


def test_a_team_that_asked_for_much_waits_behind_one_that_asked_for_little(tmp_path: Path) -> None:
    with closing(LadderDatabase(tmp_path / "queue.db")) as database:
        queue = GameQueue(database)
        queue.add(queued_game("much") for _ in range(50))
        queue.add([queued_game("little")])
        queue.add([queued_game("host", FIRST)])
        claimed = [queue.claim(f"request {number}", lambda: None) for number in range(4)]
        assert [each.team for each in claimed if each] == ["host", "much", "little", "much"]


def test_asking_twice_for_a_game_makes_it_due_once(tmp_path: Path) -> None:
    with closing(LadderDatabase(tmp_path / "queue.db")) as database:
        queue = GameQueue(database)
        queue.add([queued_game(name="a"), queued_game(name="b")])
        queue.add([queued_game(name="b"), queued_game(name="c")])
        assert queue.waiting("friendly") == 3
        queue.cancel("friendly")
        assert queue.waiting("friendly") == 0


@pytest.mark.parametrize("most", [200, pytest.param(1_000, marks=pytest.mark.deep)])
def test_claims_cut_off_many_times_lose_no_game_and_double_none(most: int, tmp_path: Path) -> None:
    """Whoever claims does not hear the answer, and asks again, or is never seen again."""
    clock, lot = [0.0], random.Random(3)
    games = [queued_game(name=f"game {number:03}") for number in range(most // 10)]
    finished: Counter[str] = Counter()
    with closing(LadderDatabase(tmp_path / "queue.db")) as database:
        queue = GameQueue(database, lease=60.0, now=lambda: clock[0])
        queue.add(games)
        cuts = request = 0
        while cuts < most or queue.waiting("friendly"):
            clock[0] += 1.0
            game = queue.claim(f"request {request}", lambda: None)
            if cuts < most:
                cuts += 1
                request += lot.random() < 0.5  # else it asks again with the same name
            elif game is not None:
                request += 1
                finished[game.id] += 1
                queue.drop(game.id)
    assert finished == Counter(each.id for each in games)


# ------------------------------------------------------------------------------------- the ladder


def table_of(record: Path) -> dict[str, tuple[int, int, int]]:
    """Games, wins and faults of everybody, counted from the record alone."""
    games, won, faults = Counter[str](), Counter[str](), Counter[str]()
    with closing(open_store(record)) as store:
        assert list(store.check()) == []
        for number, entry in store.news(0, GAME):
            game = played_game(number, entry.data)
            for seat, player in enumerate(game.players):
                games[player] += 1
                won[player] += game.ranks[seat] == 1
                faults[player] += game.faults[seat] is not None
    return {each: (games[each], won[each], faults[each]) for each in games}


def test_a_ladder_finds_the_order_of_strength(tmp_path: Path) -> None:
    players = roster(12, spread=300)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        play(ladder, players, 500, at_once=3)  # 0.9 lies six standard deviations off
        ladder.rate_now()
        rows = [each for each in ladder.results.players(EDITION) if not is_mark(each.player)]
        order = [players.known[each.player].elo for each in rows]
        assert np.corrcoef(order, [each.elo or 0.0 for each in rows])[0, 1] > 0.9
        assert all(each.margin is not None and 0 < each.margin < 400 for each in rows)
        assert ladder.results.total(EDITION) == 500
        found = {
            each.player: (each.games, each.won, each.faults)
            for each in ladder.results.players(EDITION)
        }
    assert found == table_of(tmp_path / "ladder.db")


def test_a_game_that_is_reported_twice_counts_once(tmp_path: Path) -> None:
    players = roster(3)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        game = ladder.claim("one")
        assert game is not None
        ladder.finish(game, entry_text(game, (1, 2)))
        ladder.finish(game, entry_text(game, (2, 1)))
        kept = ladder.results.game(game.id)
        assert kept is not None
        assert kept.ranks == (1, 2)
        assert ladder.results.total(EDITION) == 1


def test_a_spoilt_game_is_played_again_and_never_counted(tmp_path: Path) -> None:
    players = roster(2)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        game = ladder.claim("one")
        assert game is not None
        ladder.spoil(game, "no memory")
        assert ladder.results.total(EDITION) == 0
        again = ladder.claim("two")
        assert again is not None
        assert again.pairing == game.pairing
        assert [each.games for each in ladder.results.players(EDITION)] == []
    with closing(open_store(tmp_path / "ladder.db")) as store:
        assert ["no memory" in each.data for each in store.read("spoilt")] == [True]


def test_a_version_that_always_fails_is_parked_and_its_team_told(tmp_path: Path) -> None:
    players = roster(3)
    settings = LadderSettings((EDITION,), failures=3, levels=(5,))
    with ladder_in(tmp_path / "ladder.db", players, settings) as ladder:
        for number in range(60):
            game = ladder.claim(f"request {number}")
            assert game is not None
            faults = tuple("Oops" if each == "v1" else None for each in game.pairing.players)
            ranks = tuple(2 if each == "v1" else 1 for each in game.pairing.players)
            ladder.finish(game, entry_text(game, ranks, faults))
        (bad,) = ladder.results.players_named(EDITION, ["v1"]).values()
    assert bad.games == bad.faults == 3
    assert set(players.parked) == {"v1"}
    assert [team for team, _ in players.told] == ["team1"]
    assert "3 games in a row" in players.parked["v1"]


def test_a_version_that_is_released_again_may_fail_again(tmp_path: Path) -> None:
    players = roster(2)
    settings = LadderSettings((EDITION,), failures=2, levels=())
    with ladder_in(tmp_path / "ladder.db", players, settings) as ladder:
        for number in range(4):
            game = ladder.claim(f"request {number}")
            assert game is not None
            faults = tuple("Oops" if each == "v1" else None for each in game.pairing.players)
            ladder.finish(game, entry_text(game, (1, 1), faults))
            if "v1" in players.parked and number == 1:
                players.parked.clear()
                ladder.look_again()
    assert len(players.told) == 2


def test_a_ladder_goes_on_where_it_was(tmp_path: Path) -> None:
    players = roster(5)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        play(ladder, players, 40)
        open_game = ladder.claim("lost")
        assert open_game is not None
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        assert ladder.results.total(EDITION) == 40
        again = ladder.claim("found")
        assert again is not None
        assert again.pairing == open_game.pairing
        play(ladder, players, 10)
    assert sum(games for games, _, _ in table_of(tmp_path / "ladder.db").values()) == 100


def test_tables_that_are_lost_are_filled_from_the_record(tmp_path: Path) -> None:
    players = roster(4)
    path = tmp_path / "ladder.db"
    with ladder_in(path, players) as ladder:
        play(ladder, players, 30)
        ladder.rate_now()
        before = {each.player: each.elo for each in ladder.results.players(EDITION)}
    with closing(LadderDatabase(path)) as database:
        database.write(lambda connection: connection.exec_driver_sql("drop table ladder_player"))
        database.write(lambda connection: connection.exec_driver_sql("delete from ladder_cursor"))
    with ladder_in(path, players) as ladder:
        after = {each.player: each.elo for each in ladder.results.players(EDITION)}
    assert after == pytest.approx(before, abs=0.1)


def test_somebody_who_was_erased_is_not_paired_again(tmp_path: Path) -> None:
    players = roster(3)
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        game = ladder.claim("one")
        assert game is not None
        ladder.spoil(game, "a standstill")
        gone = next(each for each in game.pairing.players if not is_mark(each))
        del players.known[gone]
        ladder.look_again()
        other = ladder.claim("two")
        assert other is not None
        assert gone not in other.pairing.players


def test_the_record_holds_ids_only_and_what_was_printed_lies_outside(tmp_path: Path) -> None:
    players = RosterInMemory()
    players.add(KnownVersion("v0", "Ada"), KnownVersion("v1", "Grace"))
    with ladder_in(tmp_path / "ladder.db", players) as ladder:
        game = ladder.claim("one")
        assert game is not None
        text = entry_text(game, (1, 2)).replace('"log": ""', '"log": "my name is Ada"')
        ladder.finish(game, text)
        assert ladder.results.output(game.id) == "my name is Ada"
    with closing(open_store(tmp_path / "ladder.db")) as store:
        kept = [entry.data for entry in store.read(GAME)]
        assert len(kept) == 1
        assert "Ada" not in kept[0]
        assert "Grace" not in kept[0]


def test_what_somebody_printed_can_be_erased_and_the_record_stays_valid(tmp_path: Path) -> None:
    players = RosterInMemory()
    players.add(KnownVersion("v0", "Ada"), KnownVersion("v1", "Grace"))
    said = "--- v0\\nI am Ada\\n--- v1\\nI am Grace\\n"
    with ladder_in(
        tmp_path / "ladder.db", players, LadderSettings((EDITION,), levels=())
    ) as ladder:
        game = ladder.claim("one")
        assert game is not None
        ladder.finish(game, entry_text(game, (1, 2)).replace('"log": ""', f'"log": "{said}"'))
        assert "I am Ada" in ladder.results.output(game.id)
        ladder.forget(["v0"])
        assert ladder.results.output(game.id) == "--- v1\nI am Grace\n"
        ladder.forget(["v1"])
        assert ladder.results.output(game.id) == ""
    with closing(open_store(tmp_path / "ladder.db")) as store:
        assert list(store.check()) == []
