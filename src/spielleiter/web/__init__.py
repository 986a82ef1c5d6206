"""The arena in the browser: events of matches become scenes, scenes become JSON. Knows no rules.

Others need `create_app(arena)` only. What plays the games is handed in as a `GameService`; it
reports every event to `GameRecorder.record`.
"""

from spielleiter.web.app import create_app

__all__ = ["create_app"]
