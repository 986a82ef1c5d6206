import { expect, it } from "vitest";
import type { GameSummary } from "../src/types";
import { newer, seatColours } from "../src/model/words";

it("knows the colours of a seat, and of a seat without any", () => {
  const look = {
    palette: { one: "#010101", two: "#020202" },
    glyphs: {},
    seats: [["one", "two"], []],
  };
  expect(seatColours(look, 0)).toEqual(["#010101", "#020202"]);
  expect(seatColours(look, 1)).toEqual([]);
  expect(seatColours(look, 7)).toEqual([]);
});

it("puts news before a list, and nothing twice", () => {
  const games = (ids: string) => [...ids].map((id) => ({ id }) as GameSummary);
  const merged = newer(games("dc"), games("cba"));
  expect(merged.map(({ id }) => id)).toEqual(["d", "c", "b", "a"]);
});
