"""Where fuzzing begins: the tabulated positions of a game folder, as input of core/fuzz.hpp."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

RULES = 8
"""First bytes to try: enough for every edition under both authorities."""
PLIES = 7


def write_seeds(folder: Path, corpus: Path) -> None:
    """One file for each position of `folder/facts` and each set of rules."""
    texts = {
        fact["text"]
        for file in sorted((folder / "facts").glob("*.toml"))
        for fact in tomllib.loads(file.read_text("utf-8")).get("position", [])
    }
    for number, text in enumerate(sorted(texts)):
        for rules in range(RULES):
            seed = bytes([rules, PLIES]) + text.encode()
            (corpus / f"fact-{number}-{rules}").write_bytes(seed)


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]), Path(sys.argv[2]))
