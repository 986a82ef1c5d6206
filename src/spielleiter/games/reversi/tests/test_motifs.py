"""Reviews of this game: motifs, and more than two seats."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import pytest

from spielleiter import games
from spielleiter.games.reversi import Move, Position
from spielleiter.games.reversi.motifs import best_line, corner_cells, edge_stones, motifs, traits
from spielleiter.match.record import RecordBuilder
from spielleiter.review import GameReview, review_game
from spielleiter.review.views import title, translator

MAP = "8\n"


def test_with_three_seats_every_move_has_a_chance_of_its_own() -> None:
    game = games.load("reversi")
    name = next(each for each in game.options[0].choices() if each.startswith("p3_"))
    position, lot = game.start(0, map=name), random.Random(1)
    builder = RecordBuilder(position.copy())
    for _ in range(6):
        move = lot.choice(list(position.legal_moves()))
        builder.played(position.to_move(), move.text())
        position.play(move)
    review = review_game(builder.record(), game, 50)
    assert len(review.turns) == 6
    assert {each.seat for each in review.turns} == {0, 1, 2}
    assert review.winners == ()
    assert all(0 <= each.chance_after <= each.chance <= 1 for each in review.turns)
    frames = list(builder.record().frames(game))
    for each in review.turns:
        expected = frames[each.turn - 1].position.copy()
        assert each.line[0] == each.best
        for text in each.line:  # raises if a move of the line is illegal
            expected.play(expected.move(text))


def test_winners_who_share_the_first_rank_are_joined_by_a_word() -> None:
    game, names = games.load("reversi"), ("Ada", "Bo", "Cy", "Di")
    review = GameReview("reversi", names, "alphabeta", 1, 1, (), (1, 3), "equal stones")
    english, german = (title(review, game, translator(game, each)) for each in ("en", "de"))
    assert english.endswith(". Bo and Di finished first: equal stones.")
    assert german.endswith(". Bo und Di auf dem ersten Platz: gleich viele Steine.")


def test_without_names_winners_are_called_by_their_seats() -> None:
    game = games.load("reversi")
    review = GameReview("reversi", ("", "", ""), "alphabeta", 1, 1, (), (1, 2), "equal stones")
    english = title(review, game, translator(game, "en"))
    assert english.startswith("Reversi: player 1 – player 2 – player 3. Player 2 and player 3 ")


def test_a_corner_that_is_given_away_and_one_that_is_left_are_named() -> None:
    seen: set[str] = set()
    for seed in range(8):
        position = cast(Position, games.load("reversi").start(seed))
        lot = random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            for better in moves[:4]:
                seen |= {each.id for each in motifs(position, moves[0], better)}
            position.play(lot.choice(moves))
    wanted = {"corner-given", "missed-corner", "edge-given", "mobility", "parity"}
    assert {f"motif.{each}" for each in wanted} <= seen


def test_the_corner_that_is_named_can_be_taken() -> None:
    checked = 0
    for seed in range(10):
        position = cast(Position, games.load("reversi").start(seed))
        lot = random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            for each in motifs(position, moves[0], moves[-1]):
                if each.id == "motif.corner-given":
                    corner = str(each.values["cell"])
                    assert corner in {"a1", "a8", "h1", "h8"}
                    after = position.after(moves[0])
                    assert after.move(corner) in after.legal_moves()
                    instead = position.after(moves[-1])
                    is_theirs = instead.to_move() != position.to_move()
                    assert not is_theirs or instead.move(corner) not in instead.legal_moves()
                    checked += 1
            position.play(lot.choice(moves))
    assert checked


def said_of(text: str, move: str, better: str) -> list[str]:
    """What is said of a move, in English."""
    position = cast(Position, games.load("reversi").parse(text))
    return [str(each) for each in motifs(position, position.move(move), position.move(better))]


def test_traits_say_where_a_stone_is_set_and_what_it_turns() -> None:
    text = "02220122/02221222/22212122/22122122/21222122/22121222/20111122/00111202 2 2 -"
    position = cast(Position, games.load("reversi").parse(text))

    def of(move: str) -> set[str]:
        return set(map(str, traits(position, position.move(move))))

    assert of("g8") == {
        "at the edge or a hole",
        "in column g",
        "in row 8",
        "in the quarter e5-h8",
        "turning stones of a diagonal like a1-c3",
    }
    assert {"beside the free corner a8", "in the quarter a5-d8"} <= of("b7")
    assert {"in the quarter e1-h4", "in row 1"} <= of("e1")


def test_a_move_after_which_every_stone_can_be_turned_is_named() -> None:
    text = "00000000/00000100/01111100/00112100/00111110/00100110/00000010/00000000 2 2 -"
    assert "the opponent can now turn all your stones" in said_of(text, "b4", "h7")[0]
    assert not any("all your stones" in each for each in said_of(text, "h7", "b4"))


def test_a_move_that_would_have_turned_every_stone_of_somebody_is_named() -> None:
    rows = "01200000/00200000/01000000/00000000/00000000/00000000/00000000"
    duel, three = f"{rows}/00000000 2 1 -", f"{rows}/30000000 3 1 -"
    wins = "the better move would have turned all stones of the opponent, which wins the game"
    assert said_of(duel, "d3", "d1")[0] == wins
    assert wins not in said_of(duel, "d1", "d3")
    of_one = "the better move would have turned all stones of player 2"
    assert said_of(three, "d3", "d1")[0] == of_one
    assert of_one not in said_of(three, "d1", "d3")


def test_stones_that_anybody_could_turn_are_counted() -> None:
    text = "020000/323300/331300/333300/121300/020000 3 1 -"
    told = "your stones that the others can turn, as the board stands: 6; after the better move 1"
    assert told in said_of(text, "e3", "a1")
    assert not any("the others can turn" in each for each in said_of(text, "a1", "e3"))
    position = cast(Position, games.load("reversi").parse(text))
    assert [len(turnable(position.after(move))) for move in ("e3", "a1")] == [6, 1]


def turnable(position: Position) -> set[tuple[int, int]]:
    """The stones of the first of three players that a move of one of the others turns."""
    rows, seats, _, out = position.text().split()
    own, found = set(position.stones(0)), set[tuple[int, int]]()
    for other in (1, 2):
        turn = cast(Position, games.load("reversi").parse(f"{rows} {seats} {other + 1} {out}"))
        assert turn.to_move() == other
        for move in turn.legal_moves():
            found |= own - set(turn.after(move).stones(0))
    return found


def test_a_missed_corner_is_reason_enough() -> None:
    """Neither that the stone lies beside it nor 17 moves instead of 16 are worth a word."""
    text = (
        "--000000--/-00000200-/0002112100/0022222000/1112111100/"
        "0000211110/0000022000/0000002000/-00000200-/--000000-- 2 1 -"
    )
    said = said_of(text, "g1", "h1")
    assert said[0] == "the corner h1 could have been taken"
    assert not any("beside" in each or "moves left" in each for each in said)


def test_a_corner_that_was_missed_is_not_given_away_as_well() -> None:
    text = "22222222/11112111/11122212/11212212/12111212/12122112/11111112/12000200 2 2 -"
    said = said_of(text, "g8", "h8")
    assert said[0] == "the corner h8 could have been taken"
    assert not any("gives away the corner" in each for each in said)


def test_a_move_that_leaves_few_moves_is_named() -> None:
    text = "00000000/00000000/00210000/00021000/00012100/00000200/00000000/00000000 2 1 -"
    assert "cut your moves down to 3; after the better move you keep at least 7" in "".join(
        said_of(text, "b3", "c4")
    )


def test_the_stones_of_an_edge_are_those_that_the_reply_gains() -> None:
    said = 0
    for seed in range(6):
        position = cast(Position, games.load("reversi").start(seed))
        corners, lot = corner_cells(position), random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            for each in motifs(position, moves[0], moves[-1]):
                if each.id == "motif.edge-given":
                    after, said = position.after(moves[0]), said + 1
                    assert each.values["stones"] == most_gained(after, corners)
            position.play(lot.choice(moves))
    assert said


def most_gained(position: Position, corners: set[tuple[int, int]]) -> int:
    """How many stones of edges the player to move can gain."""
    seat = position.to_move()
    had = edge_stones(position, seat, corners)
    replies = [position.after(move) for move in position.legal_moves()]
    return max(len(edge_stones(reply, seat, corners) - had) for reply in replies)


def test_beside_a_hole_no_row_from_a_corner_is_called_stable_if_it_can_be_turned() -> None:
    game, checked = games.load("reversi"), 0
    for name in ("p2_11x11_islands", "p2_13x11_crater", "p2_12x12_ring"):
        position, lot = cast(Position, game.start(0, map=name)), random.Random(3)
        corners = corner_cells(position)
        while position.outcome() is None:
            safe = [edge_stones(position, seat, corners) for seat in (0, 1)]
            position.play(lot.choice(list(position.legal_moves())))
            for seat in (0, 1):
                assert safe[seat] <= set(position.stones(seat))
                checked += len(safe[seat])
    assert checked


def test_stones_at_empty_cells_are_named() -> None:
    text = "00000000/00000000/00100020/10111220/11222220/10022000/00220200/00020000 2 1 -"
    said = [each for each in said_of(text, "g8", "f6") if "touch empty cells" in each]
    assert [each.partition(": ")[2] for each in said] == ["12; after the better move 9"]
    assert not any("touch empty" in each for each in said_of(text, "f6", "g8"))


def test_one_stone_more_at_empty_cells_is_no_motif() -> None:
    text = "00000000/00000000/00200000/11111000/00011100/00000000/00000000/00000000 2 2 -"
    assert not any("touch empty" in each for each in said_of(text, "f6", "c5"))


def least_lead(position: Position) -> int:
    """The lead of the first seat with the best play of both, by trying everything."""
    if position.outcome() is not None:
        return int(position.scores()[0] - position.scores()[1])
    choose = max if position.to_move() == 0 else min
    return choose(least_lead(position.after(move)) for move in position.legal_moves())


def test_the_best_line_leads_where_trying_everything_leads() -> None:
    checked = 0
    for seed in range(6):
        position, lot = cast(Position, games.load("reversi").start(seed)), random.Random(seed)
        while position.outcome() is None:
            if position.text().partition(" ")[0].count("0") == 5:
                end = position.copy()
                for seat, move in best_line(position):
                    assert end.to_move() == seat
                    end.play(move)
                assert end.outcome() is not None
                assert end.scores()[0] - end.scores()[1] == least_lead(position)
                checked += 1
            position.play(lot.choice(list(position.legal_moves())))
    assert checked >= 3


def test_a_stone_beside_a_free_corner_is_named() -> None:
    text = "00000000/00000000/00100000/00011200/00012200/00010200/00010000/00000000 2 1 -"
    assert "g7 lies beside the free corner h8" in said_of(text, "g7", "e6")[0]
    assert not any("corner" in each for each in said_of(text, "e6", "g7"))


def test_with_more_than_two_nobody_is_called_the_opponent() -> None:
    game, seen = games.load("reversi"), set[str]()
    for name in ("p3_06x06_cramped", "p4_08x08_tight"):
        position, lot = cast(Position, game.start(0, map=name)), random.Random(1)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            for each in motifs(position, moves[0], moves[-1]):
                assert "opponent" not in each
                seen.add(each.id)
                if each.id == "motif.turned-several":
                    assert each.values["stones"] == most_turned(position, moves[0])
                    assert each.values["possible"] == most_turned(position, moves[-1])
            position.play(lot.choice(moves))
    assert {"motif.mobility-several", "motif.turned-several"} <= seen


PLANTED = {
    "player 1 can take the corner a1 before your next turn": (
        "000000/012300/031200/111100/000000/000000 3 2 -",
        "a2",
        "b5",
    ),
    "it gives away an edge: player 1, who is next, can get 3 more stones there that stay": (
        "000000/012300/031200/111200/000200/000000 3 3 -",
        "a5",
        "b5",
    ),
    "stones that you have shortly before the end: 12; after the better move 15": (
        "002222/021120/222220/313333/111120/310100 3 1 -",
        "b1",
        "a2",
    ),
    "player 4 has the most stones of the others and loses none of them; with the better move 3": (
        "00000000/00400000/00443400/00424330/01111410/00223140/00022000/00000200 4 1 -",
        "g3",
        "c1",
    ),
    "after the better move player 2 cannot move and is skipped": (
        "000000/012300/031300/111300/000300/000300 3 1 -",
        "e1",
        "e2",
    ),
    "moves left to yourself on this board: 6; after the better move 11": (
        "000000/012300/031200/111100/000000/000000 3 2 -",
        "d1",
        "c5",
    ),
    "player 1, who is next, can turn 5 of your stones; after the better move at most 1": (
        "001300/013300/031300/111300/000100/000310 3 3 -",
        "c5",
        "b1",
    ),
    "player 4, who is next, can now turn all your stones": (
        "00000000/00400000/00443400/00422222/01111410/00121140/00011000/00001200 4 3 -",
        "g3",
        "h6",
    ),
    "after the better move the opponent cannot move, so it is your turn again": (
        "00111121/11111221/12122221/12122221/12221221/12122121/12222211/12211111 2 2 -",
        "b1",
        "a1",
    ),
    "the opponent can turn 4 of your stones at once; after the better move at most 1": (
        "02220122/02221222/22212122/22122122/21222122/22121222/20111122/00111202 2 2 -",
        "g8",
        "e1",
    ),
    "the opponent gets the last move in the region around a8 (3 empty cells)": (
        "02220122/02221222/22212122/22122122/21222122/22121222/20111122/00111202 2 2 -",
        "g8",
        "b7",
    ),
    "with the best play of both it ends 35 : 29; after the better move 37 : 27": (
        "12222020/12220220/12222021/11111120/11211111/22221212/21112122/21011112 2 2 -",
        "c8",
        "f3",
    ),
    "the opponent can leave you without a move, and so move twice": (
        "00111101/10221011/12221111/12112121/12221221/12122121/12222211/12211111 2 2 -",
        "f2",
        "g1",
    ),
    "it turns 4 stones early in the game, which gives the opponent moves": (
        "00010020/00001200/00002220/00111000/00211000/00011000/00000000/00000000 2 2 -",
        "e7",
        "e1",
    ),
}
"""What must be said → a position, most with three or four players, a bad move and a better one."""


@pytest.mark.parametrize("said", PLANTED)
def test_what_was_planted_is_said_and_of_the_better_move_it_is_not(said: str) -> None:
    text, move, better = PLANTED[said]
    assert any(each.startswith(said) for each in said_of(text, move, better))
    assert not any(each.startswith(said) for each in said_of(text, better, move))


def with_turn_of(position: Position, seat: int) -> Position:
    """The same board with another player to move, or with the next one who can."""
    rows, seats, _, out = position.text().split()
    return cast(Position, games.load("reversi").parse(f"{rows} {seats} {seat + 1} {out}"))


def has_corner_later(said: Said) -> bool:
    later = with_turn_of(said.after, said.player)
    corner = later.move(str(said.values["cell"]))
    is_theirs = later.to_move() == said.player != said.after.to_move()
    return is_theirs and later.why_illegal(corner) is None


def loses_so_many(said: Said) -> bool:
    had, mover = len(said.before.stones(said.player)), said.before.to_move()
    others = [len(said.before.stones(seat)) for seat in range(said.before.seats) if seat != mover]
    lost = [had - len(each.stones(said.player)) for each in (said.after, said.instead)]
    return had == max(others) and lost == [said.values["stones"], said.values["possible"]]


def is_skipped_instead(said: Said) -> bool:
    instead = with_turn_of(said.instead, said.player)
    return said.after.to_move() == said.player != instead.to_move()


def has_so_many_moves(said: Said) -> bool:
    moves = [len(each.legal_moves()) for each in (said.after, said.instead)]
    is_theirs = said.after.to_move() == said.instead.to_move() == said.player
    return is_theirs and moves == [said.values["moves"], said.values["possible"]]


@dataclass
class Said:
    """A sentence on a move, with the boards that it speaks of."""

    before: Position
    after: Position
    instead: Position
    values: Mapping[str, object]

    @property
    def player(self) -> int:
        """The seat that is named."""
        return int(str(self.values["player"]).removeprefix("player ")) - 1


TRUE = {
    "motif.corner-later": has_corner_later,
    "motif.leader-spared": loses_so_many,
    "motif.not-skipped-several": is_skipped_instead,
    "motif.mobility-several": has_so_many_moves,
}


def test_what_is_said_of_the_others_is_true_of_the_boards_after_both_moves() -> None:
    checked = set[str]()
    for name in ("p3_06x06_cramped", "p4_08x08_tight"):
        position, lot = cast(Position, games.load("reversi").start(0, map=name)), random.Random(2)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            after, instead = position.after(moves[0]), position.after(moves[-1])
            for each in motifs(position, moves[0], moves[-1]):
                if each.id in TRUE:
                    assert TRUE[each.id](Said(position, after, instead, each.values)), each
                    checked.add(each.id)
            position.play(lot.choice(moves))
    assert checked == set(TRUE)


def most_turned(position: Position, move: Move) -> int:
    """How many stones of the player who moves the next player can turn at most."""
    seat, after = position.to_move(), position.after(move)
    if after.outcome() is not None or after.to_move() == seat:
        return 0
    replies = [after.after(reply) for reply in after.legal_moves()]
    return max(len(set(after.stones(seat)) - set(reply.stones(seat))) for reply in replies)
