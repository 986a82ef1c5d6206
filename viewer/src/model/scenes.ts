/** All scenes of a game, expanded from the sequence the server sends. */
import type { SceneSequence, Scene } from "../types";

export const expanded = (sequence: SceneSequence): Scene[] =>
  sequence.scenes.map((scene) => {
    const { grid, holes } = sequence.boards[scene.board]!;
    return {
      grid,
      holes,
      tokens: scene.tokens.map((number) => sequence.tokens[number]!),
      trays: scene.trays.map((number) => {
        const { title, colour, tokens } = sequence.trays[number]!;
        return { title, colour, tokens: tokens.map((token) => sequence.tokens[token]!) };
      }),
      marks: scene.marks,
      status: scene.status,
      title: scene.title,
    };
  });
