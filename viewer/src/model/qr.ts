/**
 * QR codes (ISO/IEC 18004): a text as dark and light modules, so that a phone opens a link.
 *
 * Bytes, error correction level L, versions 1 to 10: up to 271 bytes, far more than a link needs.
 */

/** Rows of modules; true is dark. */
export type Modules = readonly (readonly boolean[])[];

interface Version {
  readonly number: number;
  /** Error correction codewords of each block. */
  readonly correction: number;
  /** Data codewords of each block. */
  readonly blocks: readonly number[];
  /** Centres of the alignment patterns, across and along. */
  readonly alignment: readonly number[];
}

const VERSIONS: readonly Version[] = [
  { number: 1, correction: 7, blocks: [19], alignment: [] },
  { number: 2, correction: 10, blocks: [34], alignment: [6, 18] },
  { number: 3, correction: 15, blocks: [55], alignment: [6, 22] },
  { number: 4, correction: 20, blocks: [80], alignment: [6, 26] },
  { number: 5, correction: 26, blocks: [108], alignment: [6, 30] },
  { number: 6, correction: 18, blocks: [68, 68], alignment: [6, 34] },
  { number: 7, correction: 20, blocks: [78, 78], alignment: [6, 22, 38] },
  { number: 8, correction: 24, blocks: [97, 97], alignment: [6, 24, 42] },
  { number: 9, correction: 30, blocks: [116, 116], alignment: [6, 26, 46] },
  { number: 10, correction: 18, blocks: [68, 68, 69, 69], alignment: [6, 28, 50] },
];
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];
const LEVEL_L = 1;

/** The code of a text; null if it is too long. */
export const qr = (text: string): Modules | null => {
  const bytes = new TextEncoder().encode(text);
  const version = VERSIONS.find((each) => bytes.length <= capacity(each));
  if (!version) return null;
  const codewords = interleaved(version, data(version, bytes));
  const drawn = MASKS.map((_, mask) => draw(version, codewords, mask));
  return drawn.reduce((best, each) => (penalty(each) < penalty(best) ? each : best));
};

const total = ({ blocks }: Version): number => blocks.reduce((sum, each) => sum + each, 0);
const countBits = ({ number }: Version): number => (number < 10 ? 8 : 16);
const capacity = (version: Version): number =>
  total(version) - Math.ceil((4 + countBits(version)) / 8);

// -------------------------------------------------------------------------------------- codewords

/** Mode, length, bytes, end, and padding up to the last codeword. */
const data = (version: Version, bytes: Uint8Array): number[] => {
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let at = length - 1; at >= 0; at--) bits.push((value >> at) & 1);
  };
  put(4, 4);
  put(bytes.length, countBits(version));
  bytes.forEach((byte) => put(byte, 8));
  const room = 8 * total(version);
  put(0, Math.min(4, room - bits.length));
  while (bits.length % 8) bits.push(0);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: room / 8 }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((value, bit) => 2 * value + bit, 0),
  );
};

/** The blocks with their correction, codeword by codeword in turn. */
const interleaved = (version: Version, codewords: readonly number[]): number[] => {
  let at = 0;
  const blocks = version.blocks.map((length) => codewords.slice(at, (at += length)));
  const corrections = blocks.map((block) => correction(block, version.correction));
  return [...turns(blocks), ...turns(corrections)];
};

const turns = (blocks: readonly (readonly number[])[]): number[] =>
  Array.from({ length: Math.max(...blocks.map((block) => block.length)) }, (_, at) =>
    blocks.flatMap((block) => (at < block.length ? [block[at]!] : [])),
  ).flat();

/** The remainder of Reed and Solomon's division in the field of 256 elements. */
const correction = (block: readonly number[], length: number): number[] => {
  const divisor = generator(length);
  const rest: number[] = Array.from({ length }, () => 0);
  for (const codeword of block) {
    const factor = codeword ^ rest.shift()!;
    rest.push(0);
    divisor.forEach((each, at) => (rest[at]! ^= times(each, factor)));
  }
  return rest;
};

const generator = (length: number): number[] => {
  let found: number[] = [...Array.from({ length: length - 1 }, () => 0), 1];
  for (let root = 1, at = 0; at < length; at++, root = times(root, 2)) {
    found = found.map((each, place) => times(each, root) ^ (found[place + 1] ?? 0));
  }
  return found;
};

const times = (one: number, other: number): number => {
  let product = 0;
  for (let at = 7; at >= 0; at--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((other >>> at) & 1) * one;
  }
  return product;
};

// ---------------------------------------------------------------------------------------- drawing

