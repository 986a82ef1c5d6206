"""What motifs say about moves of this game."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spielleiter.games.blokus import Position
from spielleiter.games.blokus.motifs import fitting, in_reach, motifs, phase, traits


def middle(seed: int, plies: int = 24) -> Position:
    """A position some way into a game by chance."""
    position = Position.start(seed, "", "blokus-2027")
    lot = random.Random(seed)
    for _ in range(plies):
        position.play(lot.choice(list(position.legal_moves())))
    return position


def test_a_smaller_piece_than_need_be_is_named_and_a_larger_one_is_not() -> None:
    position = middle(1, plies=12)
    moves = {len(move.cells): move for move in position.legal_moves()}
    small, large = moves[1], moves[5]
    said = {each.id: each.values for each in motifs(position, small, large)}
    assert said["motif.small-piece"] == {"squares": 1, "possible": 5}
    assert "motif.small-piece" not in {each.id for each in motifs(position, large, small)}


def test_traits_say_which_piece_lies_where() -> None:
    for seed in range(4):
        position = middle(seed)
        for move in position.legal_moves()[::40]:
            said = {each.id.removeprefix("trait."): each for each in traits(position, move)}
            assert said["colour"] == f"of {position.colour_to_move()}"
            assert said["size"] == f"with a piece of size {len(move.cells)}"
            sides = {axis for cell in move.cells for axis in cell}
            assert ("edge" in said) == bool({0, 19} & sides)
            quarters = {each for each in traits(position, move) if each.id == "trait.quarter"}
            assert len(quarters) == len({(x > 9, y > 9) for x, y in move.cells})


def test_corners_and_closed_regions_are_named() -> None:
    seen: set[str] = set()
    for seed in range(12):
        position = middle(seed)
        moves = list(position.legal_moves())
        for better in moves[:: max(1, len(moves) // 20)]:
            seen |= {each.id for each in motifs(position, moves[0], better)}
    wanted = {"few-corners", "corners-left", "region-closed", "small-piece"}
    assert {f"motif.{each}" for each in wanted} <= seen


def test_phases_follow_each_other() -> None:
    position = Position.start(2, "", "blokus-2027")
    seen = []
    while position.outcome() is None:
        seen.append(phase(position))
        position.play(max(position.legal_moves(), key=lambda move: len(move.cells)))
    assert list(dict.fromkeys(seen)) == ["opening", "middle", "end"]


EARLY = (
    "B................RRR/B..................R/BBB................R/...BB............RR./"
    "....B............R../....BB..........RR../..................../..................../"
    "..................../..................../..................../..................../"
    "..................../..................../....GG........Y...../....G.........YYY.../"
    "...GG...........Y.../GGG..............Y../G................Y../G................YYY "
    "8 PENTO_V 1fd7ff 1fd7ff 1fd7ff 1fd7ff BYRG -"
)
MIDDLE = (
    "B....B...........RRR/B..BBBB............R/BBB................R/...BB............RR./"
    "....B............R../....BB..........RR../......B.......RR..../.....BBB.......RR.../"
    ".....B..........R.../..................../..................../..................../"
    "......GGGGYYYY....../......G......Y....../....GG........Y...../....G.........YYY.../"
    "...GG...........Y.../GGG.........YYYY.Y../G............Y...Y../G................YYY "
    "14 PENTO_V bd7ff fd5ff 1ed7ff 1fd5ff BYRG -"
)
LATER = (
    "B....B...........RRR/B..BBBB............R/BBB..........RR....R/...BB........R...RR./"
    "....B........R...R../....BB.......R..RR../...B..B.......RR..../...B.BBB.RRRRRYRR.../"
    "...B.B........Y.R.../...BGGG.......Y...../...B.G........Y...../....BG........Y...../"
    "....BBGGGGYYYY....../....BBG......Y....../....GG.GG.....Y...../....G..G......YYY.../"
    "...GG..GG.......Y.../GGG.........YYYY.Y../G............Y...Y../G................YYY "
    "21 PENTO_V b17ff f95ff 1e95ff 1dd1ff BYRG -"
)


def said_of(text: str, move: str, better: str) -> dict[str, dict[str, object]]:
    """What is said of a move, by id."""
    position = Position.parse(text, "blokus-2021")
    found = motifs(position, position.move(move), position.move(better))
    return {each.id.removeprefix("motif."): dict(each.values) for each in found}


def test_a_piece_laid_back_home_instead_of_into_the_open_is_named() -> None:
    said = said_of(EARLY, "PENTO_Y:R@d1", "PENTO_I:R@g7")
    assert said == {"little-room": {"squares": 68, "possible": 101}, "not-to-the-middle": {}}
    assert said_of(EARLY, "PENTO_I:R@g7", "PENTO_Y:R@d1") == {}


def test_room_that_is_taken_from_the_own_other_colour_is_named() -> None:
    said = said_of(LATER, "PENTO_T:M@j17", "PENTO_W@l5")
    assert said["own-room-taken"] == {"squares": 75, "possible": 84}
    assert "own-room-taken" not in said_of(LATER, "PENTO_W@l5", "PENTO_T:M@j17")


def test_every_square_that_a_piece_can_cover_is_in_reach() -> None:
    for seed in range(3):
        position = middle(seed)
        colour = position.colour_to_move()
        covered = {cell for move in position.legal_moves() for cell in move.cells}
        assert covered
        assert covered <= in_reach(position, colour)


def walk() -> Iterator[Position]:
    """The positions of a game in which everybody places large pieces first."""
    position = Position.start(2, "", "blokus-2027")
    while position.outcome() is None:
        yield position.copy()
        position.play(max(position.legal_moves(), key=lambda move: len(move.cells)))


def test_a_colour_with_small_pieces_reaches_no_farther_than_they_are_long() -> None:
    checked = 0
    for position in walk():
        colour = position.colour_to_move()
        kinds = {piece.partition("_")[0] for piece in position.pieces_left(colour)}
        if kinds & {"TETRO", "PENTO"}:
            continue
        own, reached = position.squares(colour), in_reach(position, colour)
        assert {cell for move in position.legal_moves() for cell in move.cells} <= reached
        for column, row in reached:
            assert min(max(abs(column - x), abs(row - y)) for x, y in own) <= 3
            checked += 1
    assert checked


def test_a_colour_that_is_out_reaches_nothing() -> None:
    checked = 0
    for position in walk():
        for colour in {"blue", "yellow", "red", "green"} - set(position.colours_in_play()):
            assert not in_reach(position, colour)
            checked += 1
    assert checked


def test_the_same_squares_are_not_counted_twice() -> None:
    text = (
        "GG.GGGG....YYY.....Y/.GG.G..G....YY...YYY/.G.G.GGG.GYY..YYY.Y./...GG...GGGYY..Y...Y/"
        "..G.G.YYYG.GY.Y..YYY/.GG.G...YYGG..Y..Y../.GGB.G.Y.GG.YYY...../..BB.G.Y.YYYRRRRR.../"
        "..B..G.YY.YRY.Y..RR./GGB.GG.YG.YRYYY...RR/GBGG..GGG.RRR..YYYYR/.BBG.RRRG....R.Y...Y/"
        "..BGGR..R.RRRR.RRRRY/BB.BBR..RR.B..R.R..Y/.B.BB.B.BRBBBRR....Y/.BB...BBBR.B.RR..R.Y/"
        "...BBB...BB.BBBRRR../.B.B..B..B...R.R..R./BBB..BB...BBRRR..RRR/B.....B...BBBR.....R "
        "46 PENTO_R 114e43 801df 201ff 2497b BYRG -"
    )
    said = said_of(text, "PENTO_U:R@h17", "TETRO_Z:NF@r6")
    assert said["region-closed"] == {"squares": 23, "possible": 36}
    assert "little-room" not in said


def test_room_that_is_left_to_the_opponent_is_named() -> None:
    said = said_of(MIDDLE, "PENTO_I:R@j8", "PENTO_X@o10")
    assert said["room-left"] == {"squares": 186, "possible": 174}
    assert "room-left" not in said_of(MIDDLE, "PENTO_X@o10", "PENTO_I:R@j8")


ENDING = (
    "R....YYRRRRR..YY..YY/RRRRYYRYYYYY.Y.YY.Y./.YYYRRR.R...YYY.Y.Y./RRY..R.RR.Y..Y....Y./"
    "RRY.R.RR..Y...Y....Y/..RYRR..R.YY..YYY.YY/RRRYR.RRRB.YBBBY.Y.Y/R.YYR.GBRBBBYYB..Y.Y/"
    ".RRR..GBBY.Y.YBYYYBB/R.RR.RGB.YYYGYYB.BB./R...RRGYY..GG.BBB.B./RR...RGYYYG.GG.B..../"
    "GRGGGGRRGGG.BBB.BB../GGRRGRRG.BG.GB.BBB.B/.GR..GGGBB.GGBG...BB/.GRR.G.BB.BBBGGG..B./"
    "GRGGG.G.GB..BBG...../GRGG..GGGBBBGGBBBBB./GRRRGBBBBG.B.GG....B/GG..GGGBGGG...G.BBBB "
    "56 PENTO_L 2005f 7f 800cf 95b BYRG -"
)


def test_pieces_that_lose_their_last_place_and_those_the_opponent_keeps_are_named() -> None:
    said = said_of(ENDING, "MONO@m20", "MONO@t17")
    assert {name: str(values["pieces"]) for name, values in said.items()} == {
        "no-longer-fits": "blue domino",
        "still-fits": "green I tetromino",
    }
    assert not {"no-longer-fits", "still-fits"} & set(
        said_of(EARLY, "PENTO_Y:R@d1", "PENTO_I:R@g7")
    )


def test_of_many_pieces_only_the_largest_are_named() -> None:
    text = (
        "B...BBGGGBBB...GGGGG/B...BGBBBGGB.GG...../B...BGB.BG.B.GGB.GGG/B...BG.BGG..BBGBBBG./"
        "B....GBB..GGGGBGGBG./.BBB..BBGG.G..G.GG../BBY.BB..GYG.GGG..G../.YYBB.BBGYGG.G.YY.GG/"
        "YBB.B.BBGYYGYYY.YYYG/YYBB..YYYG.GY.R...GG/YBYB.BY.YGY.Y.RRRR../.BYYBBBY.YYY.R....R./"
        "BBBY.B.Y..YRRR.R..RR/.YY.YY.YYR.R..RRR.R./.YYY.Y.Y..R.R.R...R./Y....YY..RR.RR.R.R.R/"
        "Y...Y..Y.RR..R.RRR.R/Y..YYY.YR..R.......R/Y..Y...YR.RR.RRR.R.R/Y......YYRR.RR..RR.R "
        "55 PENTO_I 1001ec 1045b 80cf8 809b5 BYG -"
    )
    named = said_of(text, "MONO@i12", "MONO@t6")["still-fits"]["pieces"]
    assert str(named) == "blue Y pentomino, blue L tetromino, blue T tetromino and 1 more"


def test_what_fits_is_what_can_be_placed() -> None:
    for position in walk():
        colour = position.colour_to_move()
        placed = {move.piece for move in position.legal_moves() if not move.is_pass}
        assert fitting(position, colour) == placed
        for other in position.colours_in_play():
            assert fitting(position, other) <= set(position.pieces_left(other))
