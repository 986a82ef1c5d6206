import { expect, it } from "vitest";
import { ownProgram, play, watch } from "../src/model/quick";
import type { Edition } from "../src/types";

const EDITION: Edition = {
  name: "any",
  title: "Any",
  seat_names: ["one", "other"],
  min_seats: 2,
  max_seats: 2,
  options: [],
  seats_by: null,
  seats: {},
  authorities: ["document", "server"],
  speaks: "xml",
  players: ["random", "best"],
  own_maps: false,
};
const kinds = (order: { seats: readonly { kind: string }[] }) =>
  order.seats.map(({ kind }) => kind);

it("seats a person against a computer that is the stronger the more one asks", () => {
  expect(kinds(play(EDITION, "easy"))).toEqual(["person", "built-in"]);
  const levels = (["easy", "medium", "strong"] as const).map(
    (against) => play(EDITION, against).seats[1]!.level!,
  );
  expect(levels).toEqual([...levels].sort((a, b) => a - b));
  expect(new Set(levels).size).toBe(3);
});

it("leaves the other seat to a friend", () => {
  expect(kinds(play(EDITION, "friend"))).toEqual(["person", "person"]);
});

it("lets two computers play slowly, and a program against a computer", () => {
  expect(kinds(watch(EDITION))).toEqual(["built-in", "built-in"]);
  expect(watch(EDITION).delay).toBeGreaterThanOrEqual(1);
  expect(kinds(ownProgram(EDITION))).toEqual(["external", "built-in"]);
});

it("takes another player where there is none of many strengths", () => {
  const plain = { ...EDITION, players: ["random"] };
  expect(play(plain, "strong").seats[1]).toMatchObject({ player: "random", level: null });
});
