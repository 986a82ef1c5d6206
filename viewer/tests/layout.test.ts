import { expect, it } from "vitest";
import {
  body,
  cellAt,
  centre,
  corner,
  everyLabel,
  outline,
  place,
  rowCells,
} from "../src/model/layout";
import type { Grid } from "../src/types";

const DOWN: Grid = {
  columns: 3,
  rows: 2,
  upwards: false,
  column_labels: ["a", "b", "c"],
  row_labels: ["1", "2"],
};
const UP: Grid = { ...DOWN, upwards: true };

it("draws row 0 at the top, or at the bottom where rows count upwards", () => {
  expect(corner(DOWN, [1, 0])).toEqual({ x: 100, y: 0 });
  expect(corner(UP, [1, 0])).toEqual({ x: 100, y: 100 });
  expect(rowCells(UP, 0)[0]).toEqual([0, 1]);
});

it("finds the cell under the middle of each cell, and none beside the board", () => {
  for (const grid of [DOWN, UP]) {
    expect(cellAt(grid, centre(grid, [2, 1]))).toEqual([2, 1]);
    expect(cellAt(grid, { x: -1, y: 50 })).toBeNull();
    expect(cellAt(grid, { x: 50, y: 200 })).toBeNull();
  }
});

it("names a cell by its labels", () => {
  expect(place(DOWN, [2, 1])).toBe("c2");
  expect(place({ ...DOWN, row_labels: [] }, [2, 1])).toBe("2,1");
});

it("draws a border only where one cell ends and none begins", () => {
  expect(outline([corner(DOWN, [0, 0])]).match(/M/g)).toHaveLength(4);
  expect(outline([corner(DOWN, [0, 0]), corner(DOWN, [1, 0])]).match(/M/g)).toHaveLength(6);
});

it("joins neighbours of a mark, also across corners", () => {
  const drawn = (...cells: [number, number][]) =>
    body(DOWN, { kind: "group", cells, colour: "red" }).match(/L/g)?.length ?? 0;
  expect(drawn([0, 0], [1, 1])).toBe(1);
  expect(drawn([0, 0], [2, 0])).toBe(0);
});

it("leaves out names that would not fit", () => {
  expect(everyLabel(["a", "b"], 50, false)).toBe(1);
  expect(everyLabel(["100", "101"], 90, false)).toBe(2);
});
