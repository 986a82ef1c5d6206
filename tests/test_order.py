"""The order of tests: none is lost or doubled, and each kind begins where it should."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.order import OTHER, in_order, kind_of


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 17])
def test_every_test_is_run_once_whatever_the_number_of_workers(
    request: pytest.FixtureRequest, workers: int
) -> None:
    items = request.session.items
    assert sorted(map(id, in_order(items, workers))) == sorted(map(id, items))


@pytest.mark.parametrize("workers", [2, 3, 4, 17])
def test_other_kinds_are_run_only_where_a_worker_begins(
    request: pytest.FixtureRequest, workers: int
) -> None:
    found = in_order(request.session.items, workers)
    after_others = [kind_of(b) for a, b in pairwise(found) if kind_of(a) == OTHER != kind_of(b)]
    assert len(after_others) < workers
