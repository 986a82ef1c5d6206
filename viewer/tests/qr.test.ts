import { expect, it } from "vitest";
import { qr } from "../src/model/qr";

/** Made by an independent program: version 1, level L, mask 3. */
const LETTER = [
  "#######.#.###.#######",
  "#.....#...##..#.....#",
  "#.###.#.##.#..#.###.#",
  "#.###.#.##..#.#.###.#",
  "#.###.#.#..#..#.###.#",
  "#.....#..####.#.....#",
  "#######.#.#.#.#######",
  "...........##........",
  "####..#.######..###.#",
  "###.#.....#####..#...",
  "#....#####.#.....##.#",
  "##..#......#..#####..",
  "####.######.#..#..#..",
  "........#..#..#..#...",
  "#######....##..#.#...",
  "#.....#..##....##.##.",
  "#.###.#.....#####...#",
  "#.###.#.##.#..######.",
  "#.###.#.#.#.#.##.....",
  "#.....#.#....#.#..#.#",
  "#######.##...#..#....",
];

const drawn = (text: string): string[] =>
  qr(text)!.map((row) => row.map((dark) => (dark ? "#" : ".")).join(""));

it("draws what other programs draw", () => {
  expect(drawn("a")).toEqual(LETTER);
});

it("grows with the text, up to a bound", () => {
  const sides = [1, 40, 93, 120, 150, 200, 271].map((length) => qr("x".repeat(length))!.length);
  expect(sides).toEqual([21, 29, 37, 41, 45, 53, 57]);
  expect(qr("x".repeat(272))).toBeNull();
});

it("has the three corners that a phone looks for", () => {
  const code = drawn("http://192.168.178.23:8080/games/0123456789abcdef#seat=1&key=abc");
  const corner = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];
  const side = code.length;
  const at = (x: number, y: number) => code.slice(y, y + 7).map((row) => row.slice(x, x + 7));
  expect(at(0, 0)).toEqual(corner);
  expect(at(side - 7, 0)).toEqual(corner);
  expect(at(0, side - 7)).toEqual(corner);
});
