import { expect, test } from "vitest";
import type { Review, ReviewedTurn } from "../src/types";
import { curve, lastChances, solved, tasks, turnAt, turningPoints } from "../src/model/review";

const turn = (number: number, grade: ReviewedTurn["grade"] = "good"): ReviewedTurn => ({
  turn: number,
  seat: (number + 1) % 2,
  move: "a1",
  best: "B2 c3",
  chance: 0.75,
  chance_after: 0.5,
  loss: 0.25,
  grade,
  certain: false,
  line: [],
  move_words: "a1",
  line_words: ["b2"],
  depth: 3,
  effort: 1,
  choices: 4,
  phase: "opening",
  spent: null,
  motifs: [],
  avoided_from: null,
  second_more: null,
  sureness: "",
  remedies: [],
});
const review: Review = {
  edition: "nim",
  names: ["A", "B"],
  winners: [0],
  reason: "",
  engine: "alphabeta",
  nodes: 10,
  turns: [turn(1), turn(2, "blunder"), turn(3), turn(4, "mistake")],
  turning_points: [4, 2],
  last_chances: [null, 2],
  accuracy: [100, 50],
  losses: [],
  time: [],
  seats: [],
  times: [],
};

test("turning points keep their order, tasks that of the game", () => {
  expect(turningPoints(review, 5).map((each) => each.turn)).toEqual([4, 2]);
  expect(tasks(review).map((each) => each.turn)).toEqual([2, 4]);
  expect(lastChances(review).map((each) => each.turn)).toEqual([2]);
});

test("a curve has a point for each move of its seat, and a place on it is a turn", () => {
  expect(curve(review, 0)).toBe("M75 45L225 45");
  expect(turnAt(review, 0.5)).toBe(2);
  expect(turnAt(review, 7)).toBe(4);
});

test("a move that gives away little solves a task as the best one does", () => {
  expect(solved({ grade: "best", chance: 0.8, chance_after: 0.8 })).toBe(true);
  expect(solved({ grade: "good", chance: 0.8, chance_after: 0.75 })).toBe(true);
  expect(solved({ grade: "inaccuracy", chance: 0.8, chance_after: 0.65 })).toBe(false);
});
