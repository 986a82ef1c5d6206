import { expect, it } from "vitest";
import { beat, goTo, grown, step, stepOf, toggle, watching } from "../src/model/playback";

it("follows a live game until somebody steps back, and again from the end on", () => {
  const live = grown(watching(3), 4);
  expect(live.at).toBe(4);
  const back = step(live, -1);
  expect(grown(back, 9)).toMatchObject({ at: 3, last: 9, following: false });
  expect(grown(goTo(grown(back, 9), 9), 10).at).toBe(10);
});

it("never leaves the game", () => {
  expect(step(watching(3), 1).at).toBe(3);
  expect(step(watching(3), -7).at).toBe(0);
  expect(goTo(watching(3), 99).at).toBe(3);
});

it("plays to the end and rests, and begins anew when asked there", () => {
  let playback = toggle(watching(2));
  expect(playback).toMatchObject({ at: 0, playing: true });
  playback = beat(playback);
  expect(playback).toMatchObject({ at: 1, playing: true });
  expect(beat(playback)).toMatchObject({ at: 2, playing: false });
  expect(beat(watching(2))).toEqual(watching(2));
});

it("steps by keys", () => {
  const middle = goTo(watching(4), 2);
  const at = (pressed: string) => stepOf(pressed)?.(middle).at;
  expect(["ArrowLeft", "ArrowRight", "Home", "End"].map(at)).toEqual([1, 3, 0, 4]);
  expect(stepOf("x")).toBeNull();
});
