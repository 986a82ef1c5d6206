/**
 * What a person holds over the board, and which move that would be.
 *
 * A move of any game is a gesture: take up a token (or nothing), put it on cells. The hand knows no
 * rules; it compares what it holds with the gestures that the server offers.
 */
import type { Cell, Gesture, Grid, Token } from "../types";
import { flipped, grip, key, normalised, shifted, signature, turned, type Shape } from "./cells";
import { inside } from "./layout";

export interface Hand {
  /** The token taken up, or null while the hand is empty. */
  readonly token: string | null;
  readonly shape: Shape;
  /** The cell pointed at. */
  readonly at: Cell | null;
}

export interface Ghost {
  readonly cells: Shape;
  /** The moves it would be: none is illegal, several are a choice. */
  readonly moves: readonly Gesture[];
  readonly onBoard: boolean;
}

const DOT: Shape = [[0, 0]];

export const EMPTY: Hand = { token: null, shape: DOT, at: null };

export const takeUp = (hand: Hand, token: Token): Hand => ({
  ...hand,
  token: token.id,
  shape: normalised(token.cells),
});

export const drop = (hand: Hand): Hand => ({ ...EMPTY, at: hand.at });
export const pointAt = (hand: Hand, at: Cell | null): Hand => ({ ...hand, at });

/** A quarter turn as seen: clockwise on the screen, whichever way rows count. */
export const turn = (hand: Hand, grid: Grid): Hand => ({
  ...hand,
  shape: grid.upwards ? turned(turned(turned(hand.shape))) : turned(hand.shape),
});

export const flip = (hand: Hand): Hand => ({ ...hand, shape: flipped(hand.shape) });

/** Whether turning and flipping make a difference. */
export const canTurn = (hand: Hand): boolean => hand.token !== null && hand.shape.length > 1;

/** Where the thing in hand would lie, and what that would mean; null while nothing is shown. */
export const ghost = (hand: Hand, gestures: readonly Gesture[], grid: Grid): Ghost | null => {
  if (!hand.at) return null;
  const [across, along] = grip(hand.shape);
  const cells = shifted(hand.shape, [hand.at[0] - across, hand.at[1] - along]);
  const wanted = signature(cells);
  const moves = offers(hand, gestures).filter((gesture) => signature(gesture.cells) === wanted);
  return { cells, moves, onBoard: cells.every((cell) => inside(grid, cell)) };
};

/** The cells to point at so that the thing in hand, as it is turned now, may be put down. */
export const targets = (hand: Hand, gestures: readonly Gesture[]): readonly Cell[] => {
  const [across, along] = grip(hand.shape);
  const wanted = signature(hand.shape);
  return offers(hand, gestures).flatMap(({ cells }) => {
    if (!cells.length || signature(normalised(cells)) !== wanted) return [];
    const [left, top] = [Math.min(...cells.map((c) => c[0])), Math.min(...cells.map((c) => c[1]))];
    return [[left + across, top + along] as Cell];
  });
};

/** In how many places the thing in hand may be put, however it is turned. */
export const placesAnyhow = (hand: Hand, gestures: readonly Gesture[]): number =>
  offers(hand, gestures).length;

/** Tokens that some gesture takes up. */
export const takeable = (gestures: readonly Gesture[]): ReadonlySet<string> =>
  new Set(gestures.flatMap(({ token }) => (token === null ? [] : [token])));

/** Moves without a place: buttons. */
export const buttons = (gestures: readonly Gesture[]): readonly Gesture[] =>
  gestures.filter(({ cells }) => !cells.length);

/** The token on a cell that can be taken up, if there is one. */
export const tokenOn = (
  tokens: readonly Token[],
  cell: Cell,
  able: ReadonlySet<string>,
): Token | undefined =>
  tokens.find(({ id, cells }) => able.has(id) && cells.some((other) => key(other) === key(cell)));

const offers = (hand: Hand, gestures: readonly Gesture[]): readonly Gesture[] =>
  gestures.filter(({ token, cells }) => token === hand.token && cells.length > 0);
