/** The choices of the reader: language, colours, size. They are kept in this browser. */
import {
  isLanguage,
  preferred,
  translate,
  type Key,
  type Language,
  type Values,
} from "./model/i18n";
import { SPEEDS } from "./model/playback";

export type Theme = "auto" | "light" | "dark";

class Choices {
  language = $state<Language>(storedLanguage());
  theme = $state<Theme>(storedTheme());
  big = $state(stored("big") === "yes");
  /** How fast turns follow each other, as a multiple of the usual pace. */
  speed = $state(storedSpeed());
  sound = $state(stored("sound") === "yes");
}

export const choices = new Choices();

/** A text in the chosen language. */
export const t = (key: Key, values?: Values): string => translate(choices.language, key, values);

/** The reader's own variant of the chosen language, for dates and numbers: `en-GB`, not just `en`. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.startsWith(choices.language)) ?? choices.language;

/** A number with so many places, as the reader writes it. */
export const decimal = (value: number, places: number): string =>
  new Intl.NumberFormat(locale(), {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(value);

/** Write the choices where the style sheet, screen readers and the next visit find them. */
export const applyChoices = (): void => {
  const root = document.documentElement;
  root.lang = choices.language;
  root.dataset["theme"] = choices.theme;
  root.dataset["big"] = choices.big ? "yes" : "no";
  const { language, theme } = choices;
  const big = choices.big ? "yes" : "no";
  const sound = choices.sound ? "yes" : "no";
  const speed = String(choices.speed);
  for (const [name, value] of Object.entries({ language, theme, big, sound, speed })) {
    keep(name, value);
  }
};

function storedLanguage(): Language {
  const kept = stored("language") ?? "";
  return isLanguage(kept) ? kept : preferred(navigator.languages);
}

function storedSpeed(): number {
  const kept = Number(stored("speed"));
  return SPEEDS.includes(kept) ? kept : 1;
}

function storedTheme(): Theme {
  const kept = stored("theme");
  return kept === "light" || kept === "dark" ? kept : "auto";
}

// A browser may forbid storage; then the choice lasts as long as the page.
function stored(name: string): string | null {
  try {
    return localStorage.getItem(`spielleiter.${name}`);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`spielleiter.${name}`, value);
  } catch {
    return;
  }
}
