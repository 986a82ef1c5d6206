import { expect, it } from "vitest";
import { seatColours } from "../src/model/words";

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
