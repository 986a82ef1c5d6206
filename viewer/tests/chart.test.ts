import { expect, it } from "vitest";
import { bounds, path, scale, ticks } from "../src/model/chart";

it("puts values where they belong", () => {
  const { at } = scale(0, 10, 100, 200);
  expect([0, 5, 10].map(at)).toEqual([100, 150, 200]);
  expect(scale(3, 3, 0, 10).at(3)).toBe(0);
});

it("marks round values within the bounds", () => {
  expect(ticks(0, 1, 4)).toEqual([0, 0.5, 1]);
  expect(ticks(-380, 410, 5)).toEqual([-200, 0, 200, 400]);
  expect(ticks(7, 7)).toEqual([7]);
});

it("cuts errors that would hide everything else", () => {
  const bar = (value: number, margin: number) => ({
    name: "",
    value,
    low: value - margin,
    high: value + margin,
  });
  expect(bounds([bar(0, 10), bar(100, 10)])).toEqual([-10, 110]);
  expect(bounds([bar(0, 9_999), bar(100, 10)])).toEqual([-50, 150]);
  expect(bounds([])).toEqual([0, 1]);
});

it("draws a line through points", () => {
  expect(
    path([
      [0, 1],
      [2.005, 3],
    ]),
  ).toBe("M0 1L2.01 3");
});
