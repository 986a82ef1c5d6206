import { expect, it } from "vitest";
import {
  crossSign,
  crossText,
  current,
  hallView,
  hallViews,
  hasDraws,
  placeOf,
  podium,
  progress,
  ranked,
  score,
} from "../src/model/contest";
import type { Contest, Meeting } from "../src/types";

it("writes what two took of each other", () => {
  expect(crossText({ won: 4, drawn: 0, lost: 2 })).toBe("4–0–2");
  expect(crossText(null)).toBe("");
  expect(
    [{ won: 4, drawn: 0, lost: 2 }, { won: 1, drawn: 2, lost: 1 }, null].map(crossSign),
  ).toEqual([1, 0, 0]);
});

it("writes the score of a meeting, and nothing for who goes on alone", () => {
  const meeting = { won: [4, 2], played: 6, bye: false } as unknown as Meeting;
  expect(score(meeting)).toBe("4:2");
  expect(score({ ...meeting, played: 0 })).toBe("–:–");
  expect(score({ ...meeting, bye: true })).toBe("");
});

it("knows how far a contest is and where to look first", () => {
  expect(progress({ played: 30, waiting: 10, finished: false })).toBe(0.75);
  expect(progress({ played: 3, waiting: 0, finished: true })).toBe(1);
  const phases = [{ begun: true }, { begun: true }, { begun: false }];
  expect(current({ phases } as unknown as Contest)).toBe(1);
  expect(current({ phases: [{ begun: false }] } as unknown as Contest)).toBe(0);
});

it("says where a game belongs, in the words of the page", () => {
  const day = (title: string, key: string) => ({ title, meetings: [{ key }] });
  const phases = [
    { days: [day("Spieltag 1", "Liga/day 1/a – b")], bracket: [] },
    { days: [], bracket: [day("Finale", "Cup/final/a – b")] },
  ];
  const contest = { phases } as unknown as Contest;
  expect(placeOf(contest, "Liga/day 1/a – b/0")).toEqual({ day: "Spieltag 1", number: 1 });
  expect(placeOf(contest, "Cup/final/a – b/11")).toEqual({ day: "Finale", number: 12 });
  expect(placeOf(contest, "Liga/day 2/a – b/0")).toBeNull();
});

it("puts the teams of a crosstable in the order of the standings", () => {
  const row = (team: string) => ({ team, rank: 1, values: [], decided: "" });
  const phase = { teams: ["a", "b", "c"], standings: [row("c"), row("a")] };
  expect(ranked(phase)).toEqual([
    { team: "c", at: 2 },
    { team: "a", at: 0 },
    { team: "b", at: 1 },
  ]);
});

it("leaves draws out where nobody drew", () => {
  const cell = { won: 5, drawn: 0, lost: 1 };
  expect(hasDraws({ crosstable: [[null, cell]] })).toBe(false);
  expect(hasDraws({ crosstable: [[{ ...cell, drawn: 1 }]] })).toBe(true);
  expect(crossText(cell, false)).toBe("5–1");
});

it("puts the first three on the podium, and more if they share a place", () => {
  const places = [1, 2, 3, 3, 5].map((rank) => ({
    rank,
    team: `T${rank}`,
    values: [],
    decided: "",
  }));
  expect(podium({ standings: places }).map(({ rank }) => rank)).toEqual([1, 2, 3, 3]);
});

it("shows a hall the board while a game is shown, and tables in turn otherwise", () => {
  const contest = { finished: false, latest: "a~1" } as Contest;
  const phase = { bracket: [], crosstable: [[null]] } as unknown as Contest["phases"][number];
  const views = hallViews(contest, phase, null);
  expect(views).toEqual(["standings", "cross", "board"]);
  expect([0, 1, 2, 3].map((at) => hallView(views, at, null))).toEqual([...views, "standings"]);
  for (const state of ["countdown", "playing", "over"] as const)
    expect([0, 1, 2].map((at) => hallView(views, at, { state }))).toEqual(Array(3).fill("board"));
  expect(hallView(views, 2, { state: "break" })).toBe("standings");
  expect(hallViews({ ...contest, finished: true }, phase, null)[0]).toBe("podium");
});
