/** The current turn of a game: stepping, following a live game, playback. */

export interface Playback {
  /** The last turn there is; turn 0 is the start. */
  readonly last: number;
  readonly at: number;
  /** Whether the view goes along when a turn is added. */
  readonly following: boolean;
  readonly playing: boolean;
}

export const watching = (last: number): Playback => ({
  last,
  at: last,
  following: true,
  playing: false,
});

export const goTo = (playback: Playback, turn: number): Playback => {
  const at = Math.max(0, Math.min(Math.trunc(turn), playback.last));
  return { ...playback, at, following: at === playback.last };
};

export const step = (playback: Playback, by: number): Playback => ({
  ...goTo(playback, playback.at + by),
  playing: false,
});

/** The game has grown (or the server told it anew). Paced: the view follows step by step. */
export const grown = (playback: Playback, last: number, paced = false): Playback => {
  const at = playback.following && !paced ? last : Math.min(playback.at, last);
  return { ...playback, last, at };
};

/** One step nearer to what is happening now, for who follows at a pace. */
export const caughtUp = (playback: Playback): Playback =>
  playback.following && playback.at < playback.last
    ? { ...playback, at: playback.at + 1 }
    : playback;

/** How fast turns follow each other, as multiples of the usual pace. */
export const SPEEDS: readonly number[] = [0.5, 1, 2, 5, 10];
/** Milliseconds between two turns at the usual pace. */
export const BEAT = 700;

export const toggle = (playback: Playback): Playback => {
  if (playback.playing) return { ...playback, playing: false };
  const again = playback.at === playback.last ? goTo(playback, 0) : playback;
  return { ...again, playing: true };
};

/** One beat of playing: the next turn, and rest at the end. */
export const beat = (playback: Playback): Playback => {
  if (!playback.playing) return playback;
  const next = goTo(playback, playback.at + 1);
  return { ...next, playing: next.at < next.last };
};

/** The keys that step through a game, wherever the focus is. */
export const stepOf = (pressed: string): ((playback: Playback) => Playback) | null => {
  const known: Record<string, (playback: Playback) => Playback> = {
    ArrowLeft: (p) => step(p, -1),
    ArrowRight: (p) => step(p, 1),
    Home: (p) => step(p, -p.last),
    End: (p) => step(p, p.last),
    ",": (p) => step(p, -1),
    ".": (p) => step(p, 1),
  };
  return known[pressed] ?? null;
};
