/** The results of an analysis so far, and how they are drawn. */
import type { BestLine, Evaluated, Judged, Word } from "../types";

export type Stage = "idle" | "queued" | "running" | "done" | "failed";

type Problem = Extract<Word, { kind: "failed" }>["code"];

export interface Analysis {
  readonly stage: Stage;
  readonly engine: string;
  /** How many positions there are to say something about. */
  readonly total: number;
  /** How many wait before us. */
  readonly ahead: number;
  /** Why it was broken off. */
  readonly problem: Problem;
  readonly positions: Readonly<Record<number, Evaluated>>;
  readonly moves: Readonly<Record<number, Judged>>;
}

export const NOTHING: Analysis = {
  stage: "idle",
  engine: "",
  total: 0,
  ahead: 0,
  problem: "broken",
  positions: {},
  moves: {},
};

/** One more word of the server. */
export const told = (so: Analysis, word: Word): Analysis => {
  switch (word.kind) {
    case "queued":
      return { ...so, stage: "queued", ahead: word.ahead };
    case "began":
      return { ...so, stage: "running", engine: word.engine, total: word.turns };
    case "evaluated":
      return { ...so, positions: { ...so.positions, [word.turn]: word } };
    case "judged":
      return { ...so, moves: { ...so.moves, [word.turn]: word } };
    case "finished":
      return { ...so, stage: "done" };
    case "failed":
      return { ...so, stage: "failed", problem: word.code };
  }
};

export const isLast = (word: Word): boolean => word.kind === "finished" || word.kind === "failed";

/** How far it is, from 0 to 1. */
export const share = (so: Analysis): number =>
  so.stage === "done"
    ? 1
    : so.total === 0
      ? 0
      : Math.min(1, Object.values(so.positions).filter((each) => each.final).length / so.total);

export interface Point {
  readonly turn: number;
  readonly chance: number;
}

/** The chances of a seat over the turns; turns at which they are not known are left out. */
export const curve = (so: Analysis, seat: number): Point[] =>
  Object.values(so.positions)
    .map(({ turn, chances }) => ({ turn, chance: chances[seat] ?? null }))
    .filter((point): point is Point => point.chance !== null)
    .sort((one, other) => one.turn - other.turn);

/** The moves that gave something away, worst first. */
export const mistakes = (so: Analysis): Judged[] =>
  Object.values(so.moves)
    .filter((move) => sign(move) !== "")
    .sort((one, other) => other.drop - one.drop || one.turn - other.turn);

const SIGNS = { best: "", good: "", inaccuracy: "?!", mistake: "?", blunder: "??" } as const;

/** As chess players write it; nothing for a move that gave little away. */
export const sign = (move: Judged | undefined): string => (move ? SIGNS[move.grade] : "");

export const percent = (chance: number): string => `${Math.round(100 * chance)} %`;

/** `62 %` for the side of the curve, or how a certain end comes about, in the words handed in. */
export const worth = (line: BestLine, mover: Mover, say: (end: End) => string): string => {
  const won = line.score > 0;
  const winner = won ? mover.seat : mover.two ? 1 - mover.seat : null;
  const end = { winner, plies: line.ends_in, points: line.ends_by };
  const chance = mover.two && mover.seat === 1 ? 1 - line.chance : line.chance;
  return end.plies === null && end.points === null ? percent(chance) : say(end);
};

/** Who is to move, and whether one curve tells the chances of both sides: then it is that of seat 0. */
export interface Mover {
  readonly seat: number;
  readonly two: boolean;
}

/** A certain end: in so many plies, or by so many points. */
export interface End {
  /** Null: whoever is to move loses, and the others share what follows. */
  readonly winner: number | null;
  readonly plies: number | null;
  readonly points: number | null;
}
