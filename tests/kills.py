"""Kills a writer of a store again and again; run as a program of its own: PATH, number of kills.

The writer is a fork of this process, which has no threads and has loaded everything: so a kill
takes milliseconds, and two hundred of them a few seconds.
"""

from __future__ import annotations

import os
import random
import signal
import struct
import sys
import time
from contextlib import closing
from typing import NoReturn

from spielleiter.store import Entry, open_store


def write_on(path: str, pipe: int) -> NoReturn:
    """Append batches of entries for ever, and say after each how many there are."""
    store = open_store(path)
    number = sum(1 for _ in store.read("game"))
    while True:
        count = 1 + number % 5
        store.append([Entry("game", str(number + at), f"game {at} …" * 4) for at in range(count)])
        number += count
        os.write(pipe, struct.pack("q", number))


def killed_writer(path: str, patience: float, early: bool) -> int:
    """The last number that a writer acknowledged before it was killed; 0 if it said nothing.

    It is killed some time after its first word or, if early, after it was started.
    """
    ours, theirs = os.pipe()
    writer = os.fork()
    if writer == 0:
        os.close(ours)
        write_on(path, theirs)
    os.close(theirs)
    said = b"" if early else os.read(ours, 8)
    time.sleep(patience)  # any moment will do: that is the point
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    with open(ours, "rb") as pipe:
        said += pipe.read()
    whole = len(said) // 8 * 8
    return int(struct.unpack("q", said[whole - 8 : whole])[0]) if whole else 0


def main(path: str, kills: int) -> None:
    lot, busy, most = random.Random(1), 0, 0
    for _ in range(kills):
        acknowledged = killed_writer(path, lot.uniform(0.0, 0.02), early=lot.random() < 0.3)
        busy += acknowledged > 0
        most = max(most, acknowledged)
        with closing(open_store(path)) as store:
            assert list(store.check()) == [], "the chain is broken"
            keys = [int(entry.key) for entry in store.read("game")]
        assert keys == list(range(len(keys))), "a game is missing or there twice"
        assert len(keys) >= most, f"{most} games were acknowledged, {len(keys)} are there"
    print(f"{kills} kills, {busy} of them while writing, {most} games acknowledged")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
