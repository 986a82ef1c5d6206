import { expect, it } from "vitest";
import { gamePage, moved, route } from "../src/model/route";

const PATTERNS = { "/": "lobby", "/games/:id": "game" };

it("finds the page of an address, what it names and what it asks", () => {
  expect(route(PATTERNS, "/")?.page).toBe("lobby");
  const found = route(PATTERNS, "/games/a%20b", "?turn=7");
  expect(found).toMatchObject({ page: "game", names: { id: "a b" } });
  expect(found?.query.get("turn")).toBe("7");
});

it("knows when there is no page", () => {
  expect(route(PATTERNS, "/games")).toBeNull();
  expect(route(PATTERNS, "/games/1/2")).toBeNull();
});

it("names the page of a game, wherever the game is kept", () => {
  expect(gamePage({ source: "game", id: "a b" })).toBe("/games/a%20b");
  expect(gamePage({ source: "file", id: "f" }, 0, true)).toBe("/games/file/f?turn=0&analysis=yes");
});

it("knows where replays and analyses have moved to", () => {
  expect(moved("/replay/game/7", "?turn=3")).toBe("/games/7?turn=3");
  expect(moved("/analysis/contest/a~1", "")).toBe("/games/contest/a~1?analysis=yes");
  expect(moved("/replay", "")).toBeNull();
  expect(moved("/replay/nowhere/1", "")).toBeNull();
});
