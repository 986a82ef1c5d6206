/** Colours of a scene: names to numbers, mixing, and what can be read on what. */
import type { Look, Mark, Scene } from "../types";

/** Names every scene can use (told apart with any colour vision); the game's own come first. */
export const PALETTE: Readonly<Record<string, string>> = {
  red: "#d55e00",
  blue: "#0072b2",
  green: "#009e73",
  yellow: "#f0e442",
  orange: "#e69f00",
  sky: "#56b4e9",
  purple: "#cc79a7",
  black: "#23272b",
  white: "#ffffff",
  plain: "#7b8794",
  board: "#eef2f5",
  "board-alt": "#e2e8ed",
  line: "#b8c4ce",
  last: "#e69f00",
  legal: "#009e73",
  hint: "#cc79a7",
};

export const colour = (look: Look, name: string): string =>
  look.palette[name] ?? PALETTE[name] ?? PALETTE["plain"]!;

/** A mark without a colour, or round a thing of the same colour, takes the one of its kind. */
export const markColour = (look: Look, scene: Scene, mark: Mark): string => {
  const cells = new Set(mark.cells.map(String));
  const covered = scene.tokens.some(
    (token) => token.colour === mark.colour && token.cells.some((cell) => cells.has(String(cell))),
  );
  const lost = mark.kind !== "group" && covered;
  return colour(look, lost || mark.colour === "plain" ? mark.kind : mark.colour);
};

const parts = (hex: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** `share` of the other colour in the first. */
export const mix = (one: string, other: string, share: number): string => {
  const others = parts(other);
  const mixed = parts(one).map((part, at) => Math.round(part + (others[at]! - part) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
};

/** How bright a colour looks, 0 … 1 (WCAG 2). */
export const luminance = (hex: string): number => {
  const linear = (part: number) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const [red, green, blue] = parts(hex).map((part) => linear(part / 255));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
};

/** How well one is read on the other, 1 … 21 (WCAG 2). */
export const contrast = (one: string, other: string): number => {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright! + 0.05) / (dark! + 0.05);
};

/** Near-black or white, whichever is read better. */
export const readableOn = (hex: string): string =>
  contrast("#14181c", hex) >= contrast("#ffffff", hex) ? "#14181c" : "#ffffff";

/** A number that tells the owners of tokens apart without colour: which pattern they wear. */
export const pattern = (look: Look, name: string): number => {
  const names = Object.keys(look.palette);
  const at = names.indexOf(name);
  return (at < 0 ? Object.keys(PALETTE).indexOf(name) + 1 : at) % 4;
};
