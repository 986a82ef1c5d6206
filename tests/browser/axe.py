"""What keeps people out of a page, as axe finds it."""

from __future__ import annotations

from typing import Any

from tests.test_viewer import VIEWER

AXE = VIEWER / "node_modules" / "axe-core" / "axe.min.js"
_VIOLATIONS = "async options => (await axe.run(options)).violations"
"""What is right is not sent: it is told at length, too."""


def barriers(page: Any, *rules: str) -> list[str]:
    """What axe finds wrong with a page as it is, by all its rules or by these."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = page.evaluate(_VIOLATIONS, options)
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def complaints(page: Any) -> list[str]:
    """What it finds in the light, and what is different in the dark: the colours."""
    page.emulate_media(color_scheme="dark")
    in_the_dark = barriers(page, "color-contrast")
    page.emulate_media(color_scheme="light")
    return barriers(page) + in_the_dark


def assert_usable_by_everybody(page: Any) -> None:
    """It finds nothing."""
    assert barriers(page) == []
