"""Reviews: planted blunders are found, good moves are not blamed, and words fit what happened."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.game import Game, Position
from spielleiter.gym import GymSet
from spielleiter.gym.mining import mistakes
from spielleiter.match import GameRecord, Played
from spielleiter.match.record import RecordBuilder
from spielleiter.review import (
    Evaluator,
    GameReview,
    ReviewedTurn,
    ReviewInterrupted,
    review_game,
)
from spielleiter.review.chances import GRADES, chance, grade
from spielleiter.review.evaluator import engines
from spielleiter.review.game_review import tried_moves
from spielleiter.review.page import page, summary_page
from spielleiter.review.patterns import Trait
from spielleiter.review.summary import summarise, summary_json, summary_text
from spielleiter.review.time_use import TimeUse, nodes_with_second_more, second_more, time_use
from spielleiter.review.views import (
    decimal,
    grouped,
    habits_json,
    to_json,
    to_text,
    translator,
)
from spielleiter.service.record_files import write
from spielleiter.service.recorded_games import recorded_games
from spielleiter.text import Text
from tests.conftest import EDITIONS, IS_PLAIN, in_turns
from tests.contests import environment, program, ran
from tests.contests import said as run
from tests.planted import Planted, judged, planted_game, planted_games

SEARCHED = [
    game.name
    for game in EDITIONS
    if game.authority == "document" and engines(game.start(1))[:1] == ("alphabeta",)
]
"""The editions whose best engine is quick enough to play whole games here."""
ONE = SEARCHED[-1]
EDITION_NAMES = [game.name for game in EDITIONS if game.authority == "document"]
NEWEST = {game.folder: game.name for game in EDITIONS}.values()
"""One edition of each game."""
PLANTED = [
    *((edition, 36) for edition in EDITION_NAMES if "draft" not in edition),
    *((edition, 10) for edition in EDITION_NAMES if "draft" in edition),
]
"""Where two hundred games come from: edition, games."""
_JUDGED, _JUDGED_TREE = 1_000, 100
"""Nodes of the reviews in the quick tests."""
_FIRST_TREE = 5
"""Where the tree is searched, games of earlier seeds hold no losing move: seconds for nothing."""


def lost_game() -> Planted:
    """One that is quickly played."""
    return planted_games(ONE, 1, strong=False)[0]


def reviewed(planted: Planted) -> GameReview:
    """A quick review."""
    return review_game(planted.record, planted.game, _JUDGED)


@pytest.mark.native
@pytest.mark.parametrize(
    "edition",
    [
        each if each in NEWEST else pytest.param(each, marks=pytest.mark.deep)
        for each in EDITION_NAMES
    ],
)
def test_a_planted_blunder_is_among_the_turning_points(edition: str) -> None:
    nodes, first = (4 * _JUDGED, 0) if edition in SEARCHED else (_JUDGED_TREE, _FIRST_TREE)
    for one in planted_games(edition, 1, strong=False, first=first):
        review = review_game(one.record, one.game, nodes)
        assert one.found(review)
        assert not one.blamed(review)


@pytest.mark.deep
@pytest.mark.parametrize(("edition", "count"), PLANTED)
def test_of_two_hundred_planted_blunders_nine_in_ten_are_named(edition: str, count: int) -> None:
    tally = judged(edition, count, first=1000)
    assert tally.named >= 0.9 * count
    assert tally.blamed <= 0.05 * count


@pytest.mark.native
def test_a_review_is_the_same_every_time() -> None:
    planted = lost_game()
    first = review_game(planted.record, planted.game, 500)
    assert review_game(planted.record, planted.game, 500) == first


@pytest.mark.native
def test_the_grade_follows_from_the_loss_and_accuracy_lies_between_0_and_100() -> None:
    planted = lost_game()
    review = review_game(planted.record, planted.game, 500)
    bounds = {"best": (0, 0), "good": (0, 0.1), "inaccuracy": (0.1, 0.2), "mistake": (0.2, 0.3)}
    for turn in review.turns:
        low, high = bounds.get(turn.grade, (0.3, 1.0))
        assert low <= turn.loss <= high
        assert 0 <= turn.chance_after <= turn.chance <= 1
        assert (turn.grade == "best") == (turn.move == turn.best)
    assert all(0 <= each <= 100 for each in review.accuracy)
    costs = [each.loss for each in review.turning_points]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.native
@pytest.mark.parametrize("edition", SEARCHED)
def test_what_is_called_certain_is_what_plain_search_proves(edition: str) -> None:
    planted = planted_game(edition, 5, strong=False, plant=False)
    review = review_game(planted.record, planted.game, _JUDGED)
    options = [each for each in planted.game.native.pruning_options() if each != "endgame"]
    plain = planted.game.native.Engine(table=64, without=options)
    certain = [each for each in review.turns if each.certain][-3:]
    assert certain
    for turn in certain:
        position = planted.record.frame(planted.game, turn.turn).position
        if (outcome := position.outcome()) is None:
            score = plain.search(position, nodes=3_000_000).score
            own = position.to_move() == turn.seat
            proven = chance(score if own else -score)
        else:
            proven = (turn.seat in outcome.winners) / len(outcome.winners)
        assert turn.chance_after == proven


def worth(position: Position, seat: int) -> float:
    """What a position is worth to a seat, by trying every line to its end."""
    if (outcome := position.outcome()) is not None:
        return (seat in outcome.winners) / len(outcome.winners)
    found = [worth(position.after(move), seat) for move in position.legal_moves()]
    return max(found) if position.to_move() == seat else min(found)


@pytest.mark.parametrize(
    "edition",
    [each if each == ONE else pytest.param(each, marks=pytest.mark.native) for each in SEARCHED],
)
def test_near_the_end_every_value_is_certain_draws_too(edition: str) -> None:
    game = games.load(edition)
    evaluator, seen = Evaluator(game.start(0), game), set[float]()
    for seed in range(25):
        if seen == {0.0, 0.5, 1.0}:
            break
        position, lot = game.start(seed), random.Random(seed)
        walk = [position.copy()]
        while position.outcome() is None:
            position.play(lot.choice(list(position.legal_moves())))
            walk.append(position.copy())
        for late in walk[-3:-1]:
            value = evaluator.value(late)
            assert (value.chance, value.certain) == (worth(late, late.to_move()), True)
            seen.add(value.chance)
    assert 0.5 in seen
    assert not evaluator.value(game.start(0)).certain


@pytest.mark.native
def test_the_last_chance_is_where_a_held_game_slipped() -> None:
    planted = lost_game()
    review = reviewed(planted)
    for seat in range(2):
        last = review.last_chance(seat)
        slips = [each for each in review.of(seat) if each.chance >= 0.5 > each.chance_after]
        costly = [each for each in slips if each.loss >= 0.05]
        lost = seat not in review.winners
        assert last == (costly[-1] if lost and costly else None)


def after_turns(*chances: tuple[float, float], seats: int) -> GameReview:
    """A review of a game that the last seat won, with the first seat's chances turn by turn."""
    turns = tuple(
        ReviewedTurn(1 + at * seats, 0, "a1", "b2", own, kept, grade(own - kept), False)
        for at, (own, kept) in enumerate(chances)
    )
    names = ("Ada", "Bo", "Cy", "Di")[:seats]
    return GameReview(ONE, names, "alphabeta", 1, 1, turns, winners=(seats - 1,))


