import { describe, expect, it } from "vitest";
import * as hand from "../src/model/hand";
import type { Gesture, Grid, Token } from "../src/types";

const GRID: Grid = { columns: 5, rows: 5, upwards: false, column_labels: [], row_labels: [] };
const token = (id: string, cells: Token["cells"]): Token => ({
  id,
  cells,
  glyph: "square",
  colour: "red",
  text: "x",
  label: id,
});
const gesture = (move: string, held: string | null, ...cells: Gesture["cells"]): Gesture => ({
  move,
  token: held,
  cells,
  label: move,
  colour: "",
});

describe("an empty hand", () => {
  const gestures = [gesture("c3", null, [2, 2]), gesture("pass", null)];

  it("chooses a cell", () => {
    const there = hand.pointAt(hand.EMPTY, [2, 2]);
    expect(hand.ghost(there, gestures, GRID)?.moves.map(({ move }) => move)).toEqual(["c3"]);
    expect(hand.ghost(hand.pointAt(there, [1, 2]), gestures, GRID)?.moves).toEqual([]);
    expect(hand.ghost(hand.EMPTY, gestures, GRID)).toBeNull();
  });

  it("sees the cells to choose from, and moves without a place as buttons", () => {
    expect(hand.targets(hand.EMPTY, gestures)).toEqual([[2, 2]]);
    expect(hand.buttons(gestures).map(({ move }) => move)).toEqual(["pass"]);
  });
});

describe("a token of the board", () => {
  const piece = token("a", [[1, 1]]);
  const gestures = [gesture("b2-b4", "a", [1, 3]), gesture("other", "b", [1, 3])];

  it("goes where its own gestures lead, and nowhere else", () => {
    const held = hand.takeUp(hand.EMPTY, piece);
    expect(hand.targets(held, gestures)).toEqual([[1, 3]]);
    expect(hand.ghost(hand.pointAt(held, [1, 3]), gestures, GRID)?.moves[0]?.move).toBe("b2-b4");
    expect(hand.canTurn(held)).toBe(false);
  });

  it("is found on its cell only if it can be taken up", () => {
    const able = hand.takeable(gestures);
    expect(hand.tokenOn([piece], [1, 1], able)?.id).toBe("a");
    expect(hand.tokenOn([piece], [1, 1], new Set())).toBeUndefined();
  });
});

describe("a piece of several cells", () => {
  const bar = token("bar", [
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  const flat = gesture("flat", "bar", [0, 4], [1, 4], [2, 4]);
  const upright = gesture("upright", "bar", [0, 0], [0, 1], [0, 2]);
  const gestures = [flat, upright];

  it("matches the gestures of the way it is turned now", () => {
    const held = hand.takeUp(hand.EMPTY, bar);
    expect(hand.targets(held, gestures)).toEqual([[1, 4]]);
    const stood = hand.turn(held, GRID);
    expect(hand.targets(stood, gestures)).toEqual([[0, 1]]);
    expect(hand.ghost(hand.pointAt(stood, [0, 1]), gestures, GRID)?.moves).toEqual([upright]);
    expect(hand.placesAnyhow(held, gestures)).toBe(2);
  });

  it("is a ghost that says when it reaches beyond the board", () => {
    const held = hand.pointAt(hand.takeUp(hand.EMPTY, bar), [0, 0]);
    expect(hand.ghost(held, gestures, GRID)).toMatchObject({ moves: [], onBoard: false });
  });

  it("turns clockwise as seen, whichever way rows count", () => {
    const corner = token("v", [
      [0, 0],
      [1, 0],
      [0, 1],
    ]);
    const held = hand.takeUp(hand.EMPTY, corner);
    const down = hand.turn(held, GRID).shape.map(String);
    const up = hand.turn(held, { ...GRID, upwards: true }).shape.map(String);
    expect(down).not.toContain("0,1");
    expect(up).not.toContain("1,0");
    expect(hand.turn(hand.turn(hand.turn(hand.turn(held, GRID), GRID), GRID), GRID)).toEqual(held);
  });

  it("is laid down by dropping it", () => {
    const held = hand.pointAt(hand.takeUp(hand.EMPTY, bar), [2, 2]);
    expect(hand.drop(held)).toEqual({ ...hand.EMPTY, at: [2, 2] });
  });
});
