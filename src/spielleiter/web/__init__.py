"""The arena in the browser: events of matches become scenes, scenes become JSON. Knows no rules.

`create_app(arena)` is all that others need. What plays the games is handed in: it stands behind
`GameService`, and tells what happens through `GameRecorder.record`.
"""

from spielleiter.web.app import create_app

__all__ = ["create_app"]
