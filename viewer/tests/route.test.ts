import { expect, it } from "vitest";
import { route } from "../src/model/route";

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
