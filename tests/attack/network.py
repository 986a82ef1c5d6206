"""Hostile clients of the game servers: floods, slow ones, liars, fuzzers. Every one has a seed.

    python -m tests.attack.network xml 13050 --count 1000 --seed 1
    python -m tests.attack.network binary 7777 --kind half

A conversation is one connection. What was done, and how often, is printed at the end as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import struct
import uuid
from collections import Counter, deque
from collections.abc import Callable

HOST = "127.0.0.1"
PATIENCE = 20.0
HELD = 150
"""Connections that are kept open; for each further one the oldest is closed."""

Speech = Callable[[random.Random], bytes]
"""What one conversation says; bytes that end in HOLD are followed by silence."""
HOLD = b"\0hold"


# -------------------------------------------------------------------------------------- the XML


def _silent(chance: random.Random) -> bytes:
    return HOLD


def _leaves(chance: random.Random) -> bytes:
    return b""


def _half(chance: random.Random) -> bytes:
    return b"<protocol><joinPrepared reservationCode='"[: chance.randrange(40)] + HOLD


def _garbage(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 4096))


def _huge(chance: random.Random) -> bytes:
    return b"<protocol><join gameType='" + b"x" * (70 * 1024)


def _deep(chance: random.Random) -> bytes:
    return b"<protocol>" + b"<room>" * 5000


def _bomb(chance: random.Random) -> bytes:
    entities = b"".join(b"<!ENTITY e%d '%s'>" % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 9))
    return b"<!DOCTYPE protocol [<!ENTITY e0 'x'>" + entities + b"]><protocol>&e8;</protocol>"


def _guesses(chance: random.Random) -> bytes:
    guesses = (b'<authenticate password="%d"/>' % chance.randrange(10**6) for _ in range(5))
    return b"<protocol>" + b"".join(guesses)


def _lies(chance: random.Random) -> bytes:
    return b"<protocol>" + b"".join(_lie(chance) for _ in range(chance.randrange(1, 20)))


def _lie(chance: random.Random) -> bytes:
    room = str(uuid.UUID(int=chance.getrandbits(128))).encode()
    return chance.choice(
        (
            b'<joinPrepared reservationCode="%s"/>' % room,
            b'<joinRoom roomId="%s"/>' % room,
            b'<observe roomId="%s"/>' % room,
            b'<cancel roomId="%s"/>' % room,
            b'<pause roomId="%s" pause="true"/>' % room,
            b'<room roomId="%s"><data class="move"/></room>' % room,
            b'<room roomId="%s"><data class="result"/></room>' % room,
            b'<left roomId="%s"/>' % room,
            b'<prepare gameType="x"/>',
        )
    )


def _joins(chance: random.Random) -> bytes:
    return b"<protocol><join/>" + (HOLD if chance.random() < 0.2 else b"")


def _never_reads(chance: random.Random) -> bytes:
    return b"<protocol>" + b'<joinRoom roomId="x"/>' * 2000 + HOLD


def _fuzzed_xml(chance: random.Random) -> bytes:
    return _mutated(b"<protocol>" + b"".join(_lie(chance) for _ in range(5)), chance)


def _mutated(data: bytes, chance: random.Random) -> bytes:
    """The same with a few bytes changed, left out or doubled."""
    said = bytearray(data)
    for _ in range(chance.randrange(1, 12)):
        at = chance.randrange(len(said))
        kind = chance.randrange(4)
        if kind == 0:
            said[at] = chance.randrange(256)
        elif kind == 1:
            del said[at : at + chance.randrange(1, 9)]
        elif kind == 2:
            said[at:at] = said[at : at + chance.randrange(1, 30)]
        else:
            said[at:at] = chance.randbytes(chance.randrange(1, 9))
        said = said or bytearray(b"<")
    return bytes(said)


XML: dict[str, Speech] = {
    "silent": _silent,
    "leaves": _leaves,
    "half": _half,
    "garbage": _garbage,
    "huge": _huge,
    "deep": _deep,
    "bomb": _bomb,
    "guesses": _guesses,
    "lies": _lies,
    "joins": _joins,
    "never-reads": _never_reads,
    "fuzzed": _fuzzed_xml,
}


# ----------------------------------------------------------------------------- the course's bytes


def _frame(kind: int, payload: bytes, length: int | None = None) -> bytes:
    return struct.pack(">BI", kind, len(payload) if length is None else length) + payload


def _half_frame(chance: random.Random) -> bytes:
    return _frame(1, b"\1")[: chance.randrange(5)] + HOLD


def _huge_frame(chance: random.Random) -> bytes:
    return _frame(chance.randrange(10), b"x" * 1000, 2**32 - 1)


def _wrong_group(chance: random.Random) -> bytes:
    return _frame(1, bytes((chance.randrange(100, 256),)))


def _moves_first(chance: random.Random) -> bytes:
    return _frame(5, chance.randbytes(5))


def _sits_and_leaves(chance: random.Random) -> bytes:
    return _frame(1, b"\7")


def _sits_and_babbles(chance: random.Random) -> bytes:
    return _frame(1, b"\7") + b"".join(_frame(5, chance.randbytes(5)) for _ in range(50))


def _fuzzed_bytes(chance: random.Random) -> bytes:
    return _mutated(_frame(1, b"\7") + _frame(5, chance.randbytes(5)) * 3, chance)


BINARY: dict[str, Speech] = {
    "silent": _silent,
    "leaves": _leaves,
    "half": _half_frame,
    "garbage": _garbage,
    "huge": _huge_frame,
    "wrong-group": _wrong_group,
    "moves-first": _moves_first,
    "sits-and-leaves": _sits_and_leaves,
    "sits-and-babbles": _sits_and_babbles,
    "fuzzed": _fuzzed_bytes,
}

ATTACKS = {"xml": XML, "binary": BINARY}


# ---------------------------------------------------------------------------------- the attacker


class Attacker:
    """Holds one conversation after the other with a server; never believes what it is told."""

    def __init__(self, port: int, attacks: dict[str, Speech], seed: int) -> None:
        self._port, self._attacks, self._random = port, attacks, random.Random(seed)
        self._held: deque[socket.socket] = deque()
        self.done: Counter[str] = Counter()

    def attack(self, count: int) -> None:
        """So many conversations, of all kinds in turn."""
        names = list(self._attacks)
        for number in range(count):
            name = names[number % len(names)]
            try:
                self._converse(self._attacks[name])
                self.done[name] += 1
            except OSError:
                self.done["refused"] += 1
        while self._held:
            self._held.popleft().close()

    def _converse(self, speech: Speech) -> None:
        said = speech(self._random)
        sock = socket.create_connection((HOST, self._port), PATIENCE)
        try:
            sock.sendall(said.removesuffix(HOLD))
        except OSError:
            sock.close()
            raise
        if said.endswith(HOLD):
            self._hold(sock)
        else:
            self._leave(sock)

    def _hold(self, sock: socket.socket) -> None:
        self._held.append(sock)
        if len(self._held) > HELD:
            self._held.popleft().close()

    def _leave(self, sock: socket.socket) -> None:
        if self._random.random() < 0.3:  # without a goodbye
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()


def main() -> None:
    """Attack a server as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol", choices=ATTACKS)
    parser.add_argument("port", type=int)
    parser.add_argument("--kind", help="one kind of attack only")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    attacks = ATTACKS[options.protocol]
    chosen = {options.kind: attacks[options.kind]} if options.kind else attacks
    attacker = Attacker(options.port, chosen, options.seed)
    attacker.attack(options.count)
    print(json.dumps(attacker.done))


if __name__ == "__main__":
    main()
