"""In which order tests run: what takes long begins first, and of each kind on a worker of its own.

Workers get equal numbers of tests, one after the other, and those who have nothing left take from
the end of another's. Tests of a browser share it and an arena, which each worker that runs any of
them has to open: seconds of a processor, so those that share one begin on the same worker.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

import pytest

ARCHIVE, BROWSER, LONG, OTHER = range(4)


def in_order(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The same tests; the first ones of each worker are of one kind."""
    kinds: dict[int, list[pytest.Item]] = defaultdict(list)
    for item in items:
        kinds[kind_of(item)].append(item)
    if workers == 1:
        return kinds.pop(LONG, []) + [item for item in items if kind_of(item) != LONG]
    heads: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for kind in (ARCHIVE, BROWSER, LONG):
        heads[kind % workers] += kinds[kind]
    found, others = list[pytest.Item](), iter(kinds[OTHER])
    for at, head in enumerate(heads):
        share = (len(items) - len(found)) // (workers - at)
        found += [*head, *islice(others, max(0, share - len(head)))]
    return [*found, *others]


def kind_of(item: pytest.Item) -> int:
    """What it shares with others, or that it takes long."""
    fixtures = getattr(item, "fixturenames", ())
    for kind, fixture in ((ARCHIVE, "archive"), (BROWSER, "browser")):
        if fixture in fixtures:
            return kind
    return OTHER if item.get_closest_marker("long") is None else LONG
