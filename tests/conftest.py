"""What the suite runs over: every edition found installed, under every authority."""

from __future__ import annotations

import gc
import signal
import tomllib
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import hypothesis
import pytest

from spielleiter import games, native
from spielleiter.client.promptness import leave_old_objects_alone
from spielleiter.game import AUTHORITIES, Game
from spielleiter.handin.upload_check import why_no_uploads
from tests.order import in_order
from tests.rewriting import read_share_of_constants, rewrite_share

Case = TypeVar("Case")
IS_PLAIN = native.wanted()[0] == native.PLAIN
"""Whether everything is played in Python: a hundred times slower."""


def _editions() -> Iterator[Game]:
    """Every edition under every authority; in Python the server's rules of the newest one only."""
    names = games.names()
    for name in names:
        for authority in AUTHORITIES if not IS_PLAIN or name == names[-1] else AUTHORITIES[:1]:
            yield games.load(name, authority)


EDITIONS = list(_editions())


def repeats(native: int, in_python: int) -> int:
    """How often a test repeats itself: less where everything is played in Python."""
    return in_python if IS_PLAIN else native


hypothesis.settings.register_profile(
    "repeatable",
    derandomize=True,  # what passed passes again; fuzzers search on (tests/deep)
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("repeatable")
"""A test says whether the code is right, never whether the machine is quick or luck was kind."""


@pytest.fixture
def box() -> None:
    """A machine that can hold strangers' programs; elsewhere the reason is said by name."""
    if (reason := why_no_uploads()) is not None:
        pytest.skip(reason)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """The tests are there for good: garbage is looked for among what comes later only.

    A worker has 9,000 of them, and whenever the collector looked, it looked through all of that.
    It also looks less often: tests end soon, and there is memory enough for what they leave.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        leave_old_objects_alone()  # by its own word, or every game counts what is frozen: 43 ms
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Whoever is started in the background by a shell does not hear Control-C; tests must."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rewrite_share(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """What takes long begins first, so that no worker is left alone with it at the end."""
    read_share_of_constants(config)
    result = yield
    items[:] = in_order(items, int(getattr(config, "workerinput", {}).get("workercount", 1)))
    return result


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "game" in metafunc.fixturenames:
        ids = [f"{game.name}/{game.authority}" for game in EDITIONS]
        metafunc.parametrize("game", _both(metafunc, EDITIONS), ids=ids)
    for fixture, part in {"engine_game": "Engine", "tree_game": "Mcts"}.items():
        if fixture in metafunc.fixturenames:
            _parametrize_able(metafunc, fixture, part)
    if "perft_fact" in metafunc.fixturenames:
        _parametrize(metafunc, "perft_fact", "perft.toml")
    if "position_fact" in metafunc.fixturenames:
        _parametrize(metafunc, "position_fact", "positions.toml")


def _parametrize_able(metafunc: pytest.Metafunc, fixture: str, part: str) -> None:
    """Only the editions whose native module has that part."""
    able = [game for game in EDITIONS if hasattr(game.native, part)]
    nobody = pytest.param(None, marks=pytest.mark.skip(f"no game installed has an {part}"))
    ids = [f"{game.name}/{game.authority}" for game in able]
    metafunc.parametrize(fixture, _both(metafunc, able) or [nobody], ids=ids or ["none"])


def _both(metafunc: pytest.Metafunc, editions: list[Game]) -> list[Any]:
    """Every edition under both authorities; in a module that says ONE_AUTHORITY under either.

    What is tested there does not look at the rules: the other half is run by make test-deep.
    """
    if not getattr(metafunc.module, "ONE_AUTHORITY", False):
        return list(editions)
    return in_turns(editions, lambda game: game.name)


def in_turns(cases: Sequence[Case], name_of: Callable[[Case], str]) -> list[Any]:
    """Of the cases of a name one, of the next name the next one; the others are for test-deep."""
    kinds: dict[str, list[Case]] = {}
    for case in cases:
        kinds.setdefault(name_of(case), []).append(case)
    chosen = {id(each[at % len(each)]) for at, each in enumerate(kinds.values())}
    return [
        case if id(case) in chosen else pytest.param(case, marks=pytest.mark.deep) for case in cases
    ]


def _parametrize(metafunc: pytest.Metafunc, fixture: str, file: str) -> None:
    known = list(facts(file))
    ids = [f"{fact['edition']}: {fact['name']}" for fact in known]
    metafunc.parametrize(fixture, known, ids=ids)


def facts(file: str) -> Iterator[dict[str, Any]]:
    for folder in sorted({edition.folder for edition in EDITIONS}):
        yield from _read(folder, file).get("position", [])


def _read(folder: str, file: str) -> dict[str, Any]:
    path = Path(str(import_module(folder).__file__)).parent / "facts" / file
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def twin_plies(game: Game) -> dict[str, int]:
    """How many plies core and reference are compared on; a game may ask for more than usual."""
    return {"quick": 500, "deep": 500_000, **_read(game.folder, "twin.toml")}


def game_of(fact: dict[str, Any]) -> Game:
    """The edition and authority a fact is about."""
    return games.load(fact["edition"], fact.get("authority", "document"))
