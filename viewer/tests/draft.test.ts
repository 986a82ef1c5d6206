import { expect, it } from "vitest";
import { begin, choose, draft, mistake, order, reseat } from "../src/model/draft";
import type { Edition, GameCatalogue, Start } from "../src/types";

const EDITION: Edition = {
  name: "any",
  title: "Any game",
  seat_names: ["one", "two", "three"],
  min_seats: 2,
  max_seats: 3,
  options: [
    {
      name: "map",
      label: "map",
      help: "",
      default: "small",
      choices: ["small", "wide"],
      names: {},
      tests: [],
    },
  ],
  seats_by: "map",
  seats: { small: 2, wide: 3 },
  authorities: ["document", "server"],
  speaks: "xml",
  players: ["weak", "strong"],
  own_maps: true,
};
const CATALOGUE: GameCatalogue = {
  cards: [],
  client_ports: [],
  editions: [EDITION],
  players: [
    { name: "weak", label: "weak", help: "", levels: [] },
    { name: "strong", label: "strong", help: "", levels: [1, 2, 3] },
  ],
  limits: { games: 5, per_move: 60, upload: 1000 },
  version: "1",
};

it("begins with a person against a built-in player of middling strength", () => {
  expect(order(draft(CATALOGUE, EDITION))).toEqual({
    edition: "any",
    authority: "document",
    position: null,
    options: { map: "small" },
    seed: null,
    seats: [
      { kind: "person", player: null, level: null, name: null },
      { kind: "built-in", player: "strong", level: 2, name: null },
    ],
    per_move: null,
    paused: false,
    delay: 0.4,
  });
});

it("has as many seats as the chosen map, and keeps who sat there", () => {
  const named = reseat(draft(CATALOGUE, EDITION), CATALOGUE, 0, { name: "Ada" });
  const wide = choose(named, CATALOGUE, "map", "wide");
  expect(wide.seats).toHaveLength(3);
  expect(wide.seats[0]?.name).toBe("Ada");
  expect(choose(wide, CATALOGUE, "map", "small").seats).toHaveLength(2);
});

it("gives a player only a level that it has", () => {
  const weak = reseat(draft(CATALOGUE, EDITION), CATALOGUE, 1, { player: "weak" });
  expect(weak.seats[1]?.level).toBeNull();
  expect(reseat(weak, CATALOGUE, 1, { player: "strong" }).seats[1]?.level).toBe(2);
});

it("says which number cannot be meant", () => {
  const typed = draft(CATALOGUE, EDITION);
  expect(mistake(typed, CATALOGUE)).toBeNull();
  expect(mistake({ ...typed, seed: "-1" }, CATALOGUE)).toBe("seed");
  expect(mistake({ ...typed, perMove: "0" }, CATALOGUE)).toBe("time");
  expect(mistake({ ...typed, perMove: "61" }, CATALOGUE)).toBe("time");
  expect(order({ ...typed, perMove: "1,5", seed: "7" })).toMatchObject({ per_move: 1.5, seed: 7 });
});

it("begins on a map that was sent, with as many seats as that has", () => {
  const start = { position: "my map", seats: 3 } as unknown as Start;
  const began = begin(draft(CATALOGUE, EDITION), CATALOGUE, start);
  expect(order(began)).toMatchObject({ position: "my map", options: {} });
  expect(began.seats).toHaveLength(3);
  expect(order(begin(began, CATALOGUE, null)).position).toBeNull();
});
