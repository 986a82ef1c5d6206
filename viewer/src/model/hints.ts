/** What an engine would do, as it is drawn on the board. */
import type { Cell, Gesture, Scene } from "../types";

export interface Hint {
  readonly move: string;
  /** Where it is taken up, if it lies on the board. */
  readonly from: Cell | null;
  readonly cells: readonly Cell[];
  readonly colour: string;
}

/** Gestures as they are drawn: an arrow for what moves, the place itself for what appears. */
export const hints = (gestures: readonly Gesture[], scene: Scene): readonly Hint[] =>
  gestures
    .filter(({ cells }) => cells.length > 0)
    .map(({ move, token, cells }) => {
      const all = [...scene.tokens, ...scene.trays.flatMap(({ tokens }) => tokens)];
      const taken = all.find(({ id }) => id === token);
      const onBoard = scene.tokens.find(({ id }) => id === token);
      const colour = taken?.colour ?? "line";
      return { move, from: onBoard?.cells[0] ?? null, cells, colour };
    });
