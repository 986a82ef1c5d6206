import { expect, it } from "vitest";
import { hints } from "../src/model/hints";
import type { BestLine, Gesture, Scene } from "../src/types";

const SCENE: Scene = {
  grid: { columns: 3, rows: 3, upwards: false, column_labels: [], row_labels: [] },
  tokens: [{ id: "stone", cells: [[0, 0]], glyph: "disc", colour: "red", text: "", label: "" }],
  marks: [],
  trays: [],
  holes: [],
  status: [],
  title: "",
};
const gesture = (move: string, more: Partial<Gesture>): Gesture => ({
  move,
  token: null,
  cells: [[1, 1]],
  label: "",
  colour: "",
  ...more,
});
const line = (...drawn: Gesture[]): BestLine => ({
  score: 0,
  chance: 0.5,
  ends_in: null,
  ends_by: null,
  moves: drawn.map(({ move }) => move),
  drawn,
});

it("draws an arrow from what lies on the board, and the place of what appears", () => {
  const swim = gesture("swim", { token: "stone", cells: [[2, 0]] });
  const appears = gesture("disc", { colour: "blue" });
  expect(hints([line(swim)], SCENE)).toMatchObject([{ kind: "best", from: [0, 0] }]);
  expect(hints([line(appears)], SCENE)).toMatchObject([{ from: null, colour: "blue" }]);
});

it("draws the best move last, so that it lies on top, and the answer to it as a threat", () => {
  const lines = [line(gesture("a", {}), gesture("b", {})), line(gesture("c", {}))];
  expect(hints(lines, SCENE).map(({ kind, move }) => [kind, move])).toEqual([
    ["other", "c"],
    ["threat", "b"],
    ["best", "a"],
  ]);
});

it("draws nothing for a move without a place", () => {
  expect(hints([line(gesture("pass", { cells: [] }))], SCENE)).toEqual([]);
  expect(hints([], SCENE)).toEqual([]);
});
