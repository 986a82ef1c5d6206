"""The assertions of a file are rewritten by one of the workers that share the tests.

Each of them collects all tests, and half of that time goes into rewriting: seven seconds of a
processor. They all begin at the same file, so none would find what another one has done.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.assertion import AssertionState, rewrite


def rewrite_share(config: pytest.Config) -> None:
    """Rewrite this worker's share of the files and leave it where pytest looks for it."""
    about: dict[str, str] = getattr(config, "workerinput", {})
    state = config.stash.get(rewrite.assertstate_key, None)
    if about and state is not None:
        number, workers = int(about["workerid"].removeprefix("gw")), int(about["workercount"])
        for file in _files(config)[number::workers]:
            _keep(file, config, state)


def _files(config: pytest.Config) -> list[Path]:
    """Those in the folders that are to be tested."""
    folders = (config.invocation_params.dir / each.partition("::")[0] for each in config.args)
    return sorted({file for folder in folders for file in folder.rglob("test_*.py")})


def _keep(file: Path, config: pytest.Config, state: AssertionState) -> None:
    kept = rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(file, kept) is None and rewrite.try_makedirs(kept.parent):
        version, code = rewrite._rewrite_test(file, config)
        rewrite._write_pyc(state, code, version, kept)
