/** The text of a ruling, with its arguments. */
import type { Key, Values } from "./i18n";
import type { RulingView } from "../types";

export function rulingWords(ruling: RulingView): [Key, Values] {
  const { about, games, day } = ruling;
  const team = ruling.team ?? "";
  switch (ruling.action) {
    case "annul":
      return ["rulings.annulled", { about, games }];
    case "replay":
      return ["rulings.replayed", { about, games }];
    case "decide":
      return ruling.winner === null
        ? ["rulings.drawn", { about, games }]
        : ["rulings.decided", { about, games, team: ruling.winner }];
    case "withdraw":
      return games
        ? ["rulings.withdrew-annulled", { team, games }]
        : ["rulings.withdrew", { team }];
    case "enter":
      return ["rulings.entered", { team, day }];
  }
}
