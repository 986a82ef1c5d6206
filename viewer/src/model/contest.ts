/** Reading a contest: what is written in its tables. */
import type { Contest, CrossCell, Meeting } from "../types";

/** `5–0–1`, wins, draws and losses; a dash of its own where two have not met. */
export const crossText = (cell: CrossCell | null): string =>
  cell ? `${cell.won}–${cell.drawn}–${cell.lost}` : "";

/** Whether the row took more than the column: 1, 0 or -1. */
export const crossSign = (cell: CrossCell | null): number =>
  cell ? Math.sign(cell.won - cell.lost) : 0;

/** Values of criteria: whole ones as they are, averages with three digits. */
export const value = (number: number): string =>
  Number.isInteger(number) ? String(number) : number.toFixed(3);

/** `4:2`, or what stands instead. */
export const score = (meeting: Meeting): string =>
  meeting.bye ? "" : meeting.played ? meeting.won.join(":") : "–:–";

/** How much of the contest is known to be played, from 0 to 1. */
export const progress = (contest: Pick<Contest, "played" | "waiting" | "finished">): number =>
  contest.finished ? 1 : contest.played / Math.max(1, contest.played + contest.waiting);

/** The phase to look at first: the last one that has begun. */
export const current = (contest: Contest): number => {
  const begun = contest.phases.map((phase) => phase.begun);
  return Math.max(0, begun.lastIndexOf(true));
};
