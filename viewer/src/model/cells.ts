/** Cells and sets of cells: keys, comparison, turning and flipping. */
import type { Cell } from "../types";

export type Shape = readonly Cell[];

export const key = ([column, row]: Cell): string => `${column},${row}`;

export const same = (one: Cell | null, other: Cell | null): boolean =>
  one === other || (!!one && !!other && one[0] === other[0] && one[1] === other[1]);

/** A set of cells as one text, whatever their order. */
export const signature = (cells: Shape): string => cells.map(key).sort().join(" ");

export const corner = (cells: Shape): Cell => [
  Math.min(...cells.map(([column]) => column)),
  Math.min(...cells.map(([, row]) => row)),
];

export const shifted = (cells: Shape, [columns, rows]: Cell): Shape =>
  cells.map(([column, row]) => [column + columns, row + rows]);

/** The same shape in the corner of its own little grid, in reading order. */
export const normalised = (cells: Shape): Shape => {
  const [left, top] = corner(cells);
  return [...shifted(cells, [-left, -top])].sort((a, b) => a[1] - b[1] || a[0] - b[0]);
};

/** A quarter turn clockwise (where rows count downwards). */
export const turned = (cells: Shape): Shape =>
  normalised(cells.map(([column, row]): Cell => [-row, column]));

/** Left becomes right. */
export const flipped = (cells: Shape): Shape =>
  normalised(cells.map(([column, row]): Cell => [-column, row]));

/** Columns and rows that a shape in its corner takes. */
export const extent = (cells: Shape): Cell => [
  1 + Math.max(...cells.map(([column]) => column)),
  1 + Math.max(...cells.map(([, row]) => row)),
];

/** The cell by which a shape is held: the one nearest to its middle. */
export const grip = (cells: Shape): Cell => {
  const [columns, rows] = extent(cells);
  const [x, y] = [(columns - 1) / 2, (rows - 1) / 2];
  const far = ([column, row]: Cell) => (column - x) ** 2 + (row - y) ** 2;
  return cells.reduce((best, cell) => (far(cell) < far(best) ? cell : best));
};
