/** The address of the browser as state, and ways to change it without loading the page anew. */
import type { Component } from "svelte";
import { moved, route, type Patterns, type Route } from "./model/route";

/** A page gets what its address names, and the query. */
export type PageProps = Pick<Route, "names" | "query">;
type Page = Component<PageProps>;

export const PATTERNS: Patterns = {
  "/": "lobby",
  "/new": "new",
  "/organiser": "organiser",
  "/rules/:edition": "rules",
  "/games/:id": "game",
  "/games/:source/:id": "game",
  "/replay": "open",
  "/ladder": "ladders",
  "/ladder/:edition": "ladder",
  "/ladder/version/:version": "ladderVersion",
  "/ladder/game/:game": "ladderGame",
  "/friendlies/:id": "friendly",
  "/stores/:id": "store",
  "/stores/:id/explorer": "explorer",
  "/explorer": "explorer",
  "/contests": "contests",
  "/seasons": "seasons",
  "/seasons/new": "newSeason",
  "/seasons/:id": "season",
  "/seasons/:id/edit": "editSeason",
  "/team": "myTeam",
  "/teams": "teams",
  "/teams/:id": "team",
  "/bots/:id": "bot",
  "/join/:secret": "join",
  "/reset/:secret": "reset",
  "/account": "account",
  "/organiser/people": "people",
  "/privacy": "operatorPage",
  "/imprint": "operatorPage",
  "/contests/:id": "contest",
  "/contests/:id/projector": "projector",
  "/contests/:contest/games": "contestGames",
};

export const PAGES: Readonly<Record<string, () => Promise<{ default: Page }>>> = {
  lobby: () => import("./pages/Lobby.svelte"),
  new: () => import("./pages/New.svelte"),
  organiser: () => import("./pages/Organiser.svelte"),
  rules: () => import("./pages/Rules.svelte"),
  game: () => import("./pages/Game.svelte"),
  open: () => import("./pages/Open.svelte"),
  myTeam: () => import("./pages/team/MyTeam.svelte"),
  teams: () => import("./pages/team/Teams.svelte"),
  team: () => import("./pages/team/Team.svelte"),
  bot: () => import("./pages/team/Bot.svelte"),
  join: () => import("./pages/team/Join.svelte"),
  reset: () => import("./pages/team/Reset.svelte"),
  account: () => import("./pages/team/AccountPage.svelte"),
  people: () => import("./pages/team/People.svelte"),
  operatorPage: () => import("./pages/team/OperatorPage.svelte"),
  ladders: () => import("./pages/ladder/Ladders.svelte"),
  ladder: () => import("./pages/ladder/Ladder.svelte"),
  ladderVersion: () => import("./pages/ladder/Version.svelte"),
  ladderGame: () => import("./pages/ladder/Game.svelte"),
  friendly: () => import("./pages/ladder/Friendly.svelte"),
  store: () => import("./pages/review/Store.svelte"),
  contestGames: () => import("./pages/review/Store.svelte"),
  explorer: () => import("./pages/review/Explorer.svelte"),
  contests: () => import("./pages/Contests.svelte"),
  seasons: () => import("./pages/season/Seasons.svelte"),
  newSeason: () => import("./pages/season/Edit.svelte"),
  season: () => import("./pages/season/Season.svelte"),
  editSeason: () => import("./pages/season/Edit.svelte"),
  contest: () => import("./pages/Contest.svelte"),
  projector: () => import("./pages/Projector.svelte"),
};

/** Old addresses are rewritten, so that links to them still work. */
const follow = (): void => {
  const to = moved(location.pathname, location.search);
  if (to !== null) history.replaceState(null, "", to + location.hash);
};
follow();

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
  follow();
  address.path = location.pathname;
  address.search = location.search;
};
