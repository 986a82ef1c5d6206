import { expect, it } from "vitest";
import { colour, contrast, markColour, mix, pattern, readableOn } from "../src/model/colours";
import type { Look, Scene } from "../src/types";

const LOOK: Look = {
  palette: { one: "#ff0000", two: "#0000ff" },
  glyphs: {},
  seats: [["one"], ["two", "gone"]],
};
const SCENE: Scene = {
  grid: { columns: 2, rows: 2, upwards: false, column_labels: [], row_labels: [] },
  tokens: [{ id: "t", cells: [[0, 0]], glyph: "disc", colour: "one", text: "", label: "" }],
  marks: [],
  trays: [],
  holes: [],
  status: [],
  title: "",
};

it("takes the colours of the game first, then ours, then plain", () => {
  expect(colour(LOOK, "one")).toBe("#ff0000");
  expect(colour(LOOK, "sky")).toBe("#56b4e9");
  expect(colour(LOOK, "nobody's")).toBe(colour(LOOK, "plain"));
});

it("does not lose a mark round a thing of its own colour", () => {
  const mark = (row: number) => ({ kind: "last", cells: [[0, row]] as const, colour: "one" });
  expect(markColour(LOOK, SCENE, mark(0))).toBe(colour(LOOK, "last"));
  expect(markColour(LOOK, SCENE, mark(1))).toBe("#ff0000");
});

it("mixes, and says what can be read on what", () => {
  expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(readableOn("#ffee00")).toBe("#14181c");
  expect(readableOn("#002244")).toBe("#ffffff");
});

it("gives the owners of a game different patterns", () => {
  expect(pattern(LOOK, "one")).not.toBe(pattern(LOOK, "two"));
});