@pytest.mark.parametrize(
    ("seats", "chances", "last"),
    [
        (2, [(0.8, 0.3), (0.5, 0.47)], 1),  # three hundredths are not the game
        (2, [(0.8, 0.3), (0.5, 0.45)], 3),
        (4, [(0.26, 0.2), (1.0, 0.28), (0.2, 0.0)], 5),  # won, then no more than a fair share
        (4, [(1.0, 0.28), (0.26, 0.2)], 5),
        (4, [(0.24, 0.0)], None),
        (3, [(0.3333, 0.2)], 1),  # a third
    ],
)
def test_a_last_chance_is_a_costly_move_in_a_game_that_was_held(
    seats: int, chances: list[tuple[float, float]], last: int | None
) -> None:
    found = after_turns(*chances, seats=seats).last_chance(0)
    assert (None if found is None else found.turn) == last


def test_numbers_are_written_as_their_reader_does() -> None:
    english, german = (translator(games.load(ONE), language) for language in ("en", "de"))
    assert (english(decimal(95.46, 1)), german(decimal(95.46, 1))) == ("95.5", "95,5")
    assert (english(grouped(1_250_000)), german(grouped(1_250_000))) == ("1,250,000", "1.250.000")
    assert german(grouped(143)) == "143"


@pytest.mark.native
def test_a_review_speaks_english_and_german_and_draws_what_would_have_held() -> None:
    planted = lost_game()
    review = reviewed(planted)
    english = to_text(review, planted.record, planted.game, "en")
    german = to_text(review, planted.record, planted.game, "de")
    assert "The costliest moves:" in english
    assert "Die teuersten Züge:" in german
    best = review.turning_points[0].best
    assert best in english
    html = page(review, planted.record, planted.game, "de")
    assert '<html lang="de">' in html
    assert html.count("<svg") >= 2
    assert review.turning_points[0].move in html


