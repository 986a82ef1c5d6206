"""Whoever adds a game finds every hook of the core in `docs/contributor/add-a-game.md`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONTRACT = (ROOT / "core" / "game.hpp").read_text("utf-8")
PAGE = (ROOT / "docs" / "contributor" / "add-a-game.md").read_text("utf-8")


def required() -> set[str]:
    """What the concept asks of a position, its rules, its moves and what lies on its cells."""
    concept = CONTRACT[CONTRACT.index("concept GamePosition") :].split("};", 1)[0]
    asked = re.findall(r"\{\s*((?:\w+::|\w+\.)+)(\w+)", concept)
    return {name for _, name in asked} - {"begin"} | {"mistakes"}


def optional() -> set[str]:
    """What a position may offer besides, as the comment above the concept lists it."""
    comment = CONTRACT[: CONTRACT.index("concept GamePosition")].rsplit("\n\n", 1)[1]
    return set(re.findall(r"^/// - `(\w+)\(", comment, re.MULTILINE))


def used() -> set[str]:
    """What templates of the core use where a position offers it."""
    files = [*(ROOT / "core").glob("*.hpp"), ROOT / "core" / "search" / "limits.hpp"]
    found = r"requires\s*(?:\([^{]*\)\s*)?\{\s*(?:\{\s*)?(?:position|c|p)\.(\w+)\("
    texts = (path.read_text("utf-8") for path in files)
    return {name for text in texts for name in re.findall(found, text)} - required()


def test_the_contract_lists_every_hook_that_a_template_uses() -> None:
    assert used() == optional()


@pytest.mark.parametrize("hook", sorted(required() | optional()))
def test_the_page_names_every_hook(hook: str) -> None:
    assert re.search(rf"`{hook}\b", PAGE), f"{hook} is missing on the page"
