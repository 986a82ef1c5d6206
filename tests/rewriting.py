"""What is read from the files is read by one of the workers that share the tests.

Each of them collects all tests, and half of that time goes into rewriting assertions: seven seconds
of a processor. They all begin at the same file, so none would find what another one has done. In a
new tree Hypothesis looks through all of our modules too, for constants to try: a second and more.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.assertion import AssertionState, rewrite
from hypothesis.internal import constants_ast

Shared = TypeVar("Shared")


def rewrite_share(config: pytest.Config) -> None:
    """Rewrite this worker's share of the files and leave it where pytest looks for it."""
    state = config.stash.get(rewrite.assertstate_key, None)
    if state is not None:
        for file in _share(config, _files(config)):
            _keep(file, config, state)


def read_share_of_constants(config: pytest.Config) -> None:
    """Read those of this worker's share of the modules; Hypothesis leaves them in its folder."""
    files = {getattr(module, "__file__", None): module for module in [*sys.modules.values()]}
    local = sorted(file for file in files if file and constants_ast.is_local_module_file(file))
    for file in _share(config, local):
        constants_ast.constants_from_module(files[file])


def _share(config: pytest.Config, everything: Sequence[Shared]) -> Sequence[Shared]:
    """What this worker does for all; nothing where there are no workers."""
    about: dict[str, str] = getattr(config, "workerinput", {})
    if not about:
        return ()
    return everything[int(about["workerid"].removeprefix("gw")) :: int(about["workercount"])]


def _files(config: pytest.Config) -> list[Path]:
    """Those in the folders that are to be tested."""
    folders = (config.invocation_params.dir / each.partition("::")[0] for each in config.args)
    return sorted({file for folder in folders for file in folder.rglob("test_*.py")})


def _keep(file: Path, config: pytest.Config, state: AssertionState) -> None:
    kept = rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(file, kept) is None and rewrite.try_makedirs(kept.parent):
        version, code = rewrite._rewrite_test(file, config)
        rewrite._write_pyc(state, code, version, kept)
