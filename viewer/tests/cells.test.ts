import { describe, expect, it } from "vitest";
import {
  extent,
  flipped,
  grip,
  normalised,
  signature,
  turned,
  type Shape,
} from "../src/model/cells";

const ELL: Shape = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 2],
];

/** A shape as rows of letters, to be read. */
const drawn = (cells: Shape): string[] => {
  const [columns, rows] = extent(cells);
  const lies = new Set(cells.map(String));
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => (lies.has(`${column},${row}`) ? "#" : ".")).join(
      "",
    ),
  );
};

describe("shapes", () => {
  it("turn clockwise, and are as before after four turns", () => {
    expect(drawn(ELL)).toEqual(["#.", "#.", "##"]);
    expect(drawn(turned(ELL))).toEqual(["###", "#.."]);
    expect(drawn(turned(turned(ELL)))).toEqual(["##", ".#", ".#"]);
    expect(turned(turned(turned(turned(ELL))))).toEqual(normalised(ELL));
  });

  it("flip left to right, and back", () => {
    expect(drawn(flipped(ELL))).toEqual([".#", ".#", "##"]);
    expect(flipped(flipped(ELL))).toEqual(normalised(ELL));
  });

  it("have a signature that depends neither on order nor on anything else", () => {
    expect(signature([...ELL].reverse())).toBe(signature(ELL));
    expect(signature(turned(ELL))).not.toBe(signature(ELL));
  });

  it("are held by a cell of their own, near the middle", () => {
    const ring: Shape = [
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 1],
      [2, 1],
    ];
    expect(ring.map(String)).toContain(String(grip(ring)));
    expect(grip([[0, 0]])).toEqual([0, 0]);
    expect(grip(ELL)).toEqual([0, 1]);
  });
});