@pytest.mark.native
def test_a_review_for_one_player_tells_of_its_mistakes_only() -> None:
    planted = lost_game()
    names = ("first.py", "second.py")
    review = replace(reviewed(planted), names=names)
    for seat, name in enumerate(names):
        own = [each.turn for each in review.turning_points if each.seat == seat]
        assert [each.turn for each in review.costly(name)] == own
        told = to_text(review, planted.record, planted.game, "en", player=name)
        costly = told.partition("The costliest moves:")[2].splitlines()
        shown = [int(line.split(":")[0]) for line in costly if re.match(r"  \d+: ", line)]
        assert shown == own[:5]
        tasks = mistakes(review, planted.record, planted.game, "key", name)
        assert {each.name for each in tasks} <= {f"key, turn {turn}" for turn in own}


@pytest.mark.native
def test_many_games_say_which_mistakes_recur() -> None:
    played = planted_games(ONE, 2, strong=False)
    reviews = [
        (str(at), review_game(each.record, each.game, 500)) for at, each in enumerate(played)
    ]
    say = translator(played[0].game, "en")
    summaries = summarise(reviews, say)
    assert sum(each.won for each in summaries) <= 2
    told = summary_text(summaries, 2, say)
    assert told.startswith("Games reviewed: 2\n")
    plain = summary_json(summaries, 2)
    assert json.loads(json.dumps(plain)) == plain
    assert {each["games"] for each in plain["players"]} == {2}
    for player, summary in zip(plain["players"], summaries, strict=True):
        for motif in player["motifs"]:
            assert motif["examples"][0].items() <= motif.items()
            assert len(motif["examples"]) == min(3, motif["count"])
            order = [(each.won, -each.loss) for each in summary.examples[motif["id"]]]
            assert order == sorted(order)
            assert all(each["text"] in told for each in motif["examples"][:1])


FIRST_MOVE = """
from spielleiter import Bot

class Player(Bot):
    def choose(self, position, clock):
        return position.legal_moves()[0]

class Last(Bot):
    def choose(self, position, clock):
        return position.legal_moves()[-1]
"""


SAME_START = next(
    each.name
    for each in reversed(EDITIONS)  # the last one is reviewed quickest
    if len({each.start(seed).text() for seed in range(9)}) == 1
)
"""An edition whose games all begin alike."""


