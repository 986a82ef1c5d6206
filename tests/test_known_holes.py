"""The command that looks for known holes in what we install, on a small dump of our own."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.known_holes import NODE, PYTHON, Pin, entries, holes, main, node_order, pins


def entry(
    name: str, *events: dict[str, str], ecosystem: str = PYTHON, **more: Any
) -> dict[str, Any]:
    ranges = [{"type": "ECOSYSTEM", "events": list(events)}] if events else []
    package = {"ecosystem": ecosystem, "name": name}
    return {
        "id": "OSV-1",
        "summary": "a hole",
        "affected": [{"package": package, "ranges": ranges}],
    } | more


def is_hit(version: str, *events: dict[str, str]) -> bool:
    return bool(list(holes([Pin(PYTHON, "thing", version)], [entry("Thing", *events)])))


@pytest.mark.parametrize(
    ("version", "hit"),
    [
        ("0.9", False),
        ("1.0", True),
        ("1.9.1", True),
        ("1.10rc1", True),
        ("1.10", False),
        ("3.0", True),
    ],
)
def test_a_version_is_hit_from_introduced_to_fixed(version: str, hit: bool) -> None:
    again = {"introduced": "2.5"}
    assert is_hit(version, {"introduced": "1.0"}, {"fixed": "1.10"}, again) == hit


def test_the_last_affected_version_is_hit_and_the_next_is_not() -> None:
    events = ({"introduced": "0"}, {"last_affected": "2.0"})
    assert is_hit("2.0", *events)
    assert not is_hit("2.0.1", *events)


def test_listed_versions_other_names_ecosystems_and_withdrawn_entries() -> None:
    pin = Pin(PYTHON, "my-thing", "1.0")
    listed = entry("My.Thing")
    listed["affected"][0]["versions"] = ["1.0"]
    assert [str(hole) for hole in holes([pin], [listed])] == ["my-thing 1.0 (PyPI): OSV-1 a hole"]
    everything = {"introduced": "0"}
    assert not list(holes([pin], [listed | {"withdrawn": "2026-01-01T00:00:00Z"}]))
    assert not list(holes([pin], [entry("other", everything)]))
    assert not list(holes([pin], [entry("my-thing", everything, ecosystem=NODE)]))


def test_versions_of_node_are_sorted_as_numbers_and_previews_come_first() -> None:
    ordered = ["1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-beta.2", "1.2.3-beta.11", "1.2.3", "1.10.0"]
    shuffled = ordered[::-2] + ordered[::2]
    assert sorted(shuffled, key=node_order) == ordered


def test_our_pins_are_read_and_a_dump_may_be_a_file_a_folder_or_packed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = list(pins())
    assert {PYTHON, NODE} == {pin.ecosystem for pin in ours}
    fastapi = next(pin for pin in ours if pin.name == "fastapi")
    svelte = next(pin for pin in ours if pin.name == "svelte")
    hit = entry("FastAPI", {"introduced": "0"})
    other = entry("svelte", {"introduced": "0"}, {"fixed": svelte.version}, ecosystem=NODE)
    (tmp_path / "one.json").write_text(json.dumps(hit))
    (tmp_path / "two.json").write_text(json.dumps([other]))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr("OSV-1.json", json.dumps(hit))
    assert [len(list(entries(tmp_path / name))) for name in (".", "one.json", "all.zip")] == [
        2,
        1,
        1,
    ]
    assert main([str(tmp_path / "two.json")]) == 0
    assert main([str(tmp_path / "all.zip")]) == 1
    assert f"fastapi {fastapi.version} (PyPI): OSV-1 a hole" in capsys.readouterr().out