const draw = (version: Version, codewords: readonly number[], mask: number): boolean[][] => {
  const side = 17 + 4 * version.number;
  const modules = Array.from({ length: side }, () => Array.from({ length: side }, () => false));
  const fixed = Array.from({ length: side }, () => Array.from({ length: side }, () => false));
  const set = (x: number, y: number, dark: boolean) => {
    modules[y]![x] = dark;
    fixed[y]![x] = true;
  };
  drawPatterns(version, side, set);
  drawFormat(mask, side, set);
  if (version.number >= 7) drawVersion(version.number, side, set);
  fill(modules, fixed, codewords, MASKS[mask]!);
  return modules;
};

type Set = (x: number, y: number, dark: boolean) => void;

const drawPatterns = ({ alignment }: Version, side: number, set: Set): void => {
  for (let at = 0; at < side; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [side - 4, 3],
    [3, side - 4],
  ] as const)
    drawSquare(x, y, 4, side, set);
  const last = alignment.length - 1;
  for (const [i, x] of alignment.entries())
    for (const [j, y] of alignment.entries()) {
      const corner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!corner) drawSquare(x, y, 2, side, set);
    }
};

/** Rings round a centre: dark and light in turn; the outermost of a finder is light. */
const drawSquare = (x: number, y: number, reach: number, side: number, set: Set): void => {
  for (let down = -reach; down <= reach; down++)
    for (let across = -reach; across <= reach; across++) {
      const [column, row] = [x + across, y + down];
      if (column < 0 || row < 0 || column >= side || row >= side) continue;
      const ring = Math.max(Math.abs(across), Math.abs(down));
      set(column, row, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
    }
};

const drawFormat = (mask: number, side: number, set: Set): void => {
  const value = (LEVEL_L << 3) | mask;
  const bits = ((value << 10) | remainder(value, 10, 0x537)) ^ 0x5412;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at < 6; at++) set(8, at, bit(at));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let at = 9; at < 15; at++) set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at++) set(side - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at++) set(8, side - 15 + at, bit(at));
  set(8, side - 8, true);
};

const drawVersion = (number: number, side: number, set: Set): void => {
  const bits = (number << 12) | remainder(number, 12, 0x1f25);
  for (let at = 0; at < 18; at++) {
    const [near, far] = [Math.floor(at / 3), side - 11 + (at % 3)];
    const dark = ((bits >>> at) & 1) === 1;
    set(far, near, dark);
    set(near, far, dark);
  }
};

const remainder = (value: number, degree: number, divisor: number): number => {
  let rest = value;
  for (let at = 0; at < degree; at++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * divisor);
  return rest;
};

/** Two columns at a time, up and down, from the right; the column of the timing pattern is left out. */
const fill = (
  modules: boolean[][],
  fixed: readonly (readonly boolean[])[],
  codewords: readonly number[],
  mask: (x: number, y: number) => boolean,
): void => {
  const side = modules.length;
  let at = 0;
  for (let right = side - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < side; step++) {
      const upwards = ((right + 1) & 2) === 0;
      const y = upwards ? side - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y]![x]) continue;
        const bit = ((codewords[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1;
        modules[y]![x] = (bit === 1) !== mask(x, y);
        at++;
      }
    }
  }
};

// -------------------------------------------------------------------------------------- the mask

/** How hard a code is to read: runs, blocks, patterns that look like finders, too much of one. */
const penalty = (modules: Modules): number => {
  const columns = modules.map((_, x) => modules.map((row) => row[x]!));
  const lines = [...modules, ...columns].reduce((sum, line) => sum + runs(line) + finders(line), 0);
  return lines + squares(modules) + balance(modules);
};

const runs = (line: readonly boolean[]): number => {
  let [sum, length] = [0, 0];
  for (const [at, dark] of line.entries()) {
    length = at && dark === line[at - 1] ? length + 1 : 1;
    sum += length === 5 ? 3 : length > 5 ? 1 : 0;
  }
  return sum;
};

const finders = (line: readonly boolean[]): number => {
  const text = line.map((dark) => (dark ? "1" : "0")).join("");
  const found = (pattern: string) =>
    [...text].filter((_, at) => text.startsWith(pattern, at)).length;
  return 40 * (found("10111010000") + found("00001011101"));
};

const squares = (modules: Modules): number => {
  let sum = 0;
  for (let y = 1; y < modules.length; y++)
    for (let x = 1; x < modules.length; x++) {
      const dark = modules[y]![x];
      const same =
        dark === modules[y]![x - 1] &&
        dark === modules[y - 1]![x] &&
        dark === modules[y - 1]![x - 1];
      sum += same ? 3 : 0;
    }
  return sum;
};

const balance = (modules: Modules): number => {
  const dark = modules.flat().filter(Boolean).length / modules.length ** 2;
  return 10 * Math.floor(Math.abs(20 * dark - 10));
};
