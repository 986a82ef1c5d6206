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
