/** One file of texts per language in `texts/`; a text may hold `{names}` that are filled in. */
import type { Texts } from "./texts/en";

/** The code of a language that has a file, such as `de`. */
export type Language = string;
export type Key = keyof Texts;
export type Values = Readonly<Record<string, string | number>>;

const files = import.meta.glob<Texts>("./texts/*.ts", { eager: true, import: "texts" });
const ENGLISH = "en";

export const TEXTS: ReadonlyMap<Language, Texts> = new Map(
  Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.ts$/g, ""), texts]),
);
export const LANGUAGES: readonly Language[] = [...TEXTS.keys()].sort();

export const translate = (language: Language, key: Key, values: Values = {}): string =>
  (TEXTS.get(language) ?? TEXTS.get(ENGLISH)!)[key].replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  );

/** The first language asked for that we have; else English. */
export const preferred = (asked: readonly string[]): Language =>
  asked.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? ENGLISH;

/** The language after this one: a switch goes round all of them. */
export const next = (language: Language): Language =>
  LANGUAGES[(LANGUAGES.indexOf(language) + 1) % LANGUAGES.length]!;

export const isLanguage = (text: string): boolean => TEXTS.has(text);
