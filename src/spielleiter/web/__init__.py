"""The arena in the browser: turns events of matches into scenes and JSON. Knows no rules.

Other packages need only `create_app(arena)`. A `GameService`, which is passed in, plays the games
and reports every event to `GameRecorder.record`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spielleiter.web.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """Import the web framework lazily: commands that read records need none."""
    if name in __all__:
        from spielleiter.web import app

        return getattr(app, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
