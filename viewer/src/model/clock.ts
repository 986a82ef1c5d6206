/** What is left on the clocks, now. */
import type { Clocks } from "../types";

/** How far the server's clock is ahead of ours, as of the moment its words arrived. */
export const ahead = (clocks: Clocks, heard: number): number => clocks.now - heard;

/** Seconds a seat has left at a time of the server's clock; null is without limit. */
export const left = (clocks: Clocks, seat: number, now: number): number | null => {
  const granted = clocks.left[seat] ?? null;
  if (granted === null) return null;
  const running = clocks.running === seat && clocks.since !== null;
  return Math.max(0, granted - (running ? Math.max(0, now - clocks.since!) : 0));
};

/** Seconds that the referee still waits for an answer that is too late already; null: it is not. */
export const overdue = (clocks: Clocks, seat: number, now: number): number | null => {
  const spent = thinking(clocks, seat, now);
  const granted = clocks.left[seat] ?? null;
  if (spent === null || granted === null || spent <= granted || !clocks.grace) return null;
  return Math.max(0, granted + clocks.grace - spent);
};

/** Seconds a seat has been thinking about the present move; null while it is not its turn. */
export const thinking = (clocks: Clocks, seat: number, now: number): number | null =>
  clocks.running === seat && clocks.since !== null ? Math.max(0, now - clocks.since) : null;

/** `1:05`, and with tenths below ten seconds: `0:07.3`. */
export const shown = (seconds: number): string => {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  const whole = Math.floor(tenths / 10);
  const clock = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  return seconds < 10 ? `${clock}.${tenths % 10}` : clock;
};

/** So many digits a short span is told with: `0.04`, `1.2`, `83`. */
export const digits = (seconds: number): number => (seconds < 0.095 ? 2 : seconds < 10 ? 1 : 0);
