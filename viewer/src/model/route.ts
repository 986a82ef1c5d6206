/** Addresses of the pages. */

export interface Route {
  readonly page: string;
  /** What stands in the places of a pattern, such as the number of a game. */
  readonly names: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** `/games/:id` and the like → page name. */
export type Patterns = Readonly<Record<string, string>>;

export const route = (patterns: Patterns, path: string, search = ""): Route | null => {
  for (const [pattern, page] of Object.entries(patterns)) {
    const names = matched(split(pattern), split(path));
    if (names) return { page, names, query: new URLSearchParams(search) };
  }
  return null;
};

const split = (path: string): string[] => path.split("/").filter(Boolean);

const matched = (pattern: string[], path: string[]): Record<string, string> | null => {
  if (pattern.length !== path.length) return null;
  const names: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(":")) names[part.slice(1)] = decodeURIComponent(path[at]!);
    else if (part !== path[at]) return null;
  }
  return names;
};

/** Where a game is kept: played here, sent as a file, or of a contest. */
export interface Place {
  readonly source: "game" | "file" | "contest" | "ladder" | "store";
  readonly id: string;
}

/** The page of a game, at a turn if one is named, with what an engine says and why it ended so. */
export const gamePage = (
  { source, id }: Place,
  turn: number | null = null,
  analysed = false,
  explained = false,
): string => {
  const path = source === "game" ? "/games/" : `/games/${source}/`;
  const query = new URLSearchParams();
  if (turn !== null) query.set("turn", String(turn));
  if (analysed) query.set("analysis", "yes");
  if (explained) query.set("why", "yes");
  return path + encodeURIComponent(id) + (query.size ? `?${query}` : "");
};

/** The page of a game that is over, with its explanation open. */
export const whyPage = (place: Place): string => gamePage(place, null, false, true);

/** Where a page has moved to: once a replay and an analysis had pages of their own. */
export const moved = (path: string, search: string): string | null => {
  const [kind, source, id, ...more] = split(path);
  if ((kind !== "replay" && kind !== "analysis") || !id || more.length) return null;
  if (source !== "game" && source !== "file" && source !== "contest") return null;
  const turn = new URLSearchParams(search).get("turn");
  const place = { source, id: decodeURIComponent(id) } as const;
  return gamePage(place, turn === null ? null : Number(turn) || 0, kind === "analysis");
};
