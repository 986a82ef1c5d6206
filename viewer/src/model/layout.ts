/** Where the things of a scene are drawn. One cell is 100 units wide. */
import type { Cell, Grid, Mark } from "../types";

export const UNIT = 100;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Upper left corner of a cell. */
export const corner = (grid: Grid, [column, row]: Cell): Point => ({
  x: UNIT * column,
  y: UNIT * (grid.upwards ? grid.rows - 1 - row : row),
});

export const centre = (grid: Grid, cell: Cell): Point => {
  const { x, y } = corner(grid, cell);
  return { x: x + UNIT / 2, y: y + UNIT / 2 };
};

/** The cell under a point, or null beside the board. */
export const cellAt = (grid: Grid, { x, y }: Point): Cell | null => {
  const [column, down] = [Math.floor(x / UNIT), Math.floor(y / UNIT)];
  const row = grid.upwards ? grid.rows - 1 - down : down;
  return inside(grid, [column, row]) ? [column, row] : null;
};

export const inside = (grid: Grid, [column, row]: Cell): boolean =>
  column >= 0 && column < grid.columns && row >= 0 && row < grid.rows;

/** How far the names of rows and columns need room, in units. */
export const textSize = (grid: Grid): number =>
  Math.max(34, 3.4 * Math.max(grid.columns, grid.rows));

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The part of the plane that is shown: the board with its names. */
export const frame = (grid: Grid): Box => {
  const size = textSize(grid);
  const left = grid.row_labels.length ? 1.5 * size : 8;
  const above = grid.column_labels.length && !grid.upwards ? 1.4 * size : 8;
  const below = grid.column_labels.length && grid.upwards ? 1.4 * size : 8;
  const [width, height] = [UNIT * grid.columns + left + 8, UNIT * grid.rows + above + below];
  return { x: -left, y: -above, width, height };
};

/** What a cell is called. */
export const place = (grid: Grid, [column, row]: Cell): string => {
  const [across, along] = [grid.column_labels[column], grid.row_labels[row]];
  return across !== undefined && along !== undefined ? `${across}${along}` : `${column},${row}`;
};

/** All cells of a row of the picture, from left to right; the uppermost row is 0. */
export const rowCells = (grid: Grid, down: number): Cell[] => {
  const row = grid.upwards ? grid.rows - 1 - down : down;
  return Array.from({ length: grid.columns }, (_, column): Cell => [column, row]);
};

export const squares = (corners: readonly Point[], unit = UNIT, inset = 0): string =>
  corners
    .map(({ x, y }) => {
      const side = unit - 2 * inset;
      return `M${x + inset} ${y + inset}h${side}v${side}h${-side}z`;
    })
    .join("");

/** The border of a set of cells: every side that only one of them has. */
export const outline = (corners: readonly Point[], unit = UNIT): string => {
  const sides = new Map<string, number>();
  const count = (side: string) => sides.set(side, 1 + (sides.get(side) ?? 0));
  for (const { x, y } of corners) {
    [`M${x} ${y}h${unit}`, `M${x} ${y + unit}h${unit}`].forEach(count);
    [`M${x} ${y}v${unit}`, `M${x + unit} ${y}v${unit}`].forEach(count);
  }
  return [...sides].flatMap(([side, times]) => (times === 1 ? [side] : [])).join("");
};

/** Discs on the cells of a mark and bars between neighbours, which melt into one body. */
export const body = (grid: Grid, mark: Mark): string => {
  const dots = mark.cells.map((cell) => centre(grid, cell));
  const near = (a: Point, b: Point) => Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y)) <= UNIT;
  const bars = dots.flatMap((a, at) =>
    dots.slice(at + 1).flatMap((b) => (near(a, b) ? [[a, b]] : [])),
  );
  const parts = dots.map(({ x, y }) => `M${x} ${y}h0`);
  return [...parts, ...bars.map(([a, b]) => `M${a!.x} ${a!.y}L${b!.x} ${b!.y}`)].join("");
};

/** How large a label is written so that it fits into a cell. */
export const labelSize = (label: string): number => Math.min(34, 150 / Math.max(1, label.length));

/** A line between two points, short of both so that what lies there is seen. */
export const arrow = (start: Point, end: Point): string => {
  const { x, y, length } = towards(start, end);
  const until = Math.max(0, length - 46);
  return `M${start.x + 24 * x} ${start.y + 24 * y}L${start.x + until * x} ${start.y + until * y}`;
};

export const arrowHead = (start: Point, end: Point): string => {
  const { x, y } = towards(start, end);
  const corner = (along: number, across: number) =>
    `${end.x + along * x - across * y} ${end.y + along * y + across * x}`;
  return `M${corner(-8, 0)}L${corner(-52, 30)}L${corner(-52, -30)}Z`;
};

const towards = (start: Point, end: Point) => {
  const [across, along] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(across, along) || 1;
  return { x: across / length, y: along / length, length };
};

/** As many names as there is room for: all, or every second, fifth, tenth one. */
export const everyLabel = (labels: readonly string[], size: number, along: boolean): number => {
  const longest = Math.max(0, ...labels.map((label) => label.length));
  const room = along ? 1.2 * size : (0.6 * longest + 0.4) * size;
  return [1, 2, 5].find((step) => room <= UNIT * step) ?? 10;
};
