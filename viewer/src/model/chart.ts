/** Numbers to places: scales, round marks on them, and bars of error. */

export interface Scale {
  readonly low: number;
  readonly high: number;
  /** Value → place on the drawing. */
  readonly at: (value: number) => number;
}

export const scale = (low: number, high: number, from: number, to: number): Scale => {
  const span = high - low || 1;
  return { low, high, at: (value) => from + ((value - low) / span) * (to - from) };
};

/** Round values between two bounds, about so many. */
export const ticks = (low: number, high: number, about = 5): number[] => {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, at) =>
    Number(((first + at) * step).toFixed(6)),
  );
};

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Bounds that show every value well and most of every error; a few huge errors are cut. */
export const bounds = (bars: readonly Bar[]): [number, number] => {
  if (!bars.length) return [0, 1];
  const values = bars.map((bar) => bar.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(most - least, 1) * 0.5;
  const low = Math.max(Math.min(...bars.map((bar) => bar.low)), least - room);
  const high = Math.min(Math.max(...bars.map((bar) => bar.high)), most + room);
  return [low, high];
};

/** A line through points, as an SVG path. */
export const path = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], at) => `${at ? "L" : "M"}${round(x)} ${round(y)}`).join("");

const round = (value: number): number => Math.round(100 * value) / 100;
