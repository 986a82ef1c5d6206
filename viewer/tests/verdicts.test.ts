import { expect, it } from "vitest";
import {
  curve,
  mistakes,
  NOTHING,
  share,
  sign,
  told,
  worth,
  type Analysis,
  type End,
} from "../src/model/verdicts";
import type { BestLine, Judged, Word } from "../src/types";

const line: BestLine = {
  score: 100,
  chance: 0.64,
  ends_in: null,
  ends_by: null,
  moves: ["a", "b"],
  drawn: [],
};
const evaluated = (turn: number, chances: (number | null)[], final = true): Word => ({
  kind: "evaluated",
  turn,
  to_move: turn % 2,
  chances,
  lines: [line],
  depth: 3,
  nodes: 9,
  seconds: 0.1,
  final,
});
const judged = (turn: number, drop: number, grade: Judged["grade"]): Word => ({
  kind: "judged",
  turn,
  seat: 0,
  move: "m",
  gesture: null,
  drop,
  grade,
  better: line,
});
const after = (...words: Word[]): Analysis => words.reduce(told, NOTHING);

it("follows an analysis from the queue to its end", () => {
  expect(after({ kind: "queued", ahead: 2 })).toMatchObject({ stage: "queued", ahead: 2 });
  const begun = after({ kind: "began", engine: "mcts", turns: 4 }, evaluated(0, [0.5, 0.5]));
  expect(begun).toMatchObject({ stage: "running", engine: "mcts" });
  expect(share(begun)).toBe(0.25);
  expect(share(told(begun, { kind: "finished" }))).toBe(1);
  expect(told(begun, { kind: "failed", code: "busy", message: "later" }).problem).toBe("busy");
});

it("draws what is known of a seat, in the order of turns", () => {
  const so = after(
    evaluated(2, [0.9, null, null]),
    evaluated(1, [null, 0.3, null]),
    evaluated(0, [0.4, null, null]),
  );
  expect(curve(so, 0)).toEqual([
    { turn: 0, chance: 0.4 },
    { turn: 2, chance: 0.9 },
  ]);
  expect(curve(so, 1)).toEqual([{ turn: 1, chance: 0.3 }]);
  expect(curve(so, 2)).toEqual([]);
});

it("lists what was given away, the worst first", () => {
  const so = after(judged(3, 0.12, "mistake"), judged(5, 0, "best"), judged(7, 0.6, "blunder"));
  expect(mistakes(so).map(({ turn }) => turn)).toEqual([7, 3]);
  expect([3, 5, 7, 9].map((turn) => sign(so.moves[turn]))).toEqual(["?", "", "??", ""]);
});

it("says chances, or how a certain end comes about", () => {
  const say = ({ winner, plies, points }: End) =>
    `${winner} ${plies === null ? `by ${points}` : `in ${plies}`}`;
  const [first, second] = [
    { seat: 0, two: true },
    { seat: 1, two: true },
  ];
  expect(worth(line, first!, say)).toBe("64 %");
  expect(worth({ ...line, score: -30_990, ends_in: 10 }, first!, say)).toBe("1 in 10");
  expect(worth({ ...line, score: 30_012, ends_by: 12 }, second!, say)).toBe("1 by 12");
  expect(worth({ ...line, score: 30_000, chance: 1 }, first!, say)).toBe("100 %");
});

it("tells all chances from the side of the curve, whoever is to move", () => {
  const say = ({ winner }: End) => String(winner);
  expect(worth(line, { seat: 1, two: true }, say)).toBe("36 %");
  expect(worth(line, { seat: 1, two: false }, say)).toBe("64 %");
  expect(worth({ ...line, score: -9, ends_in: 3 }, { seat: 1, two: false }, say)).toBe("null");
});
