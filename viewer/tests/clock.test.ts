import { expect, it } from "vitest";
import { ahead, left, shown, span, thinking } from "../src/model/clock";
import type { Clocks } from "../src/types";

const CLOCKS: Clocks = {
  kind: "per move",
  per_move: 2,
  left: [2, null],
  running: 0,
  since: 100,
  now: 100.5,
};

it("runs for the seat that thinks, and never below nothing", () => {
  expect(left(CLOCKS, 0, 100.5)).toBeCloseTo(1.5);
  expect(left(CLOCKS, 0, 200)).toBe(0);
  expect(left(CLOCKS, 0, 99)).toBe(2);
  expect(left({ ...CLOCKS, running: 1 }, 0, 101)).toBe(2);
  expect(left(CLOCKS, 1, 101)).toBeNull();
});

it("counts how long a seat has been thinking, where nothing limits it", () => {
  expect(thinking(CLOCKS, 0, 103)).toBe(3);
  expect(thinking(CLOCKS, 1, 103)).toBeNull();
});

it("does not trust the clock of the browser", () => {
  expect(ahead(CLOCKS, 40.5)).toBe(60);
});

it("shows tenths only when they matter", () => {
  expect(shown(65)).toBe("1:05");
  expect(shown(7.34)).toBe("0:07.3");
  expect(shown(0)).toBe("0:00.0");
  expect([span(0.041), span(1.24), span(83.2)]).toEqual(["0.04 s", "1.2 s", "83 s"]);
});
