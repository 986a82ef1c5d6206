/** The keys stored in this browser, so that a reload loses neither a seat nor a link. */
import type { Arranged, ArrangedSeat } from "../../types";

export interface Key {
  readonly seat: number;
  readonly token: string;
}

/** What was told to whoever opened a game. */
export interface Opened {
  /** What entitles to pause, step and end it. */
  readonly key: string | null;
  readonly seats: readonly ArrangedSeat[];
}

const place = (game: string): string => `spielleiter.seats.${game}`;
const opening = (game: string): string => `spielleiter.opened.${game}`;

export const keep = (game: string, keys: readonly Key[]): void => {
  const others = keysOf(game).filter(({ seat }) => !keys.some((key) => key.seat === seat));
  write(place(game), [...others, ...keys]);
};

export const keysOf = (game: string): readonly Key[] => read<Key[]>(place(game)) ?? [];

/** Remember a game that was opened here. Whoever opens it takes the first seat of a person. */
export const remember = ({ id, key, seats }: Arranged): void => {
  write(opening(id), { key, seats });
  const seat = seats.findIndex(({ token }) => token !== null);
  if (seat >= 0) keep(id, [{ seat, token: seats[seat]!.token! }]);
};

export const openedHere = (game: string): Opened | null => read<Opened>(opening(game));

/** A link that lets somebody else play a seat; what follows # is never sent to a server. */
export const invitation = (origin: string, game: string, { seat, token }: Key): string =>
  `${origin}/games/${encodeURIComponent(game)}#seat=${seat}&key=${token}`;

/** The key in the address, which is then taken out of it. */
export const accept = (game: string): void => {
  const said = new URLSearchParams(location.hash.slice(1));
  const [seat, token] = [said.get("seat"), said.get("key")];
  if (seat === null || token === null || !/^\d+$/.test(seat)) return;
  keep(game, [{ seat: Number(seat), token }]);
  history.replaceState(null, "", location.pathname + location.search);
};

// Without storage a seat lasts as long as the page.
const memory = new Map<string, unknown>();

function write(name: string, value: unknown): void {
  memory.set(name, value);
  try {
    localStorage.setItem(name, JSON.stringify(value));
    tidy();
  } catch {
    return;
  }
}

function read<Value>(name: string): Value | null {
  try {
    return (
      (JSON.parse(localStorage.getItem(name) ?? "null") as Value | null) ??
      (memory.get(name) as Value | undefined) ??
      null
    );
  } catch {
    return (memory.get(name) as Value | undefined) ?? null;
  }
}

/** The oldest go: a browser that plays every day must not fill up. */
function tidy(): void {
  const names = Object.keys(localStorage).filter((name) =>
    /^spielleiter\.(seats|opened)\./.test(name),
  );
  for (const name of names.slice(0, Math.max(0, names.length - 200))) {
    if (!memory.has(name)) localStorage.removeItem(name);
  }
}
