/** A review as it is drawn: curves of chances, and the mistakes one after the other. */
import type { Review, ReviewedTurn, TriedMove } from "../types";
import { path } from "./chart";

export const WIDTH = 300;
export const HEIGHT = 90;

/** The chances of a seat over the game, as an SVG path. */
export const curve = (review: Review, seat: number): string => {
  const last = review.turns.at(-1)?.turn || 1;
  return path(
    review.turns
      .filter((turn) => turn.seat === seat)
      .map((turn) => [(WIDTH * turn.turn) / last, HEIGHT * (1 - turn.chance_after)] as const),
  );
};

/** The turn that was played at a place of the curves. */
export const turnAt = (review: Review, share: number): number => {
  const last = review.turns.at(-1)?.turn ?? 0;
  return Math.max(0, Math.min(last, Math.round(share * last)));
};

const of = (review: Review, turn: number | null): ReviewedTurn | null =>
  review.turns.find((each) => each.turn === turn) ?? null;

/** The costliest moves first, so many of them. */
export const turningPoints = (review: Review, most: number): readonly ReviewedTurn[] =>
  review.turning_points.slice(0, most).flatMap((turn) => of(review, turn) ?? []);

/** For each seat that lost: the last turn at which it still held the game. */
export const lastChances = (review: Review): readonly ReviewedTurn[] =>
  review.last_chances.flatMap((turn) => of(review, turn) ?? []);

/** Mistakes and blunders: what can be tried again, in the order of the game. */
export const tasks = (review: Review): readonly ReviewedTurn[] =>
  review.turns.filter(({ grade }) => grade === "mistake" || grade === "blunder");

/** Whether an answer gives away nothing that counts. */
export const solved = ({ grade }: TriedMove): boolean => grade === "best" || grade === "good";
