"""Playing any game by clicks, with nothing but what a page offers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.browser.arenas import PASSWORD

MOST_TURNS = 400
PHONE = {"width": 390, "height": 844}
Mover = Callable[[Any, dict[str, Any], random.Random], None]

STATE = """() => {
  const at = (name) => [...document.querySelectorAll(name)].map((e) => {
    const box = e.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  });
  const hand = document.querySelector('section.hand');
  return {
    over: document.querySelector('.result') !== null,
    ask: hand?.dataset.ask ?? null,
    buttons: at('section.hand [data-move]').length,
    targets: at('[data-target]'),
    tokens: at('rect[data-takeable]'),
    pieces: document.querySelectorAll('button.piece').length,
  };
}"""
ASKED = """(before) => {
  const ask = document.querySelector('section.hand')?.dataset.ask;
  const told = Number(document.querySelector('input[type=range]')?.max);
  const asks = ask !== undefined && ask !== before && told >= Number(ask) - 1;
  return document.querySelector('.result') !== null || asks;
}"""
"""What is asked comes on another way than what has happened: both must have come."""


def enter(page: Any) -> None:
    """Log in as the organiser, on the first visit by choosing the password."""
    page.goto("/organiser")
    page.locator("form.login input[type=password]").fill(PASSWORD)
    page.locator("form.login button[type=submit]").click()
    page.get_by_role("button", name="Log out").wait_for()


def show_lobby(page: Any) -> None:
    """Open the first page and wait for the game on it."""
    page.goto("/")
    page.locator(".preview svg.board").wait_for()


def order(
    page: Any, edition: str, *kinds: str, player: str = "random", paused: bool = False
) -> None:
    """Fill in the form of a new game and start it; built-in players do not dawdle."""
    page.goto("/new")
    form = page.get_by_role("form", name="New game")
    choose(form, "Game", edition)
    for seat, kind in enumerate(kinds):
        fields = form.locator("fieldset").nth(seat)
        choose(fields, "Who plays here", kind)
        if kind == "built-in":
            choose(fields, "Built-in player", player)
    form.get_by_text("More settings").click()
    choose(form, "Built-in players wait before they move", "0")
    form.get_by_role("checkbox", name="start paused").set_checked(paused)
    form.locator("button[type=submit]").click()


def choose(form: Any, label: str, value: str) -> None:
    """Choose from a list."""
    form.get_by_role("combobox", name=label, exact=True).select_option(value)


# --------------------------------------------------------------------------------------- the mouse


def ready(page: Any, before: str | None = None) -> dict[str, Any]:
    """What the page offers, as soon as it asks for a move, or the game is over."""
    page.wait_for_function(ASKED, arg=before)
    state: dict[str, Any] = page.evaluate(STATE)
    return state


def wait_for_turn(page: Any, turn: int) -> None:
    """Until so many turns have been told."""
    page.wait_for_function(
        "(n) => Number(document.querySelector('input[type=range]')?.max) >= n", arg=turn
    )


def play(page: Any, seed: int = 1, turns: int = MOST_TURNS, move: Mover | None = None) -> int:
    """Make moves until the game is over, or so many; how many were made."""
    chance, before = random.Random(seed), None
    for made in range(turns):
        state = ready(page, before)
        if state["over"]:
            return made
        before = state["ask"]
        (move or by_mouse)(page, state, chance)
    return turns


def by_mouse(page: Any, state: dict[str, Any], chance: random.Random) -> None:
    """One move: a field, a token and its field, a piece turned until it fits, or a button."""
    if state["targets"] or take(page, chance):
        page.mouse.click(*chance.choice(targets(page)))
    else:
        page.locator("section.hand [data-move]").first.click()
        page.locator("section.hand .ask .yes").click()


def take(page: Any, chance: random.Random) -> bool:
    """Take something up, if anything can be; turned so that it fits somewhere."""
    state = page.evaluate(STATE)
    if state["tokens"]:
        page.mouse.click(*chance.choice(state["tokens"]))
    elif state["pieces"]:
        page.locator("button.piece").nth(chance.randrange(state["pieces"])).click()
    return bool(state["tokens"] or state["pieces"])


def targets(page: Any, press: Callable[[str], None] | None = None) -> list[Any]:
    """Where it can be put, after turning and flipping it until there is such a place."""
    for key in ("r", "r", "r", "f", "r", "r", "r", ""):
        if found := page.evaluate(STATE)["targets"]:
            places: list[Any] = found
            return places
        (press or page.keyboard.press)(key)
    raise AssertionError("what could be taken up fits nowhere")


# ------------------------------------------------------------------------------------- the keyboard


def play_by_keys(page: Any, turns: int) -> int:
    """The same without a mouse."""
    return play(page, turns=turns, move=by_keys)


def by_keys(page: Any, state: dict[str, Any], chance: random.Random) -> None:
    """Arrows lead to a cell, Enter takes up and puts down; pieces are reached as buttons."""
    if state["tokens"]:
        _walk_to(page, chance.choice(cells(page, "rect[data-takeable]")))
        page.keyboard.press("Enter")
    elif state["pieces"]:
        page.locator("button.piece").nth(chance.randrange(state["pieces"])).focus()
        page.keyboard.press("Enter")
    elif not state["targets"]:
        page.locator("section.hand [data-move]").first.focus()
        page.keyboard.press("Enter")
        page.locator("section.hand .ask .yes:focus").wait_for()
        page.keyboard.press("Enter")
        return
    targets(page)
    _walk_to(page, chance.choice(cells(page, "rect[data-target]")))
    page.keyboard.press("Enter")


def cells(page: Any, selector: str) -> list[tuple[int, int]]:
    """The cells of the board that are marked so."""
    names = page.locator(selector).evaluate_all("(all) => all.map((e) => e.dataset.cell)")
    return [(int(column), int(row)) for column, row in (name.split(",") for name in names)]


def _walk_to(page: Any, goal: tuple[int, int]) -> None:
    """From the one cell that Tab reaches, by arrows as one sees them."""
    page.locator("rect[tabindex='0']").focus()
    focused = "document.activeElement.dataset.cell.split(',').map(Number)"
    top = page.locator("rect.cell").first.get_attribute("data-cell").split(",")[1] == "0"
    column, row = page.evaluate(focused)
    across = "ArrowRight" if goal[0] > column else "ArrowLeft"
    along = "ArrowDown" if (goal[1] > row) == top else "ArrowUp"
    for _ in range(abs(goal[0] - column)):
        page.keyboard.press(across)
    for _ in range(abs(goal[1] - row)):
        page.keyboard.press(along)
    assert page.evaluate(focused) == list(goal)


# --------------------------------------------------------------------------------------- a finger


def play_by_touch(page: Any, turns: int) -> int:
    """The same with a finger: what can be turned is shown by the first tap, put by the second."""
    return play(page, turns=turns, move=by_touch)


def by_touch(page: Any, state: dict[str, Any], chance: random.Random) -> None:
    """Taps only."""
    if state["tokens"]:
        page.locator("rect[data-takeable]").nth(chance.randrange(len(state["tokens"]))).tap()
    elif state["pieces"]:
        page.locator("button.piece").nth(chance.randrange(state["pieces"])).tap()
    elif not state["targets"]:
        page.locator("section.hand [data-move]").first.tap()
        page.locator("section.hand .ask .yes").tap()
        return
    found = targets(page, lambda key: page.locator(f'[aria-keyshortcuts="{key}"]').tap())
    cell = page.locator("rect[data-target]").nth(chance.randrange(len(found)))
    place = page.locator(f'rect[data-cell="{cell.get_attribute("data-cell")}"]')
    turnable = page.locator('section.hand [aria-keyshortcuts="r"]').count()
    place.tap()
    if turnable:  # a finger shows it first, and means it with the second tap
        page.locator(".ghost").wait_for()
        assert page.evaluate(STATE)["ask"] == state["ask"]
        place.tap()


# ----------------------------------------------------------------------------------------- dragging


def by_drag(page: Any, state: dict[str, Any], chance: random.Random) -> None:
    """What can be taken up is dragged to its place; what only appears is clicked."""
    if not (state["tokens"] or state["pieces"]):
        by_mouse(page, state, chance)
        return
    if state["tokens"]:
        x, y = chance.choice(state["tokens"])
    else:
        piece = page.locator("button.piece").nth(chance.randrange(state["pieces"]))
        piece.scroll_into_view_if_needed()
        box = piece.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 12, steps=3)
    page.mouse.move(*chance.choice(targets(page)), steps=3)
    page.mouse.up()
