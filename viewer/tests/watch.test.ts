import { expect, it } from "vitest";
import { begin, hear, isOver, sceneAt, wanted, withScenes, type Watch } from "../src/model/watch";
import type { Clocks, GameDetail, GameSummary, Scene, Turn } from "../src/types";

const scene = (title: string): Scene => ({
  grid: { columns: 1, rows: 1, upwards: false, column_labels: [], row_labels: [] },
  tokens: [],
  marks: [],
  trays: [],
  holes: [],
  status: [],
  title,
});
const CLOCKS: Clocks = {
  kind: "per move",
  per_move: null,
  left: [null],
  grace: 0,
  running: 0,
  since: 5,
  now: 7,
};
const SUMMARY: GameSummary = {
  id: "1",
  edition: "any",
  title: "Any",
  authority: "document",
  names: ["a", "b"],
  seat_names: ["one", "two"],
  kinds: ["person", "built-in"],
  present: [true, true],
  state: "waiting",
  paused: false,
  turn: 0,
  ply: 0,
  to_move: null,
  created: 0,
  ended: null,
  result: null,
  source: "arena",
};
const DETAIL: GameDetail = {
  summary: SUMMARY,
  turns: [],
  scene: scene("start"),
  look: { palette: {}, glyphs: {}, seats: [] },
  clocks: CLOCKS,
  event: 3,
  position: "p0",
  speaks: null,
  downloads: [],
};
const turn = (number: number): Turn => ({
  turn: number,
  ply: number,
  seat: 0,
  move: `m${number}`,
  spent: 0.1,
  hints: [],
  at: 0,
  receipt: null,
  note: null,
  gesture: null,
});
const moved = (watch: Watch, number: number): Watch =>
  hear(
    watch,
    {
      kind: "move",
      turn: turn(number),
      scene: scene(`after ${number}`),
      clocks: CLOCKS,
      position: "p",
    },
    9,
  );

it("grows by moves, and does not mind hearing one twice", () => {
  const once = moved(begin(DETAIL, 1), 1);
  const twice = moved(once, 1);
  expect(twice.turns.map(({ move }) => move)).toEqual(["m1"]);
  expect(sceneAt(twice, 1).title).toBe("after 1");
  expect(twice.summary).toMatchObject({ turn: 1, state: "running" });
});

it("hears who sits, who is to move and when the game is held", () => {
  let watch = hear(
    begin(DETAIL, 1),
    { kind: "seated", present: [true, false], state: "waiting" },
    1,
  );
  expect(watch.summary.present).toEqual([true, false]);
  watch = hear(watch, { kind: "turn", seat: 1, ply: 0, clocks: CLOCKS }, 2);
  expect(watch.summary.to_move).toBe(1);
  expect(watch.ahead).toBe(5);
  expect(hear(watch, { kind: "pause", paused: true }, 3).summary.paused).toBe(true);
});

it("keeps the scenes it knows when all is told again", () => {
  const watch = moved(begin(DETAIL, 1), 1);
  const told = { ...DETAIL, summary: { ...SUMMARY, turn: 5 }, scene: scene("after 5") };
  const after = hear(watch, { kind: "snapshot", game: told }, 2);
  expect([...after.scenes.keys()].sort()).toEqual([0, 1, 5]);
});

it("asks for scenes round the turn that is looked at, and shows the nearest meanwhile", () => {
  const watch = begin({ ...DETAIL, summary: { ...SUMMARY, turn: 100 } }, 1);
  expect(wanted(watch, 100)).toBeNull();
  expect(wanted(watch, 10)).toEqual([0, 40]);
  expect(wanted(watch, 90)).toEqual([60, 100]);
  const more = withScenes(watch, 10, [scene("ten")]);
  expect(sceneAt(more, 12).title).toBe("ten");
});

it("is over when that is said", () => {
  const summary: GameSummary = { ...SUMMARY, state: "finished", turn: 1 };
  const watch = hear(
    begin(DETAIL, 1),
    { kind: "end", summary, scene: scene("last"), downloads: ["picture.svg"] },
    2,
  );
  expect(isOver(watch)).toBe(true);
  expect(watch.clocks.running).toBeNull();
  expect(sceneAt(watch, 1).title).toBe("last");
});

it("takes a seat that was put out as a turn of its own, and a lesser fault as none", () => {
  const fault = { kind: "late" as const, detail: "", explanation: "too late", move: "" };
  const base = { kind: "violation" as const, seat: 1, fault, position: null };
  const watch = begin(DETAIL, 1);
  expect(hear(watch, { ...base, turn: null, scene: null }, 2)).toBe(watch);
  const out = { ...turn(1), move: null, note: "two is out" };
  expect(hear(watch, { ...base, turn: out, scene: scene("out") }, 2).turns).toEqual([out]);
});
