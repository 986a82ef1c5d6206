"""Game pages that work without a server: self-contained, or sharing the viewer's files."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from pathlib import Path
from typing import Any

SCRIPT, STYLE = "player.js", "player.css"
"""The viewer's files, shared by pages in the same folder."""
_REST = "img-src data: blob:; base-uri 'none'; form-action 'none'"


def is_built(player: Path | None) -> bool:
    """Whether the viewer's files are built."""
    return player is not None and (player / SCRIPT).is_file()


def whole_page(title: str, data: dict[str, Any], player: Path) -> str:
    """One self-contained file; its content security policy allows only this script."""
    script = (player / SCRIPT).read_text("utf-8").replace("</script", "<\\/script")
    style = (player / STYLE).read_text("utf-8").replace("</style", "")
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src 'unsafe-inline'; {_REST}"
    embedded = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    game = f'<script type="application/json" id="data">{embedded}</script>'
    end = f"{game}<script>{script}</script>"
    return _page(title, data["language"], policy, f"<style>{style}</style>", end)


def lean_page(title: str, data: dict[str, Any]) -> str:
    """The game alone; the viewer's files are beside it."""
    policy = f"default-src 'none'; script-src 'self' file:; style-src 'self' file:; {_REST}"
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    game = f'<script type="application/octet-stream" id="data">{packed}</script>'
    style = f'<link rel="stylesheet" href="{STYLE}">'
    return _page(title, data["language"], policy, style, f'{game}<script src="{SCRIPT}"></script>')


def _page(title: str, language: str, policy: str, style: str, end: str) -> str:
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title>{style}</head>"
        f'<body><div id="app"></div>{end}</body></html>\n'
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
