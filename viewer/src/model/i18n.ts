/** One table of texts per language; a text may hold `{names}` that are filled in. */
import { de } from "./texts/de";
import { en } from "./texts/en";

export type Language = "de" | "en";
export type Key = keyof typeof en;
export type Values = Readonly<Record<string, string | number>>;

export const LANGUAGES: readonly Language[] = ["de", "en"];
const TEXTS: Readonly<Record<Language, Readonly<Record<Key, string>>>> = { de, en };

export const translate = (language: Language, key: Key, values: Values = {}): string =>
  TEXTS[language][key].replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  );

/** The first language asked for that we have; else English. */
export const preferred = (asked: readonly string[]): Language =>
  asked.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";

export const isLanguage = (text: string): text is Language =>
  (LANGUAGES as readonly string[]).includes(text);
