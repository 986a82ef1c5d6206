"""Playing any game by clicks, with nothing but what a page offers."""

from __future__ import annotations

import random
from typing import Any

from tests.browser.arenas import PASSWORD

MOST_TURNS = 400

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
  return document.querySelector('.result') !== null || (ask !== undefined && ask !== before);
}"""


def enter(page: Any) -> None:
    """Log in as the organiser, on the first visit by choosing the password."""
    page.goto("/")
    page.locator("form.login input[type=password]").fill(PASSWORD)
    page.locator("form.login button[type=submit]").click()
    page.locator("form button.primary[type=submit]").wait_for()
    page.get_by_role("heading", name="New game").wait_for()


def order(page: Any, edition: str, *kinds: str, player: str = "random", wait: str = "0") -> None:
    """Fill in the form of the lobby and start the game."""
    form = page.get_by_role("form", name="New game")
    choose(form, "Game", edition)
    for seat, kind in enumerate(kinds):
        fields = form.locator("fieldset").nth(seat)
        choose(fields, "Who plays here", kind)
        if kind == "built-in":
            choose(fields, "Built-in player", player)
    form.get_by_text("More settings").click()
    choose(form, "Built-in players wait before they move", wait)
    form.locator("button[type=submit]").click()


def choose(form: Any, label: str, value: str) -> None:
    """Choose from a list."""
    form.get_by_role("combobox", name=label, exact=True).select_option(value)


def play(page: Any, seed: int = 1, turns: int = MOST_TURNS) -> int:
    """Make moves with the mouse until the game is over, or so many; how many were made."""
    chance, before = random.Random(seed), None
    for made in range(turns):
        page.wait_for_function(ASKED, arg=before)
        state = page.evaluate(STATE)
        if state["over"]:
            return made
        before = state["ask"]
        move(page, state, chance)
    return turns


def move(page: Any, state: dict[str, Any], chance: random.Random) -> None:
    """One move: a field, a token and its field, a piece turned until it fits, or a button."""
    if state["targets"]:
        page.mouse.click(*chance.choice(state["targets"]))
    elif state["tokens"]:
        page.mouse.click(*chance.choice(state["tokens"]))
        _put(page, chance)
    elif state["pieces"]:
        page.locator("button.piece").nth(chance.randrange(state["pieces"])).click()
        _put(page, chance)
    else:
        page.locator("section.hand [data-move]").first.click()


def _put(page: Any, chance: random.Random) -> None:
    """Turn and flip what is in hand until it fits somewhere, and put it there."""
    for key in ("r", "r", "r", "f", "r", "r", "r", ""):
        if targets := page.evaluate(STATE)["targets"]:
            page.mouse.click(*chance.choice(targets))
            return
        page.keyboard.press(key)
    raise AssertionError("what could be taken up fits nowhere")
