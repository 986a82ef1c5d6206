"""Tries the wheel that is installed: `python tests/wheel.py --native` or `--plain`.

Needs nothing but that installation, so that it runs in an empty environment without compiler, Node
and make: every edition is played to its end, a bot is made, measured, packed and looked through,
and two players meet on a server.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from spielleiter import games, native
from spielleiter.bots import load
from spielleiter.game import Clock
from spielleiter.handin.project import is_binary

GAME = next(name for name in reversed(games.names()) if not is_binary(games.load(name)))
"""The newest of the games that speak the contest's protocol."""
PATIENCE = 600


def play_all() -> None:
    """Every edition to its end, by the player that needs no engine."""
    for name in games.names():
        position, player = games.load(name).start(1), load("random", 1)
        while position.legal_moves():
            position.play(player.choose(position, Clock()))
        print(f"{name}: {position.outcome()}")


def spielleiter(folder: Path, *words: str) -> str:
    """What a command says; it has to succeed."""
    command = [sys.executable, "-m", "spielleiter", *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace",
        timeout=PATIENCE, env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def agree(folder: Path) -> None:
    """The engines search the same positions in every flavour of the wheel that runs here."""
    said = {}
    for flavour in native.flavours()[:-1]:  # the last is plain
        os.environ["SPIELLEITER_FLAVOUR"] = flavour
        said[flavour] = spielleiter(folder, "bench")
    del os.environ["SPIELLEITER_FLAVOUR"]
    assert len(set(said.values())) == 1, said
    print(f"{', '.join(said)}: {', '.join(next(iter(said.values())).splitlines())}")


def hand_in(folder: Path) -> None:
    """From a new bot to its ZIP."""
    spielleiter(folder, "new", "bot", "--game", GAME)
    spielleiter(folder, "match", "greedy", "random", "--game", GAME, "--games", "2")
    print(spielleiter(folder, "pack", "bot", "--for", "software-challenge"))
    assert "READY" in spielleiter(folder, "check", "bot/bot.zip", "--static")


def meet(folder: Path) -> None:
    """Two players on a server, each a program of its own."""
    words = [sys.executable, "-m", "spielleiter"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    serve = [*words, "serve", GAME, "--port", "0", "--no-timeout", "--on-stop", "cancel"]
    both = subprocess.STDOUT
    with subprocess.Popen(
        serve, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=both, text=True
    ) as server:
        assert server.stdout is not None
        try:
            port = next(found[1] for line in server.stdout if (found := PORT.search(line)))
            join = [*words, "join", GAME, "--bot", "random", "--port", port]
            pipe = subprocess.PIPE
            players = [subprocess.Popen(join, cwd=folder, stdout=pipe, text=True) for _ in range(2)]
            for player in players:
                print(player.communicate(timeout=PATIENCE)[0].strip().splitlines()[-1])
                assert player.returncode == 0
        finally:
            server.kill()


PORT = re.compile(r"(?:localhost|127\.0\.0\.1):(\d+)")


def main() -> None:
    """All of it, in a folder that is thrown away."""
    parser = argparse.ArgumentParser(description=__doc__)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--native", action="store_true")
    kind.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    for name in games.names():
        assert native.is_plain(games.load(name).native) == options.plain, name
    assert len(games.names()) >= 6, games.broken()
    play_all()
    with tempfile.TemporaryDirectory() as folder:
        if options.native:
            agree(Path(folder))
        hand_in(Path(folder))
        meet(Path(folder))
    print("this wheel works")


if __name__ == "__main__":
    main()
