"""What one build of the native modules computes; compared between the flavours."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from spielleiter import games, native
from spielleiter.cli.bench import signature
from tests.conftest import facts, game_of


def lines() -> Iterator[str]:
    """One line per game and per tabulated position."""
    for name in games.names():
        yield f"{name} {signature(games.load(name).start(seed=1))}"
    for fact in facts("perft.toml"):
        position = game_of(fact).parse(fact["text"])
        quick = [count for count in fact["nodes"] if count <= 10_000_000]
        counted = [position.perft(depth + 1, passes=False) for depth in range(len(quick))]
        assert counted == quick, fact
        evaluate = getattr(game_of(fact).native, "evaluate", None)
        estimate = evaluate(position) if evaluate and position.outcome() is None else "–"
        yield f"{fact['edition']} {fact['name']} {counted} {estimate}"


def report() -> None:
    """To standard output what was computed, to standard error by which flavour."""
    print(*native.wanted(), file=sys.stderr)
    print("\n".join(lines()))
