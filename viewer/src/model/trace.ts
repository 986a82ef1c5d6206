/**
 * Which token of a scene is which of the scene before.
 *
 * What lies still and looks the same is the same; of the rest, what has the same id. So a thing keeps
 * its key, and moves smoothly, even where a game can name it only for the length of one move.
 */
import type { Token } from "../types";
import { signature } from "./cells";

export interface Traced {
  readonly key: string;
  readonly token: Token;
}

const look = (token: Token): string => `${token.glyph} ${token.colour} ${signature(token.cells)}`;

export const trace = (before: readonly Traced[], tokens: readonly Token[]): readonly Traced[] => {
  const still = new Map(before.map((traced) => [look(traced.token), traced]));
  const keys = tokens.map((token) => still.get(look(token))?.key);
  const taken = new Set(keys);
  const moved = new Map(
    before.filter(({ key }) => !taken.has(key)).map((t) => [t.token.id, t.key]),
  );
  const fresh = unused(new Set(before.map(({ key }) => key)));
  return tokens.map((token, at) => ({
    key: keys[at] ?? moved.get(token.id) ?? fresh(token.id),
    token,
  }));
};

/** A key nobody has: the id itself, or with a number. */
const unused =
  (used: Set<string>) =>
  (id: string): string => {
    let [key, number] = [id, 1];
    while (used.has(key)) key = `${id}~${++number}`;
    used.add(key);
    return key;
  };
