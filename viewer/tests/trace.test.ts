import { expect, it } from "vitest";
import { trace, type Traced } from "../src/model/trace";
import type { Cell, Token } from "../src/types";

const token = (id: string, cell: Cell, colour = "red"): Token => ({
  id,
  cells: [cell],
  glyph: "disc",
  colour,
  text: "o",
  label: id,
});
const keys = (traced: readonly Traced[]) => traced.map(({ key }) => key);

it("keeps the key of what moves under its id", () => {
  const before = trace([], [token("a", [0, 0]), token("b", [1, 0])]);
  expect(keys(trace(before, [token("a", [0, 3]), token("b", [1, 0])]))).toEqual(["a", "b"]);
});

it("keeps the key of what lies still and is only called otherwise", () => {
  const before = trace([], [token("a", [0, 0])]);
  const moved = trace(before, [token("a", [0, 3])]);
  expect(keys(trace(moved, [token("on 0,3", [0, 3])]))).toEqual(["a"]);
});

it("gives a newcomer a key that nobody has had in the scene before", () => {
  const before = trace(trace([], [token("a", [0, 0])]), [token("a", [0, 3])]);
  const both = trace(before, [token("still", [0, 3]), token("a", [4, 4])]);
  expect(new Set(keys(both)).size).toBe(2);
  expect(keys(both)[0]).toBe("a");
});

it("lets a thing that changes its colour in place stay the same thing", () => {
  const before = trace([], [token("0,0", [0, 0])]);
  expect(keys(trace(before, [token("0,0", [0, 0], "blue")]))).toEqual(["0,0"]);
});
