"""What keeps people out of a page, as axe finds it."""

from __future__ import annotations

from typing import Any

from tests.test_viewer import VIEWER

AXE = VIEWER / "node_modules" / "axe-core" / "axe.min.js"
SCHEMES = ("light", "dark")


def barriers(page: Any) -> list[str]:
    """What axe finds wrong with a page as it is."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def complaints(page: Any) -> list[str]:
    """What it finds in the light and in the dark."""
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found += barriers(page)
    return found


def assert_usable_by_everybody(page: Any) -> None:
    """It finds nothing."""
    assert barriers(page) == []
