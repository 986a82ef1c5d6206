"""Any scene can be drawn: in a terminal with and without colours, and as a picture."""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter.draw import png, svg, terminal
from spielleiter.draw.colours import PALETTE, contrast, readable_on, rgb
from spielleiter.errors import UsageError
from spielleiter.game import Grid, Mark, Scene, Token, Tray

SVG = "{http://www.w3.org/2000/svg}"
L_PIECE = ((0, 0), (0, 1), (0, 2), (1, 2))
BAR = ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4))
DOT = ((0, 0),)

PIECES = Scene(
    grid=Grid(6, 5, column_labels=tuple("012345"), row_labels=tuple("01234")),
    tokens=(
        Token("p1", ((0, 0), (0, 1), (0, 2), (1, 2)), "square", "blue", "b", "blue L"),
        Token("p2", ((4, 3), (5, 3)), "square", "yellow", "y", "yellow domino"),
    ),
    marks=(Mark("last", ((4, 3), (5, 3))),),
    trays=(
        Tray(
            "left for blue",
            (Token("b1", BAR, "square", "blue", "b"), Token("b2", L_PIECE, "square", "blue", "b")),
            "blue",
        ),
        Tray("left for yellow", (Token("y1", DOT, "square", "yellow", "y"),), "yellow"),
    ),
    status=("Yellow to move", "Points: 4 to 2"),
    title="Pieces & trays",
)

STONES = Scene(
    grid=Grid(4, 3, upwards=True, column_labels=tuple("abcd"), row_labels=tuple("123")),
    tokens=(
        Token("s1", ((1, 0),), "disc", "black", "1", "black stone"),
        Token("s2", ((2, 0),), "disc", "white", "2", "white stone"),
        Token("s3", ((2, 1),), "star", "red", "*", "red star"),
        Token("s4", ((3, 1),), "unheard-of", "unheard-of", "?", "riddle"),
    ),
    marks=(
        Mark("legal", ((0, 0), (2, 0))),
        Mark("group", ((2, 1), (3, 1)), "red"),
        Mark("hint", ((1, 2),)),
    ),
    holes=((0, 2), (3, 2)),
    trays=(Tray("taken", (Token("t1", DOT, "disc", "red", "x"), Token("t2", DOT, "star", "red"))),),
    glyphs={"star": '<path d="M50 5L95 95H5Z" fill="currentColor"/>'},
    palette={"red": "#aa0011"},
)

BARE = Scene(grid=Grid(1, 1), tokens=())

SCENES = pytest.mark.parametrize("scene", [PIECES, STONES, BARE], ids=["pieces", "stones", "bare"])


