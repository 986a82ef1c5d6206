import { expect, test } from "vitest";
import { byName, drawn, short, shownValues } from "../src/model/annotations";
import type { Annotation, Grid } from "../src/types";

const GRID: Grid = {
  columns: 3,
  rows: 2,
  upwards: true,
  column_labels: ["a", "b", "c"],
  row_labels: ["1", "2"],
};
const shown = (turn: number, more: Partial<Annotation> = {}): Annotation => ({
  turn,
  values: {},
  cells: {},
  arrows: [],
  text: "",
  ...more,
});

test("cells are found by column and row and by their names; others are left out", () => {
  const cells = { "2,1": "trap", B1: 0.123456, "3,0": "beside", z9: 1 };
  expect(drawn(shown(1, { cells }), GRID).cells).toEqual([
    { cell: [2, 1], label: "trap" },
    { cell: [1, 0], label: "0.123" },
  ]);
});

test("an arrow needs both its cells", () => {
  const arrows: [string, string][] = [
    ["a1", "2,1"],
    ["a1", "9,9"],
  ];
  expect(drawn(shown(1, { arrows }), GRID).arrows).toEqual([{ from: [0, 0], to: [2, 1] }]);
});

test("each value has a curve for every seat that showed it", () => {
  const all = [1, 2, 3].map((turn) => shown(turn, { values: { score: turn, depth: 4 } }));
  const charts = byName(shownValues(all, (turn) => (turn + 1) % 2));
  expect([...charts.keys()]).toEqual(["score", "depth"]);
  expect(charts.get("score")).toEqual([
    {
      name: "score",
      seat: 0,
      points: [
        { turn: 1, value: 1 },
        { turn: 3, value: 3 },
      ],
    },
    { name: "score", seat: 1, points: [{ turn: 2, value: 2 }] },
  ]);
});

test("a turn without a seat is charted for nobody", () => {
  expect(shownValues([shown(1, { values: { score: 1 } })], () => null)).toEqual([]);
});

test("numbers are written short", () => {
  expect([3, -12, 0.5, 1234567].map(short)).toEqual(["3", "-12", "0.5", "1230000"]);
});
