"""Datasets as files: NumPy's `.npz`, or Parquet where the package pyarrow is installed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielleiter.datasets.samples import Sample
from spielleiter.errors import UsageError
from spielleiter.game import Game

SCHEMA = "spielleiter-dataset-1"
_AT_ONCE = 4096
"""Rows of a Parquet file that are written at once."""
Columns = dict[str, NDArray[Any]]


def write(path: Path, game: Game, samples: Iterable[Sample], *, planes: bool = True) -> int:
    """Write a dataset in the format of its suffix; returns the number of rows."""
    if path.suffix not in FORMATS:
        raise UsageError(f"{path}: a dataset is written as {' or '.join(FORMATS)}")
    return FORMATS[path.suffix](path, game, samples, planes)


def read(path: Path) -> Columns:
    """The columns of an `.npz` dataset; policies are `policy_actions[begins[i]:begins[i + 1]]`."""
    with np.load(path) as file:
        if str(file["schema"]) != SCHEMA:
            raise UsageError(f"{path} is no dataset of the schema {SCHEMA}")
        return {name: file[name] for name in file.files}


def _columns(samples: list[Sample], planes: bool) -> Columns:
    policies = [sorted(sample.policy.items()) for sample in samples]
    flat = list(itertools.chain.from_iterable(policies))
    columns: Columns = {
        "game": np.array([sample.game for sample in samples], np.int32),
        "ply": np.array([sample.position.ply for sample in samples], np.int16),
        "seat": np.array([sample.seat for sample in samples], np.int8),
        "position": np.array([sample.position.text() for sample in samples], np.str_),
        "action": np.array([sample.action for sample in samples], np.int32),
        "value": np.array([sample.value for sample in samples], np.float32),
        "result": np.array([sample.result for sample in samples], np.float32),
        "policy_actions": np.array([action for action, _ in flat], np.int32),
        "policy_shares": np.array([share for _, share in flat], np.float32),
        "policy_begins": np.cumsum([0, *map(len, policies)]).astype(np.int64),
    }
    if planes and samples:
        columns["planes"] = np.stack([sample.position.observe() for sample in samples])
    return columns


def _description(game: Game) -> dict[str, str]:
    position = game.native.Position
    return {
        "schema": SCHEMA,
        "edition": game.name,
        "authority": game.authority,
        "actions": str(position.actions),
        "planes_shape": " ".join(map(str, position.planes)),
    }


def _write_npz(path: Path, game: Game, samples: Iterable[Sample], planes: bool) -> int:
    rows = list(samples)
    described = {name: np.array(text) for name, text in _description(game).items()}
    with path.open("wb") as file:
        np.savez_compressed(file, **described, **_columns(rows, planes))  # type: ignore[arg-type]
    return len(rows)


# --------------------------------------------------------------------------------------- Parquet


def _write_parquet(path: Path, game: Game, samples: Iterable[Sample], planes: bool) -> int:
    if find_spec("pyarrow") is None:
        raise UsageError("pyarrow is missing: install it with 'pip install spielleiter[datasets]'")
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = arrow.schema(_fields(arrow, game, planes)).with_metadata(_description(game))
    rows = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for some in _chunks(samples):
            rows += len(some)
            writer.write_table(arrow.table(_arrow(arrow, _columns(some, planes), schema), schema))
    return rows


def _fields(arrow: Any, game: Game, planes: bool) -> list[tuple[str, Any]]:
    numbers = ("game", arrow.int32()), ("ply", arrow.int16()), ("seat", arrow.int8())
    fields = [*numbers, ("position", arrow.string()), ("action", arrow.int32())]
    fields += [("value", arrow.float32()), ("result", arrow.float32())]
    fields += [("policy_actions", arrow.list_(arrow.int32()))]
    fields += [("policy_shares", arrow.list_(arrow.float32()))]
    size = int(np.prod(game.native.Position.planes))
    return [*fields, ("planes", arrow.binary(size))] if planes else fields


def _arrow(arrow: Any, columns: Mapping[str, NDArray[Any]], schema: Any) -> dict[str, Any]:
    made: dict[str, Any] = dict(columns)
    begins = made.pop("policy_begins").astype(np.int32)
    for name in ("policy_actions", "policy_shares"):
        made[name] = arrow.ListArray.from_arrays(begins, arrow.array(made[name]))
    if "planes" in made:
        made["planes"] = [each.tobytes() for each in made["planes"]]
    return {name: made[name] for name in schema.names}


def _chunks(samples: Iterable[Sample]) -> Iterator[list[Sample]]:
    rest = iter(samples)
    while some := list(itertools.islice(rest, _AT_ONCE)):
        yield some


FORMATS: dict[str, Callable[[Path, Game, Iterable[Sample], bool], int]] = {
    ".npz": _write_npz,
    ".parquet": _write_parquet,
}