@pytest.mark.native
def test_games_that_repeat_others_are_left_out_and_the_next_command_is_printed(
    tmp_path: Path,
) -> None:
    (tmp_path / "first.py").write_text(FIRST_MOVE)
    words = ("match", "first.py", "first.py:Last", "--game", SAME_START, "--games", "4")
    run(tmp_path, *words, "--seed", "1", "--store", "m.db")
    told = json.loads(run(tmp_path, "review", "m.db", "--nodes", "2", "--json"))
    assert (told["games"], told["repeated"]) == (2, 2)  # either seat, and once again
    shown = run(tmp_path, "review", "m.db", "--nodes", "2", "--player", "first.py")
    assert "Left out" in shown
    command = re.search(r"^  spielleiter (show m.db match/\d --turn \d+)$", shown, re.MULTILINE)
    assert command is not None, shown
    assert re.search(r"^  spielleiter review m.db .* --player first.py --nodes 2$", shown, re.M)
    before = int(command[1].rpartition(" ")[2])  # the position in which the move was chosen
    assert f"--turn {before + 1} --bot first.py" in shown
    played = run(tmp_path, *command[1].split()[:-1], str(before + 1))
    assert played.startswith(f"{before + 1}: first.py (")


def test_a_match_says_that_its_games_repeat_each_other(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(FIRST_MOVE)
    words = ("--game", SAME_START, "--games", "6", "--nodes", "1", "--store")
    told = run(tmp_path, "match", "first.py", "first.py:Last", *words, "same.db")
    assert "Note: 4 of 6 games repeat others move by move" in told
    assert "repeat" not in run(tmp_path, "match", "random", "random", *words, "others.db")


@pytest.mark.native
def test_the_program_reviews_a_replay_as_json(tmp_path: Path) -> None:
    planted = lost_game()
    file = write(planted.record)
    assert file is not None
    path = tmp_path / f"game{file.suffix}"
    path.write_bytes(file.content)
    told = json.loads(run(tmp_path, "review", path.name, "--json", "--nodes", "300"))
    wanted = to_json(review_game(planted.record, planted.game, 300))
    names = {"turn", "seat", "move", "best", "chance", "chance_after", "grade", "certain"}
    assert all(names <= each.keys() for each in told["turns"])
    assert told["turns"] == [each | {"spent": None} for each in wanted["turns"]]
    assert told["turning_points"] == wanted["turning_points"]
    run(tmp_path, "review", path.name, "--nodes", "300", "--gym", "mistakes.toml")
    tasks = GymSet.parse((tmp_path / "mistakes.toml").read_text("utf-8"))
    tasks.check(planted.game)
    wrong = [each["turn"] for each in told["turns"] if each["grade"] in ("mistake", "blunder")]
    assert len(tasks.positions) == len(wrong) > 0


def by_chance(game: Game, seed: int) -> GameRecord:
    """A game of random moves."""
    position, lot = game.start(seed), random.Random(seed)
    builder = RecordBuilder(position.copy(), ("Ada", "Bo"))
    while position.outcome() is None:
        move = lot.choice(list(position.legal_moves()))
        builder.played(position.to_move(), move.text())
        position.play(move)
    outcome = position.outcome()
    assert outcome is not None
    builder.ended(outcome)
    return builder.record()


@pytest.mark.native
def test_a_proved_result_is_changed_by_a_move_and_by_nothing_else() -> None:
    """A search of few nodes that has proved a win must not lose sight of it."""
    proved, game = 0, games.load(ONE)
    for seed in range(8):
        turns = review_game(by_chance(game, seed), game, 40).turns
        for earlier, later in itertools.pairwise(turns):
            if earlier.certain:
                after = earlier.chance_after
                expected = after if earlier.seat == later.seat else 1 - after
                assert later.chance == expected, (seed, later.turn)
                proved += 1
    assert proved > 40


@pytest.mark.native
@pytest.mark.parametrize("edition", in_turns(EDITION_NAMES, lambda name: games.load(name).folder))
def test_the_object_of_every_edition_keeps_its_promises(edition: str, tmp_path: Path) -> None:
    file = write(by_chance(games.load(edition), 3))
    assert file is not None
    (tmp_path / f"game{file.suffix}").write_bytes(file.content)
    told = json.loads(run(tmp_path, "review", f"game{file.suffix}", "--json", "--nodes", "5"))
    losses = {}
    for turn in told["turns"]:
        loss = losses[turn["turn"]] = round(turn["chance"] - turn["chance_after"], 4)
        assert 0 <= turn["chance_after"] <= turn["chance"] <= 1
        wanted = next(name for least, name in GRADES if loss >= least)
        assert turn["grade"] == ("best" if turn["move"] == turn["best"] else wanted)
        assert not turn["certain"] or {turn["chance"], turn["chance_after"]} <= {0.0, 0.5, 1.0}
    costs = [losses[turn] for turn in told["turning_points"]]
    assert costs == sorted(costs, reverse=True)
    assert len(told["accuracy"]) == 2
    assert told["turns"][-1]["certain"]


def test_a_review_takes_as_many_nodes_as_somebody_asks_for() -> None:
    game = games.load(ONE)
    assert Evaluator(game.start(1), game, 100).nodes == 100
    assert Evaluator(game.start(1), game).nodes == (400 if IS_PLAIN else 20_000)


def test_what_a_second_more_would_have_changed_follows_from_the_nodes_it_takes() -> None:
    assert second_more(1_000_000, 0.5, 400_000) == "not-needed"
    assert second_more(1_000_000, 0.5, 600_000) == "helps"
    assert second_more(1_000_000, 0.5, None) == "in-vain"
    assert nodes_with_second_more(1_000_000, 0.5) == 1_500_000
    assert nodes_with_second_more(1_000_000, 60.0) == 2_000_000


def test_time_is_told_where_it_went_and_where_it_was_missing() -> None:
    assert time_use([], [1]) is None
    spent = [(1, 1.0), (3, 0.1), (5, 2.0), (7, 0.9)]
    assert time_use(spent, [3, 5, 4]) == TimeUse(4.0, (5, 1, 7), (3,))


@pytest.mark.native
def test_a_review_of_a_game_with_times_says_what_a_second_more_would_have_changed() -> None:
    planted = lost_game()
    timed = GameRecord(
        tuple(
            replace(each, spent=0.01, receipt=replace(each.receipt, asked=0.0))
            if isinstance(each, Played)
            else each
            for each in planted.record.events
        )
    )
    review = review_game(timed, planted.game, 300)
    costly = review.turning_points[:3]
    assert costly
    assert all(each.second_more is not None for each in costly)
    told = to_text(review, timed, planted.game, "en")
    assert "in all, longest at turn" in told
    assert "Another second" in told or "The time was enough" in told


# ------------------------------------------------------------------------------------- interrupted


@pytest.mark.native
def test_an_interrupted_review_has_the_last_turns() -> None:
    planted, wanted = lost_game(), 7

    def stop(done: int, _: int) -> None:
        if done == wanted:
            raise KeyboardInterrupt

    with pytest.raises(ReviewInterrupted) as stopped:
        review_game(planted.record, planted.game, 50, stop)
    partial, whole = stopped.value.review, review_game(planted.record, planted.game, 50)
    played = [each.turn for each in whole.turns]
    assert [each.turn for each in partial.turns] == played[-wanted:]
    assert (partial.unread, whole.unread) == (len(played) - wanted, 0)
    for language, word in (("en", "Interrupted"), ("de", "Abgebrochen")):
        told = to_text(partial, planted.record, planted.game, language)
        assert word in told
        assert word in page(partial, planted.record, planted.game, language)
        assert f"{wanted} " in told.partition(word)[2].splitlines()[0]
        assert word not in to_text(whole, planted.record, planted.game, language)


def interrupted(folder: Path, until: str, *words: str) -> tuple[int, str, str]:
    """Status, output and messages of the program after Ctrl-C, as soon as it shows `until`."""
    pty = pytest.importorskip("pty")  # progress is shown at once on a terminal only
    screen, terminal = pty.openpty()
    shown = {**environment(), "TERM": "xterm"}
    process = subprocess.Popen(
        program(*words), cwd=folder, env=shown, stdout=subprocess.PIPE, stderr=terminal
    )
    os.close(terminal)
    told = b""
    while until.encode() not in told:
        told += os.read(screen, 1_000)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    rest = os.read(screen, 10_000)
    os.close(screen)
    return process.returncode, out.decode("utf-8"), rest.decode("utf-8")


def twenty_games(folder: Path) -> tuple[str, ...]:
    """What reviews twenty games that have just been played."""
    words = ("match", "random", "greedy", "--game", ONE, "--games", "20", "--store", "m.db")
    run(folder, *words, "--nodes", "1")
    return "review", "m.db", "--nodes", "2000"


@pytest.mark.native
def test_ctrl_c_prints_what_was_reviewed_and_says_how_much_it_was(tmp_path: Path) -> None:
    status, out, err = interrupted(tmp_path, "game 2 of 20", *twenty_games(tmp_path))
    assert status == 130
    assert out.startswith("Games reviewed: 1\nInterrupted: this covers 1 of 20 games.\n")
    assert "random: " in out
    assert "Interrupted: this covers 1 of 20 games." in err


@pytest.mark.deep  # the turns of a single game are interrupted as JSON in make test
@pytest.mark.native
def test_ctrl_c_says_how_many_games_were_reviewed_as_json(tmp_path: Path) -> None:
    status, out, _ = interrupted(tmp_path, "game 2 of 20", *twenty_games(tmp_path), "--json")
    told = json.loads(out)
    assert (status, told["games"], told["partial"]) == (130, 1, {"reviewed": 1, "of": 20})


@pytest.mark.native
def test_ctrl_c_keeps_the_turns_of_a_single_game(tmp_path: Path) -> None:
    words = ("match", "random", "greedy", "--game", ONE, "--games", "2", "--store", "m.db")
    run(tmp_path, *words, "--nodes", "1")
    review = ("review", "m.db", "match/0")
    status, out, _ = interrupted(tmp_path, " turns", *review, "--nodes", "100000", "--json")
    told = json.loads(out)
    assert status == 130
    assert 0 < told["partial"]["reviewed"] == len(told["turns"]) < told["partial"]["of"]
    whole = json.loads(run(tmp_path, *review, "--nodes", "5", "--json"))
    assert whole["partial"] is None
    assert len(whole["turns"]) == told["partial"]["of"]


# ---------------------------------------------------------------------------------- moves compared

SHOWS_VALUES = """
from spielleiter import Bot

class Player(Bot):
    def choose(self, position, clock):
        moves = position.legal_moves()
        self.show(values={move.text(): at / 4 for at, move in enumerate(moves[:9])})
        return moves[0]
"""


@pytest.mark.native
def test_a_bot_put_back_is_asked_why_it_did_not_play_another_move(tmp_path: Path) -> None:
    (tmp_path / "shows.py").write_text(SHOWS_VALUES)
    words = ("match", "shows.py", "random", "--game", ONE, "--games", "2", "--seed", "1")
    run(tmp_path, *words, "--store", "m.db")
    game = next(recorded_games(str(tmp_path / "m.db")))
    seat, edition = game.players.index("shows.py"), games.load(ONE)
    turn, before = next(  # a seat may move twice: the other one has to pass now and then
        (turn, before)
        for turn in range(17, 40)
        if (before := game.record.frame(edition, turn - 1).position).to_move() == seat
        and len(before.legal_moves()) > 1
    )
    first, second = (move.text() for move in before.legal_moves()[:2])
    asked = ("m.db", game.key, "--turn", str(turn), "--bot", "shows.py", "--move")
    told = run(tmp_path, "replay", *asked, second)
    assert f"{first}, as in the game" in told
    lines = [line for line in told.splitlines() if line.startswith(f"{turn}: shows.py, ")]
    assert [line.split(", ")[1].split(":")[0] for line in lines] == [first, second]
    assert all(re.search(r": \d+ % (→ \d+ % )?\(", line) for line in lines)
    assert re.search(r"own value: 0\n(.*\n)*.*own value: 0.25\n", told)
    refused = ran(tmp_path, "replay", *asked, "no move")
    assert refused.returncode == 2
    occupied = next(
        text for text in everywhere(before) if before.why_illegal(before.move(text)) is not None
    )
    assert f"{occupied} is not legal here: " in run(tmp_path, "replay", *asked, occupied)


def everywhere(position: Position) -> list[str]:
    """Moves of the next positions, most of which are not legal in this one."""
    after = position.after(position.legal_moves()[0])
    return [move.text() for move in after.legal_moves()]


@pytest.mark.native
def test_moves_beside_each_other_have_one_best_and_losses_from_the_same_chance() -> None:
    game = games.load(ONE)
    record = by_chance(game, 1)  # late enough for quick searches, and the moves differ
    position = record.frame(game, 46).position
    moves = list(position.legal_moves())[:3]
    assert len(moves) == 3
    found = tried_moves(position, moves, game, ("Ada", "Bo"), 1)
    assert [each.move for each in found.turns] == [move.text() for move in moves]
    assert len({each.chance for each in found.turns}) == 1
    for each in found.turns:
        assert (each.grade == "best") == (each.loss == 0)
        assert each.motifs == () or each.grade != "best"


# ---------------------------------------------------------------------------- habits in one game

_NEVER, _ALWAYS = Text("trait.never", "never"), Text("trait.always", "always")


def stubborn(review: GameReview, count: int) -> GameReview:
    """The review of a game whose first seat plays otherwise than the engine in so many turns."""
    found = []
    for each in review.turns:
        if each.seat == 0 and count:
            traits: tuple[Trait, ...] = (("move", _ALWAYS), ("best", _NEVER))
            each = replace(each, traits=traits, chance=0.6, chance_after=0.4, choices=9)
            count -= 1
        else:
            each = replace(each, traits=())
        found.append(each)
    return replace(review, turns=tuple(found), names=("Ada", "Bo"))


@pytest.mark.native
def test_a_clear_habit_is_told_of_a_single_game_and_a_doubtful_one_is_not() -> None:
    planted = lost_game()
    review = reviewed(planted)
    clear, doubtful = stubborn(review, 12), stubborn(review, 10)
    assert {each.trait for each in clear.habits(0)} <= {_ALWAYS, _NEVER}
    assert clear.habits(0)
    assert not clear.habits(1)
    assert not doubtful.habits(0)
    title = "Where Ada played otherwise than the engine:"
    for each, is_told in ((clear, True), (doubtful, False)):
        assert (title in to_text(each, planted.record, planted.game, "en")) == is_told
        assert (title in page(each, planted.record, planted.game, "en")) == is_told
    assert title not in to_text(clear, planted.record, planted.game, "en", player="Bo")
    say = translator(planted.game, "en")
    (first, *_) = habits_json(clear.habits(0, "match/1"), say)
    (player,) = (each for each in summarise([("match/1", clear)]) if each.name == "Ada")
    assert first == summary_json([player], 1, say)["players"][0]["habits"][0]
    assert first["examples"][0]["game"] == "match/1"


@pytest.mark.native
def test_the_page_of_many_games_has_habits_patterns_and_motifs_in_both_languages() -> None:
    planted = lost_game()
    review = stubborn(reviewed(planted), 12)
    for language, title in (("en", "Where it plays otherwise"), ("de", "Wo er anders spielt")):
        say = translator(planted.game, language)
        summaries = summarise([("match/1", review)], say)
        html = unescape(summary_page(summaries, ["head"], say, language))
        assert f'<html lang="{language}">' in html
        assert title in html
        for line in summary_text(summaries, 1, say).splitlines()[1:]:
            assert line.strip() in html


@pytest.mark.native
def test_the_program_writes_a_page_of_many_games(tmp_path: Path) -> None:
    words = ("match", "random", "greedy", "--game", ONE, "--games", "2", "--store", "m.db")
    run(tmp_path, *words, "--nodes", "1")
    told = run(tmp_path, "review", "m.db", "--nodes", "2", "--html", "all.html", "--lang", "de")
    assert "wrote all.html" in told
    html = (tmp_path / "all.html").read_text("utf-8")
    assert "Untersuchte Partien: 2" in html
    assert "greedy: " in html
