"""Runs a command that compiles, and shows how far it is: `python core/build.py COMMAND …`.

Ninja begins its lines with [7/42]. All that is shown of a build that succeeds is one line with
these numbers; of one that fails, the end of what it printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque

STEP = re.compile(r"\[(\d+)/(\d+)\]")
_KEPT, _SHARE = 60, 10


def run(words: list[str]) -> int:
    """Run the command; its exit status."""
    kept: deque[str] = deque(maxlen=_KEPT)
    shown, live = -1, sys.stderr.isatty()
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(words, stdout=pipe, stderr=both, text=True, errors="replace") as process:
        assert process.stdout is not None
        for line in process.stdout:
            kept.append(line)
            if step := STEP.search(line):
                done, every = int(step[1]), int(step[2])
                if live or _SHARE * done // every > shown:
                    shown = _SHARE * done // every
                    print(*_line(done, every, live), sep="", end="", file=sys.stderr, flush=True)
    if live and shown >= 0:
        print(file=sys.stderr)
    if process.returncode:
        sys.stderr.writelines(kept)
    return process.returncode


def _line(done: int, every: int, live: bool) -> tuple[str, str, str]:
    return "\r" if live else "", f"  compiled {done} of {every} files", "" if live else "\n"


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
