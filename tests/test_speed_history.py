"""Speed over time: what a run of the benchmarks is compared with, and what counts as slower."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.curves import curves, drawing
from benchmarks.history import Figure, SpeedRun, changes, kept, machine, place_of, run_of
from benchmarks.measure import Rate, Row

MACHINE = {"processor": "x86_64", "system": "Linux", "model": "a processor"}


def run(when: str, ratio: float, *, c: float = 4e8, spread: float = 0.02) -> SpeedRun:
    return SpeedRun(when, MACHINE, c, "v3", (Figure("lists", "C", ratio, spread),))


def test_a_figure_is_compared_with_the_latest_of_its_machine_class() -> None:
    other_class = run("2026-11-12", 9.0, c=3.4e8)
    earlier = [run("2026-11-10", 1.0), run("2026-11-11", 2.0), other_class]
    (change,) = changes(run("2026-11-13", 1.0), earlier)
    assert (change.when, change.factor) == ("2026-11-11", 0.5)


def test_slower_means_slower_than_both_spreads_together_explain() -> None:
    before = run("2026-11-10", 1.0)
    verdicts = {
        ratio: next(changes(run("2026-11-11", ratio), [before])).is_slower
        for ratio in (0.90, 0.95, 1.2)
    }
    assert verdicts == {0.90: True, 0.95: False, 1.2: False}
    wide = run("2026-11-11", 0.90, spread=0.2)
    assert not next(changes(wide, [before])).is_slower


def test_machines_of_another_model_flavour_or_speed_are_not_compared() -> None:
    now = run("2026-11-11", 1.0)
    before = run("2026-11-10", 1.0)
    strangers = [
        replace(before, machine=MACHINE | {"model": "another"}),
        replace(before, flavour="portable"),
        replace(before, c=3.4e8),
    ]
    assert list(changes(now, strangers)) == []
    assert len(list(changes(now, [before]))) == 1


def test_a_run_takes_the_place_of_one_of_its_machine_class_and_of_no_other(tmp_path: Path) -> None:
    def keep(run: SpeedRun) -> str:
        path = place_of(run, "2026-11-18-all-v3", tmp_path)
        figures = [asdict(figure) for figure in run.figures]
        data = {"when": run.when, "machine": run.machine, "C": run.c, "flavour": run.flavour}
        path.write_text(json.dumps(data | {"rows": figures}), "utf-8")
        return path.stem

    slow, quick = run("2026-11-18", 1.0), run("2026-11-18", 1.0, c=4.9e8)
    assert keep(slow) == keep(slow) == "2026-11-18-all-v3"
    assert keep(quick) == keep(quick) == "2026-11-18-all-v3-2"
    assert keep(slow) == "2026-11-18-all-v3"
    assert sorted(run.c for run in kept(tmp_path)) == [4e8, 4.9e8]


def test_runs_kept_before_models_and_spreads_were_noted_are_read() -> None:
    runs = kept()
    first = next(run for run in runs if run.when.startswith("2026-11-15"))
    assert first.figures
    assert all(figure.spread > 0 for figure in first.figures)
    assert [run.when for run in runs] == sorted(run.when for run in runs)


def test_a_row_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    row = Row("lists", 0.5, "C", 0.1, 1.0, Rate([90.0, 100.0, 100.0, 110.0, 120.0]))
    data = {"when": "2026-11-10", "machine": machine(), "C": 4e8, "flavour": "v3"}
    (tmp_path / "run.json").write_text(json.dumps(data | {"rows": [row.data()]}), "utf-8")
    (read,) = kept(tmp_path)
    assert read == run_of(data | {"rows": [row.data()]})
    assert read.figures == (Figure("lists", "C", 0.5, row.rate.spread),)
    assert 0 < row.rate.spread < 0.3


def test_the_curves_have_a_chart_for_each_figure_measured_twice() -> None:
    runs = [run("2026-11-10", 1.0), run("2026-11-11", 1.2), run("2026-11-12", 1.1, c=3.4e8)]
    found = curves(runs)
    assert [number for _, _, number in found["lists (C)"]] == [0, 0, 1]
    assert curves(runs[:1]) == {}
    picture = ElementTree.fromstring(drawing(found))
    assert len(picture.findall(".//{*}circle")) == 3
