import { expect, it } from "vitest";
import { ahead, digits, left, overdue, shown, thinking } from "../src/model/clock";
import type { Clocks } from "../src/types";

const CLOCKS: Clocks = {
  kind: "per move",
  per_move: 2,
  left: [2, null],
  grace: 8,
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
  expect([0.041, 1.24, 83.2].map(digits)).toEqual([2, 1, 0]);
});

it("tells how long the referee waits for what is too late already", () => {
  expect(overdue(CLOCKS, 0, 101.5)).toBeNull();
  expect(overdue(CLOCKS, 0, 103)).toBeCloseTo(7);
  expect(overdue(CLOCKS, 0, 120)).toBe(0);
  expect(overdue({ ...CLOCKS, grace: 0 }, 0, 103)).toBeNull();
  expect(overdue(CLOCKS, 1, 103)).toBeNull();
});
