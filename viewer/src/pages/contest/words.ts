/** What a contest calls things, in the reader's language. */
import { t } from "../../language.svelte";
import type { Key } from "../../model/i18n";

const PLAIN: Readonly<Record<string, Key>> = {
  "encounter points": "criterion.encounter-points",
  "games won": "criterion.games-won",
  "win points": "criterion.win-points",
  "average score": "criterion.average",
  "rank points": "criterion.rank-points",
  lot: "criterion.lot",
  bye: "meeting.bye",
  final: "round.final",
  "semi-final": "round.semi",
  "quarter-final": "round.quarter",
  "third place": "round.third",
  late: "failure.late",
  silent: "failure.silent",
  illegal: "failure.illegal",
  "out of turn": "failure.out-of-turn",
  unrequested: "failure.unrequested",
  "not connected": "failure.absent",
  crashed: "failure.crashed",
  "no move": "failure.no-move",
  "all encounters": "day.all",
  "all tables": "day.tables",
};

/** Patterns with one place to fill in; the rest stays as the contest's file has it. */
const FILLED: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^day (\d+)$/, (number) => t("day.number", { number })],
  [/^round (\d+)$/, (number) => t("day.round", { number })],
  [/^round of (\d+)$/, (number) => t("round.of", { number })],
  [/^group (.+)$/, (name) => t("phase.group", { name })],
  [/^won (.+)$/, (how) => t("decided.won", { how: tie(how) })],
  [/^lost (.+)$/, (how) => t("decided.lost", { how: tie(how) })],
];

export const said = (text: string): string => {
  const key = PLAIN[text];
  if (key) return t(key);
  for (const [pattern, fill] of FILLED) {
    const found = pattern.exec(text);
    if (found) return fill(found[1]!);
  }
  return text;
};

/** `quarter-final 4:2` or `final 5:1 (lot)`. */
const tie = (text: string): string => {
  const found = /^(.+) (\d+:\d+)( \(lot\))?$/.exec(text);
  if (!found) return text;
  return `${said(found[1]!)} ${found[2]}${found[3] ? ` (${t("criterion.lot")})` : ""}`;
};
