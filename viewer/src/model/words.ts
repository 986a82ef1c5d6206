/** Short texts about a game. */
import type { GameSummary, Look, Turn } from "../types";
import { colour } from "./colours";

/** The colours that a seat plays with. */
export const seatColours = (look: Look, seat: number): readonly string[] =>
  (look.seats[seat] ?? []).map((name) => colour(look, name));

/** Who sits on a seat, by name, or how the seat is called. */
export const seatName = (summary: GameSummary, seat: number): string =>
  summary.names[seat] || summary.seat_names[seat] || String(seat + 1);

/** A turn in a few words, to be read aloud. */
export const told = (summary: GameSummary, turn: Spoken): string => {
  const said = turn.gesture?.label || (turn.move ?? turn.note ?? "–");
  return `${summary.seat_names[turn.seat] ?? turn.seat + 1}: ${said}`;
};
type Spoken = Pick<Turn, "seat" | "move" | "note" | "gesture">;

/** A moment, in the reader's time and language. */
export const when = (seconds: number, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "short" }).format(
    new Date(1000 * seconds),
  );

/** A list with news put before it; what is in both stands where it is new. */
export const newer = (
  news: readonly GameSummary[],
  list: readonly GameSummary[],
): readonly GameSummary[] => {
  const known = new Set(news.map(({ id }) => id));
  return [...news, ...list.filter(({ id }) => !known.has(id))];
};

/** A text that begins a line or stands on a button. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
