"""The arena in the browser: events of matches become scenes, scenes become JSON. Knows no rules.

Others need `create_app(arena)` only. What plays the games is handed in as a `GameService`; it
reports every event to `GameRecorder.record`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spielleiter.web.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """The web framework is fetched when it is asked for: commands that read records need none."""
    if name in __all__:
        from spielleiter.web import app

        return getattr(app, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
