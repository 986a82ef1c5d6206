/** The texts in the tables of a contest. */
import type { Contest, CrossCell, Meeting, Phase, Stage } from "../types";

/** `5–0–1`, wins, draws and losses; a dash of its own where two have not met. */
export const crossText = (cell: CrossCell | null, draws = true): string =>
  !cell ? "" : draws ? `${cell.won}–${cell.drawn}–${cell.lost}` : `${cell.won}–${cell.lost}`;

/** Whether anybody drew: if not, wins and losses are enough. */
export const hasDraws = (phase: Pick<Phase, "crosstable">): boolean =>
  phase.crosstable.some((row) => row.some((cell) => (cell?.drawn ?? 0) > 0));

/** Whether the row took more than the column: 1, 0 or -1. */
export const crossSign = (cell: CrossCell | null): number =>
  cell ? Math.sign(cell.won - cell.lost) : 0;

/** The teams in the order of the standings, those without a place last, with their numbers in the crosstable. */
export const ranked = (phase: Pick<Phase, "teams" | "standings">): readonly Placed[] => {
  const places = new Map(phase.standings.map(({ team }, place) => [team, place]));
  const last = phase.standings.length;
  return phase.teams
    .map((team, at) => ({ team, at }))
    .sort((one, other) => (places.get(one.team) ?? last) - (places.get(other.team) ?? last));
};

export interface Placed {
  readonly team: string;
  /** Its row and column in the crosstable. */
  readonly at: number;
}

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

/** Where a game belongs: its match day or round, and its number in the meeting, from 1. */
export const placeOf = (
  contest: Pick<Contest, "phases">,
  key: string,
): { readonly day: string; readonly number: number } | null => {
  const cut = key.lastIndexOf("/");
  const days = contest.phases.flatMap((phase) => [...phase.days, ...phase.bracket]);
  const day = days.find(({ meetings }) => meetings.some((each) => each.key === key.slice(0, cut)));
  return day ? { day: day.title, number: Number(key.slice(cut + 1)) + 1 } : null;
};

/** The first three places, the best first; more teams if they share one. */
export const podium = (phase: Pick<Phase, "standings">): Phase["standings"] =>
  phase.standings.filter(({ rank }) => rank <= 3);

/** Whether a game is being shown that nothing else may cover. */
export const isShowing = (stage: Pick<Stage, "state"> | null): boolean =>
  stage !== null && ["countdown", "playing", "over"].includes(stage.state);

export type HallView = "podium" | "bracket" | "standings" | "cross" | "board";

/** What a hall is shown in turn. */
export const hallViews = (
  contest: Pick<Contest, "finished" | "latest">,
  phase: Pick<Phase, "bracket" | "crosstable">,
  stage: Pick<Stage, "state" | "game"> | null,
): readonly HallView[] => {
  const views: HallView[] = contest.finished ? ["podium"] : [];
  if (phase.bracket.length) views.push("bracket");
  views.push("standings");
  if (phase.crosstable.length) views.push("cross");
  if (stage?.game ?? contest.latest) views.push("board");
  return views;
};

/** Which of them is to be seen: a game that is shown covers all else, in a break tables do. */
export const hallView = (
  views: readonly HallView[],
  at: number,
  stage: Pick<Stage, "state"> | null,
): HallView => {
  const turn = views[at % views.length]!;
  if (isShowing(stage)) return "board";
  return stage?.state === "break" && turn === "board" ? views[0]! : turn;
};
