/** The names of criteria and failures, in the reader's language; everything else comes translated. */
import { t } from "../../language.svelte";
import type { Key } from "../../model/i18n";

const NAMES: Readonly<Record<string, Key>> = {
  "encounter points": "criterion.encounter-points",
  "games won": "criterion.games-won",
  "win points": "criterion.win-points",
  "average score": "criterion.average",
  "rank points": "criterion.rank-points",
  lot: "criterion.lot",
  late: "failure.late",
  silent: "failure.silent",
  illegal: "failure.illegal",
  "out of turn": "failure.out-of-turn",
  unrequested: "failure.unrequested",
  "not connected": "failure.absent",
  crashed: "failure.crashed",
  "no move": "failure.no-move",
};

export const said = (name: string): string => {
  const key = NAMES[name];
  return key ? t(key) : name;
};

/** How many games were played. */
export const playedText = (played: number): string =>
  played === 1 ? t("contest.played-one") : t("contest.played", { played });
