import { expect, it } from "vitest";
import { expanded } from "../src/model/scenes";
import type { SceneSequence } from "../src/types";

const token = (id: string) => ({
  id,
  cells: [[0, 0]],
  glyph: "disc",
  colour: "red",
  text: "x",
  label: id,
});
const grid = { columns: 2, rows: 1, upwards: false, column_labels: [], row_labels: [] };
const shot = { marks: [], status: [], title: "" };

it("tells out what was rolled up: tokens of the board and of the trays", () => {
  const sequence = {
    boards: [{ grid, holes: [[1, 0]] }],
    tokens: [token("a"), token("b")],
    trays: [{ title: "taken", colour: "red", tokens: [1] }],
    scenes: [
      { ...shot, board: 0, tokens: [0, 1], trays: [] },
      { ...shot, board: 0, tokens: [0], trays: [0], title: "second" },
    ],
  } as unknown as SceneSequence;
  const scenes = expanded(sequence);
  expect(scenes.map((scene) => scene.tokens.map(({ id }) => id))).toEqual([["a", "b"], ["a"]]);
  expect(scenes[1]!.trays[0]!.tokens[0]!.id).toBe("b");
  expect(scenes[1]!).toMatchObject({ grid, holes: [[1, 0]], title: "second" });
});
