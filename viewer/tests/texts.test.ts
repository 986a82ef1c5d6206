import { expect, it } from "vitest";
import { preferred, translate } from "../src/model/i18n";
import { de } from "../src/model/texts/de";
import { en } from "../src/model/texts/en";

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

it("has every text in both languages, with the same places to fill in", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const [key, text] of Object.entries(en)) {
    const german = de[key as keyof typeof en];
    expect(german.trim(), key).not.toBe("");
    expect(holes(german), key).toEqual(holes(text));
  }
});

it("fills in what is handed over, and leaves nothing else", () => {
  expect(translate("en", "board.label", { title: "Nim" })).toBe("Board: Nim");
  expect(translate("de", "board.label", { title: "Nim" })).toBe("Brett: Nim");
});

it("takes the first language asked for that there is", () => {
  expect(preferred(["fr-FR", "de-CH", "en"])).toBe("de");
  expect(preferred(["fr"])).toBe("en");
});
