/** Games that begin with one click: seats, with defaults for everything else. */
import type { Edition, GameOrder, SeatOrder } from "../types";

/** Whom a person plays: a built-in player of some strength, or somebody else. */
export type Opponent = "easy" | "medium" | "strong" | "friend";
export const OPPONENTS: readonly Opponent[] = ["easy", "medium", "strong", "friend"];

const LEVELS: Readonly<Record<Exclude<Opponent, "friend">, number>> = {
  easy: 2,
  medium: 4,
  strong: 8,
};
const PERSON: SeatOrder = seat("person");
const PROGRAM: SeatOrder = seat("external");

/** A person against the chosen opponent. */
export const play = (edition: Edition, against: Opponent): GameOrder => {
  const other = against === "friend" ? PERSON : computer(edition, LEVELS[against]);
  return order(edition, [PERSON, other]);
};

/** Two built-in players, slow enough to be followed. */
export const watch = (edition: Edition): GameOrder => ({
  ...order(edition, [computer(edition, LEVELS.medium), computer(edition, LEVELS.easy)]),
  delay: 1,
});

/** Somebody's own program against a built-in player. */
export const ownProgram = (edition: Edition): GameOrder =>
  order(edition, [PROGRAM, computer(edition, LEVELS.easy)]);

function seat(kind: SeatOrder["kind"], player: string | null = null, level: number | null = null) {
  return { kind, player, level, name: null };
}

const computer = (edition: Edition, level: number): SeatOrder => {
  const best = edition.players.includes("best");
  return best ? seat("built-in", "best", level) : seat("built-in", edition.players.at(-1) ?? "");
};

const order = (edition: Edition, seats: readonly SeatOrder[]): GameOrder => ({
  edition: edition.name,
  authority: "document",
  seed: null,
  options: {},
  seats,
  per_move: null,
  paused: false,
  delay: 0.4,
  position: null,
  start: null,
});
