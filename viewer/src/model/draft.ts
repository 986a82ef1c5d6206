/** The form of a new game, and the order made from it. */
import type {
  Authority,
  Edition,
  GameOrder,
  Player,
  SeatKind,
  SeatOrder,
  GameCatalogue,
  Start,
} from "../types";

export interface DraftSeat {
  readonly kind: SeatKind;
  readonly player: string;
  readonly level: number | null;
  readonly name: string;
}

export interface Draft {
  readonly edition: string;
  readonly authority: Authority;
  readonly options: Readonly<Record<string, string>>;
  /** A start that was sent, in place of the options. */
  readonly start: Start | null;
  readonly seats: readonly DraftSeat[];
  /** As typed; empty is by lot. */
  readonly seed: string;
  /** Seconds, as typed; empty is without limit. */
  readonly perMove: string;
  readonly paused: boolean;
  /** Seconds that built-in players wait before they move, so that people can follow. */
  readonly delay: number;
}

export const DELAYS: readonly number[] = [0, 0.4, 1, 3];

/** A person against a built-in player, with everything else as usual. */
export const draft = (catalogue: GameCatalogue, edition: Edition): Draft => ({
  edition: edition.name,
  authority: "document",
  options: Object.fromEntries(edition.options.map((option) => [option.name, option.default])),
  start: null,
  seats: seated(catalogue, edition, [], seatCount(edition, {})),
  seed: "",
  perMove: "",
  paused: false,
  delay: DELAYS[1]!,
});

/** How many play: some options, such as a map, decide that. */
export const seatCount = (edition: Edition, options: Draft["options"]): number => {
  if (edition.seats_by === null) return edition.min_seats;
  const option = edition.options.find(({ name }) => name === edition.seats_by);
  const value = options[edition.seats_by] ?? option?.default ?? "";
  return edition.seats[value] ?? edition.min_seats;
};

/** The draft with an option chosen, and as many seats as that asks for. */
export const choose = (
  was: Draft,
  catalogue: GameCatalogue,
  name: string,
  value: string,
): Draft => {
  const edition = editionOf(catalogue, was);
  const options = { ...was.options, [name]: value };
  const seats = seated(catalogue, edition, was.seats, seatCount(edition, options));
  return { ...was, options, start: null, seats };
};

/** The draft with a start of one's own, or with the options again. */
export const begin = (was: Draft, catalogue: GameCatalogue, start: Start | null): Draft => {
  const edition = editionOf(catalogue, was);
  const count = start?.seats ?? seatCount(edition, was.options);
  return { ...was, start, seats: seated(catalogue, edition, was.seats, count) };
};

/** The draft with a seat changed; a player comes with a level that it has. */
export const reseat = (
  was: Draft,
  catalogue: GameCatalogue,
  at: number,
  news: Partial<DraftSeat>,
): Draft => {
  const seats = was.seats.map((seat, number) =>
    number === at ? levelled(catalogue, { ...seat, ...news }) : seat,
  );
  return { ...was, seats };
};

export const editionOf = (catalogue: GameCatalogue, { edition }: Pick<Draft, "edition">): Edition =>
  catalogue.editions.find(({ name }) => name === edition) ?? catalogue.editions[0]!;

/** Who may sit on a seat: programs only where a protocol is known. */
export const kinds = ({ speaks }: Edition): readonly SeatKind[] =>
  speaks ? ["person", "built-in", "external"] : ["person", "built-in"];

export const playerOf = (catalogue: GameCatalogue, name: string): Player | undefined =>
  catalogue.players.find((player) => player.name === name);

/** What is wrong with what was typed; null if nothing is. */
export const mistake = (was: Draft, catalogue: GameCatalogue): "seed" | "time" | null => {
  const seed = was.seed.trim();
  if (seed && !(/^\d{1,16}$/.test(seed) && Number.isSafeInteger(Number(seed)))) return "seed";
  const time = was.perMove.trim();
  return time && !(seconds(time) > 0 && seconds(time) <= catalogue.limits.per_move) ? "time" : null;
};

export const order = (was: Draft): GameOrder => ({
  edition: was.edition,
  authority: was.authority,
  options: was.start ? {} : was.options,
  position: was.start?.position ?? null,
  seed: was.seed.trim() ? Number(was.seed) : null,
  seats: was.seats.map(seatOrder),
  per_move: was.perMove.trim() ? seconds(was.perMove) : null,
  paused: was.paused,
  delay: was.delay,
});

/** A decimal comma is fine. */
const seconds = (text: string): number => Number(text.trim().replace(",", "."));

const seatOrder = ({ kind, player, level, name }: DraftSeat): SeatOrder => ({
  kind,
  player: kind === "built-in" ? player : null,
  level: kind === "built-in" ? level : null,
  name: name.trim() || null,
});

const seated = (
  catalogue: GameCatalogue,
  edition: Edition,
  was: readonly DraftSeat[],
  count: number,
) => Array.from({ length: count }, (_, at) => was[at] ?? usual(catalogue, edition, at));

const usual = (catalogue: GameCatalogue, edition: Edition, at: number): DraftSeat => {
  const player = edition.players[Math.min(1, edition.players.length - 1)] ?? "";
  const kind = at === 0 ? "person" : "built-in";
  return levelled(catalogue, { kind, player, level: null, name: "" });
};

const levelled = (catalogue: GameCatalogue, seat: DraftSeat): DraftSeat => {
  const levels = playerOf(catalogue, seat.player)?.levels ?? [];
  const known = seat.level !== null && levels.includes(seat.level);
  return known ? seat : { ...seat, level: levels[Math.floor(levels.length / 2)] ?? null };
};
