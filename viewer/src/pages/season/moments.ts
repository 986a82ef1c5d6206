/** Moments as people read them, and as a field of a form holds them. */
import { locale } from "../../language.svelte";

export const moment = (at: number): string =>
  new Date(at * 1000).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });

/** Local time, as an input of the type `datetime-local` wants it; nothing for no moment. */
export const field = (at: number | null | undefined): string => {
  if (at === null || at === undefined) return "";
  const local = new Date(at * 1000 - new Date(at * 1000).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
};

export const read = (text: string): number | null =>
  text ? new Date(text).getTime() / 1000 : null;
