/** All scenes of a game as the server rolls them up, told out again. */
import type { Reel, Scene } from "../types";

export const unrolled = (reel: Reel): Scene[] =>
  reel.shots.map((shot) => {
    const { grid, holes } = reel.boards[shot.board]!;
    return {
      grid,
      holes,
      tokens: shot.tokens.map((number) => reel.tokens[number]!),
      trays: shot.trays.map((number) => {
        const { title, colour, tokens } = reel.trays[number]!;
        return { title, colour, tokens: tokens.map((token) => reel.tokens[token]!) };
      }),
      marks: shot.marks,
      status: shot.status,
      title: shot.title,
    };
  });
