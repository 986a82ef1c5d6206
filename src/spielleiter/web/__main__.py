"""`python -m spielleiter.web FILE`: write the description of the HTTP API."""

from __future__ import annotations

import sys
from pathlib import Path

from spielleiter.web.app import schema

if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema(), "utf-8", newline="\n")
