import { expect, it } from "vitest";
import { hints } from "../src/model/hints";
import type { Scene, Token } from "../src/types";

const token = (id: string): Token => ({
  id,
  cells: [[1, 2]],
  glyph: "disc",
  colour: "red",
  label: "",
  text: "",
});
const SCENE: Scene = {
  grid: { columns: 3, rows: 3, column_labels: [], row_labels: [], upwards: false },
  tokens: [token("mover")],
  marks: [],
  trays: [{ title: "", colour: "red", tokens: [token("laid")] }],
  holes: [],
  status: [],
  title: "",
};
const gesture = (token: string | null, cells: [number, number][]) => ({
  move: "m",
  token,
  cells,
  label: "",
});

it("draws an arrow for what moves, and the place for what comes from beside the board", () => {
  const found = hints([gesture("mover", [[0, 0]]), gesture("laid", [[2, 2]])], SCENE);
  expect(found.map(({ from }) => from)).toEqual([[1, 2], null]);
  expect(found.map(({ colour }) => colour)).toEqual(["red", "red"]);
});

it("draws a new stone on its field, and nothing for a pass", () => {
  const [stone, ...rest] = hints([gesture(null, [[0, 1]]), gesture(null, [])], SCENE);
  expect(stone).toMatchObject({ from: null, cells: [[0, 1]] });
  expect(rest).toEqual([]);
});
