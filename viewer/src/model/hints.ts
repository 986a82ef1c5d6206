/** What an engine would do, as it is drawn on the board. */
import type { BestLine, Cell, Gesture, Scene } from "../types";

/** The best move, another good one, or what the other side threatens then. */
export type HintKind = "best" | "other" | "threat";

export interface Hint {
  readonly kind: HintKind;
  readonly move: string;
  /** Where it is taken up, if it lies on the board. */
  readonly from: Cell | null;
  readonly cells: readonly Cell[];
  readonly colour: string;
}

/** A gesture as it is drawn: an arrow for what moves, the place itself for what appears. */
export const hint = (kind: HintKind, gesture: Gesture, scene: Scene): Hint => {
  const onBoard = scene.tokens.find(({ id }) => id === gesture.token);
  return {
    kind,
    move: gesture.move,
    from: onBoard?.cells[0] ?? null,
    cells: gesture.cells,
    colour: gesture.colour || onBoard?.colour || "line",
  };
};

/** What the lines of an engine look like: the best move on top, then the answer that it fears. */
export const hints = (lines: readonly BestLine[], scene: Scene): readonly Hint[] => {
  const [best, ...others] = lines;
  const found = others.map(({ drawn }) => ["other", drawn[0]] as const);
  const all = [...found, ["threat", best?.drawn[1]], ["best", best?.drawn[0]]] as const;
  return all.flatMap(([kind, gesture]) =>
    gesture?.cells.length ? [hint(kind, gesture, scene)] : [],
  );
};
