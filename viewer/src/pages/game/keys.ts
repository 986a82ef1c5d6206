/** The keys to seats that were given to this browser, so that a reload does not lose the seat. */

export interface Key {
  readonly seat: number;
  readonly token: string;
}

const place = (game: string): string => `spielleiter.seats.${game}`;

export const keep = (game: string, keys: readonly Key[]): void => {
  const others = keysOf(game).filter(({ seat }) => !keys.some((key) => key.seat === seat));
  try {
    localStorage.setItem(place(game), JSON.stringify([...others, ...keys]));
  } catch {
    return; // without storage the seat lasts as long as the page
  }
};

export const keysOf = (game: string): readonly Key[] => {
  try {
    return JSON.parse(localStorage.getItem(place(game)) ?? "[]") as Key[];
  } catch {
    return [];
  }
};

export const forget = (game: string): void => {
  try {
    localStorage.removeItem(place(game));
  } catch {
    return;
  }
};

/** A link that lets somebody else play a seat; what follows # is never sent to a server. */
export const invitation = (game: string, { seat, token }: Key): string =>
  `${location.origin}/games/${encodeURIComponent(game)}#seat=${seat}&key=${token}`;

/** The key in the address, which is then taken out of it. */
export const accept = (game: string): void => {
  const said = new URLSearchParams(location.hash.slice(1));
  const [seat, token] = [said.get("seat"), said.get("key")];
  if (seat === null || token === null || !/^\d+$/.test(seat)) return;
  keep(game, [{ seat: Number(seat), token }]);
  history.replaceState(null, "", location.pathname + location.search);
};
