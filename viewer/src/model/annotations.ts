/** What bots showed beside a game, as it is drawn on the board and charted. */
import type { Annotation, Cell, Grid } from "../types";
import { inside, place } from "./layout";

export interface DrawnAnnotation {
  readonly cells: readonly { readonly cell: Cell; readonly label: string }[];
  readonly arrows: readonly { readonly from: Cell; readonly to: Cell }[];
}

export const NOTHING_DRAWN: DrawnAnnotation = { cells: [], arrows: [] };

/** What is drawn on a board; cells that it does not have are left out. */
export const drawn = ({ cells, arrows }: Annotation, grid: Grid): DrawnAnnotation => ({
  cells: Object.entries(cells).flatMap(([name, said]) => {
    const cell = cellNamed(grid, name);
    return cell ? [{ cell, label: typeof said === "number" ? short(said) : said }] : [];
  }),
  arrows: arrows.flatMap(([start, end]) => {
    const [from, to] = [cellNamed(grid, start), cellNamed(grid, end)];
    return from && to ? [{ from, to }] : [];
  }),
});

/** `3,4` is column and row from 0; anything else is a name as it stands on the board's edges. */
const cellNamed = (grid: Grid, name: string): Cell | null => {
  const [column, row] = name.split(",").map(Number);
  if (/^\d+,\d+$/.test(name)) return inside(grid, [column!, row!]) ? [column!, row!] : null;
  for (let at = 0; at < grid.columns * grid.rows; at += 1) {
    const cell: Cell = [at % grid.columns, Math.floor(at / grid.columns)];
    if (place(grid, cell).toLowerCase() === name.toLowerCase()) return cell;
  }
  return null;
};

/** A number in few letters. */
export const short = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e5 ? String(value) : String(+value.toPrecision(3));

export interface ShownPoint {
  readonly turn: number;
  readonly value: number;
}

export interface ShownValue {
  readonly name: string;
  readonly seat: number;
  readonly points: readonly ShownPoint[];
}

/** Each value that was shown, over the turns: one curve for each name and seat. */
export const shownValues = (
  annotations: readonly Annotation[],
  seatOf: (turn: number) => number | null,
): readonly ShownValue[] => {
  const found = new Map<string, { name: string; seat: number; points: ShownPoint[] }>();
  for (const { turn, values } of annotations) {
    const seat = seatOf(turn);
    if (seat === null) continue;
    for (const [name, value] of Object.entries(values)) {
      const key = `${seat} ${name}`;
      if (!found.has(key)) found.set(key, { name, seat, points: [] });
      found.get(key)!.points.push({ turn, value });
    }
  }
  return [...found.values()];
};

/** The curves by the names of their values, in the order in which they were first shown. */
export const byName = (values: readonly ShownValue[]): ReadonlyMap<string, readonly ShownValue[]> =>
  values.reduce(
    (so, value) => so.set(value.name, [...(so.get(value.name) ?? []), value]),
    new Map<string, ShownValue[]>(),
  );
