/** The address of the browser as state, and ways to change it without loading the page anew. */
import type { Component } from "svelte";
import { route, type Patterns, type Route } from "./model/route";

/** A page gets what its address names, and the query. */
export type PageProps = Pick<Route, "names" | "query">;
type Page = Component<PageProps>;

export const PATTERNS: Patterns = {
  "/": "lobby",
  "/new": "new",
  "/organiser": "organiser",
  "/rules/:edition": "rules",
  "/games/:id": "game",
  "/replay": "open",
  "/replay/:source/:id": "replay",
  "/analysis/:source/:id": "analysis",
  "/contests": "contests",
  "/contests/:id": "contest",
};

export const PAGES: Readonly<Record<string, () => Promise<{ default: Page }>>> = {
  lobby: () => import("./pages/Lobby.svelte"),
  new: () => import("./pages/New.svelte"),
  organiser: () => import("./pages/Organiser.svelte"),
  rules: () => import("./pages/Rules.svelte"),
  game: () => import("./pages/Game.svelte"),
  open: () => import("./pages/Open.svelte"),
  replay: () => import("./pages/Replay.svelte"),
  analysis: () => import("./pages/Analysis.svelte"),
  contests: () => import("./pages/Contests.svelte"),
  contest: () => import("./pages/Contest.svelte"),
};

class Address {
  path = $state(location.pathname);
  search = $state(location.search);
  route = $derived(route(PATTERNS, this.path, this.search));
}

export const address = new Address();

/** Go to another page, or with `replace` only change what the address says. */
export const go = (to: string, { replace = false } = {}): void => {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  read();
  if (!replace) scrollTo(0, 0);
};

/** Links inside the arena change the page without loading it anew. */
export const followLinks = (event: MouseEvent): void => {
  const link = (event.target as Element | null)?.closest("a");
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute("download"))
    return;
  if (link.origin !== location.origin || !route(PATTERNS, link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
};

export const read = (): void => {
  address.path = location.pathname;
  address.search = location.search;
};
