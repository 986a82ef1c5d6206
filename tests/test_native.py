"""Builds of the native modules live side by side, and what one wrote another reads."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import pytest

from spielleiter import _cpu, native
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Game

pytestmark = pytest.mark.native


def builds(game: Game) -> Iterator[Game]:
    """The same game on each native module that is installed and runs here, all in this process."""
    for flavour in _cpu.flavours():
        name = f"{game.folder}.{native.module_name(flavour)}"
        if find_spec(name) is not None:
            yield replace(game, native=import_module(name))


def test_pickles_travel_between_builds(game: Game) -> None:
    here = game.start(3)
    for build in builds(game):
        there = build.start(3)
        assert pickle.loads(pickle.dumps(there)) == here
        assert pickle.loads(pickle.dumps(there.legal_moves()[0])) == here.legal_moves()[0]


def test_two_builds_in_one_process_do_not_mix(game: Game) -> None:
    first, *others = builds(game)
    for other in others:
        assert first.start(3) != other.start(3)
        assert first.start(3).text() == other.start(3).text()
        with pytest.raises(TypeError):
            first.start(3).play(other.start(3).legal_moves()[0])


def test_an_unknown_build_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIELLEITER_FLAVOUR", "portabel")
    with pytest.raises(UnknownName, match="portable"):
        native.wanted()


def test_a_folder_that_was_not_built_says_how_to_build_it() -> None:
    with pytest.raises(UsageError, match="pip install"):
        native.core("spielleiter.cli")
