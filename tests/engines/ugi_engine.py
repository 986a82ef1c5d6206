"""A test engine of the Universal Game Interface: the first legal move, or a fault on demand.

It knows no rules: it offers the option SearchMoves and so is told all legal moves.
"""

import sys
import time

played: list[str] = []


def answer(kind: str, moves: list[str]) -> None:
    """Answer a `go` as the kind says."""
    if kind == "dies":
        print("oh no", file=sys.stderr)
        sys.exit(3)
    while kind == "floods":
        print("info string " + "x" * 1000)
    while kind == "never ends a line":
        sys.stdout.write("x" * 1000)
    while kind == "hangs":
        time.sleep(60)
    print("info depth 1 score cp 0 pv", moves[0])
    played.append(moves[0])
    print("bestmove", {"babbles": "?!", "cheats": played[0]}.get(kind, moves[0]), flush=True)


def main() -> None:
    """Read commands until `quit`."""
    kind = " ".join(sys.argv[1:]) or "plays"
    for line in sys.stdin:
        words = line.split()
        if words[0] == "ugi":
            print("id name test engine")
            print("option name SearchMoves type check default false")
            print("ugiok", flush=True)
        elif words[0] == "isready":
            print("readyok", flush=True)
        elif words[0] == "go":
            answer(kind, words[words.index("searchmoves") + 1 :])
        elif words[0] == "quit":
            return


main()
