import { expect, it } from "vitest";
import { isLanguage, LANGUAGES, next, preferred, TEXTS, translate } from "../src/model/i18n";

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
const english = TEXTS.get("en")!;

it.each([...LANGUAGES])("has every text in %s, with the same places to fill in", (language) => {
  const texts = TEXTS.get(language)!;
  expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
  for (const [key, text] of Object.entries(english)) {
    const said = texts[key as keyof typeof english];
    expect(said.trim(), key).not.toBe("");
    expect(holes(said), key).toEqual(holes(text));
  }
});

it("finds its languages by their files", () => {
  expect(LANGUAGES).toContain("de");
  expect(LANGUAGES).toContain("en");
  expect(isLanguage("de")).toBe(true);
  expect(isLanguage("tlh")).toBe(false);
});

it("goes round all languages with one switch", () => {
  const seen = LANGUAGES.map((_, steps) =>
    Array.from({ length: steps }).reduce<string>((at) => next(at), "en"),
  );
  expect([...seen].sort()).toEqual(LANGUAGES);
});

it("fills in what is handed over, and leaves nothing else", () => {
  expect(translate("en", "board.label", { title: "Nim" })).toBe("Board: Nim");
  expect(translate("de", "board.label", { title: "Nim" })).toBe("Brett: Nim");
});

it("takes the first language asked for that there is", () => {
  expect(preferred(["fr-FR", "de-CH", "en"])).toBe("de");
  expect(preferred(["fr"])).toBe("en");
});