def stripped(text: str) -> str:
    """What remains when a program removes the colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def tree(scene: Scene) -> ElementTree.Element:
    return ElementTree.fromstring(svg.render(scene))


def texts(scene: Scene) -> list[str]:
    return ["".join(found.itertext()) for found in tree(scene).iter(f"{SVG}text")]


# ---------------------------------------------------------------------------------------- terminal


def test_pieces_trays_and_marks_can_be_read_without_colours() -> None:
    assert terminal.render(PIECES, colour=False).split("\n") == [
        "Pieces & trays",
        "  0 1 2 3 4 5    ■ left for blue",
        "0 b · · · · ·    █  █",
        "1 b · · · · ·    █  ▀▀",
        "2 b b · · · ·    ▀",
        "3 · · · ·[y y]   ■ left for yellow",
        "4 · · · · · ·    ▀",
        "[ ] last move",
        "Yellow to move",
        "Points: 4 to 2",
    ]


def test_rows_that_count_upwards_begin_at_the_bottom_and_holes_are_blank() -> None:
    assert terminal.render(STONES, colour=False).split("\n") == [
        "3  {·}·      ■ taken",
        "2 · ·(* ?)   x ■",
        "1 + 1<2>·",
        "  a b c d",
        "+ legal   { } hint   ( ) group",
    ]


@SCENES
def test_the_colours_add_nothing_but_colour(scene: Scene) -> None:
    plain = [line.rstrip() for line in stripped(terminal.render(scene)).split("\n")]
    assert plain == [line.rstrip() for line in terminal.render(scene, colour=False).split("\n")]


@SCENES
def test_every_coloured_line_ends_without_colour(scene: Scene) -> None:
    for line in terminal.render(scene).split("\n"):
        codes = re.findall(r"\x1b\[([0-9;]*)m", line)
        assert not codes or codes[-1] == "0"


def test_a_piece_fills_its_cells_with_its_colour() -> None:
    red, green, blue = rgb(PALETTE["blue"])
    first_row = terminal.render(PIECES).split("\n")[2]
    assert f"48;2;{red};{green};{blue}m" in first_row


def test_wide_texts_widen_every_cell() -> None:
    tokens = (
        Token("w", ((1, 0),), "square", "red", "ab"),
        Token("v", ((1, 1),), "disc", "red", "c"),
    )
    scene = Scene(grid=Grid(3, 2), tokens=tokens)
    assert terminal.render(scene, colour=False) == " ·  ab ·\n ·  c  ·"


def test_crowded_column_names_are_thinned_out() -> None:
    labels = tuple(str(number) for number in range(12))
    scene = Scene(grid=Grid(12, 1, column_labels=labels), tokens=())
    assert terminal.render(scene, colour=False).split("\n")[0] == " 0   2   4   6   8   10"


def test_trays_are_wrapped_to_the_width_asked_for() -> None:
    pieces = tuple(Token(str(number), L_PIECE, "square", "blue", "b") for number in range(21))
    scene = replace(PIECES, trays=(Tray("all", pieces, "blue"),))
    for width in (60, 80):
        assert max(map(len, terminal.render(scene, colour=False, width=width).split("\n"))) <= width
    assert terminal.render(scene, colour=False, width=60).count("▀▀") == 21


# --------------------------------------------------------------------------------------------- svg


@SCENES
def test_a_picture_is_one_well_formed_element_without_script(scene: Scene) -> None:
    root = tree(scene)
    assert root.tag == f"{SVG}svg"
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert not names & {"script", "foreignObject", "image", "style", "a"}
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]


@SCENES
def test_a_picture_says_what_it_shows(scene: Scene) -> None:
    root = tree(scene)
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title")
    described = root.findtext(f"{SVG}desc") or ""
    assert all(line in described for line in scene.status)
    assert all(token.label in described for token in scene.tokens)


def test_things_are_named_where_they_lie() -> None:
    names = {found.text for found in tree(STONES).iter(f"{SVG}title")}
    assert {"black stone b1", "red star c2"} <= names


@SCENES
def test_everything_lies_inside_the_picture(scene: Scene) -> None:
    root = tree(scene)
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for element in root.iter():
        for key, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(element.get(key, 0)) <= limit
        assert float(element.get("x", 0)) + float(element.get("width", 0)) <= width + 1e-6 or (
            element is root
        )


def test_texts_of_scene_and_trays_are_written() -> None:
    expected = {"Pieces & trays", "left for blue", "left for yellow", *PIECES.status, "0", "5"}
    assert expected <= set(texts(PIECES))


def test_each_drawing_that_is_used_is_there_once() -> None:
    root = tree(STONES)
    symbols = [symbol.get("id") for symbol in root.iter(f"{SVG}symbol")]
    uses = {use.get("href") for use in root.iter(f"{SVG}use")}
    assert len(symbols) == 1
    assert uses == {f"#{symbols[0]}"}
    assert not list(tree(PIECES).iter(f"{SVG}symbol"))


def test_what_has_no_drawing_is_written_on_a_disc() -> None:
    assert "?" in texts(STONES)
    assert "1" not in texts(replace(STONES, grid=Grid(4, 3)))


def test_the_colours_of_the_scene_come_before_the_common_ones() -> None:
    assert "#aa0011" in svg.render(STONES)
    assert PALETTE["red"] not in svg.render(STONES)


def test_a_mark_is_seen_on_things_of_its_own_colour() -> None:
    marked = replace(PIECES, marks=(Mark("last", PIECES.tokens[0].cells, "blue"),))
    assert f'stroke="{PALETTE["last"]}"' in svg.render(marked)
    elsewhere = replace(PIECES, marks=(Mark("last", ((3, 0),), "blue"),))
    assert f'stroke="{PALETTE["blue"]}"' in svg.render(elsewhere)


def test_the_size_is_the_width_in_pixels() -> None:
    root = ElementTree.fromstring(svg.render(PIECES, size=321))
    assert root.get("width") == "321"
    assert float(root.get("height", 0)) > 100


def test_rows_count_from_the_side_the_grid_says() -> None:
    def height(upwards: bool) -> float:
        token = Token("t", ((0, 0),), "disc", "red")
        root = tree(Scene(grid=Grid(1, 3, upwards=upwards), tokens=(token,)))
        return float(next(root.iter(f"{SVG}circle")).get("cy", 0))

    assert height(upwards=True) - height(upwards=False) == 200


def test_many_trays_shrink_until_they_fit_beside_the_board() -> None:
    pieces = tuple(Token(str(number), L_PIECE, "square", "blue", "b") for number in range(21))
    grid = Grid(20, 20)
    alone = tree(Scene(grid=grid, tokens=()))
    full = tree(Scene(grid=grid, tokens=(), trays=(Tray("all", pieces, "blue"),) * 4))
    heights = [float((root.get("viewBox") or "").split()[3]) for root in (alone, full)]
    assert heights[0] == heights[1]


@given(st.text(max_size=20))
def test_no_text_breaks_a_picture(text: str) -> None:
    token = Token("t", ((0, 0),), "unheard-of", "red", text[:2] or " ", text)
    scene = Scene(grid=Grid(1, 1), tokens=(token,), status=(text,), title=text)
    root = tree(replace(scene, trays=(Tray(text, (token,)),)))
    assert len(list(root.iter(f"{SVG}desc"))) == 1


# ----------------------------------------------------------------------------------------- colours


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_something_can_be_read_on_every_colour(back: tuple[int, int, int]) -> None:
    assert contrast(readable_on(back), back) >= 4.2


def test_colours_of_players_differ_in_brightness_too() -> None:
    """Who sees no hues still tells the first pairs apart, from each other and from the board."""
    for one, other in (
        ("red", "blue"),
        ("black", "white"),
        ("yellow", "green"),
        ("blue", "yellow"),
    ):
        assert contrast(rgb(PALETTE[one]), rgb(PALETTE[other])) > 1.25


# --------------------------------------------------------------------------------------------- PNG


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height as the header of a PNG says."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def only_pixel(picture: bytes) -> tuple[int, ...]:
    """The colour of a PNG of one pixel, where no filter changes anything."""
    at = picture.index(b"IDAT")
    length = struct.unpack(">I", picture[at - 4 : at])[0]
    return tuple(zlib.decompress(picture[at + 4 : at + 4 + length])[1:])


@SCENES
def test_every_scene_becomes_a_png_of_the_size_asked_for(scene: Scene) -> None:
    width, height = size_of(png.png(svg.render(scene, 300)))
    assert width == 300
    assert size_of(png.png(svg.render(scene, 300), scale=2)) == (600, 2 * height)


def test_a_png_has_the_colours_of_the_picture() -> None:
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">'
    for colour in PALETTE.values():
        dot = f'{head}<path d="M0 0h1v1h-1z" fill="{colour}"/></svg>'
        assert only_pixel(png.png(dot))[:3] == rgb(colour)


@pytest.mark.parametrize("text", ["", "no picture", "<svg", "<html></html>"])
def test_what_is_no_picture_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no SVG"):
        png.png(text)


def test_a_picture_of_no_size_is_refused() -> None:
    for scale in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="as large"):
            png.png(svg.render(BARE), scale)
