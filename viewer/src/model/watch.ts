/** The state of a watched game: loaded once; a live one is updated by the messages of its feed. */
import type { GameDetail, Replay, Said, Scene, Turn } from "../types";
import { ahead } from "./clock";
import type { Place } from "./route";
import { expanded } from "./scenes";

/** A turn; how long it took is not known of every game. */
export type WatchedTurn = Omit<Turn, "spent"> & { readonly spent: number | null };

export interface Watch extends Omit<GameDetail, "scene" | "turns"> {
  readonly turns: readonly WatchedTurn[];
  readonly place: Place;
  /** What was odd about its record. */
  readonly notes: readonly string[];
  /** What the players printed. */
  readonly log: string;
  /** Scenes by turn, as far as they were told; 0 is the start. */
  readonly scenes: ReadonlyMap<number, Scene>;
  /** Seconds the server's clock is ahead of ours. */
  readonly ahead: number;
}

export const begin = (detail: GameDetail, heard: number): Watch => {
  const { scene, ...rest } = detail;
  const scenes = new Map([[detail.summary.turn, scene]]);
  const place: Place = { source: "game", id: detail.summary.id };
  return { ...rest, place, notes: [], log: "", scenes, ahead: ahead(detail.clocks, heard) };
};

/** A game from a file or a contest, all of it at once. */
export const ofReplay = (replay: Replay): Watch => ({
  place: { source: replay.source, id: replay.id },
  notes: replay.notes,
  log: replay.log,
  summary: summaryOf(replay),
  turns: replay.turns.slice(1).map((turn) => ({
    ...turn,
    seat: turn.seat ?? 0,
    at: 0,
    receipt: null,
  })),
  scenes: new Map(expanded(replay.scenes).map((scene, turn) => [turn, scene])),
  look: replay.look,
  clocks: {
    kind: "per move",
    per_move: null,
    left: [],
    grace: 0,
    running: null,
    since: null,
    now: 0,
  },
  ahead: 0,
  event: 0,
  position: replay.turns.at(-1)!.position,
  speaks: null,
  downloads: replay.downloads,
});

const summaryOf = (replay: Replay): Watch["summary"] => ({
  id: replay.id,
  edition: replay.edition,
  title: replay.title,
  authority: replay.authority,
  names: replay.names.map((name, seat) => name || replay.seat_names[seat] || String(seat + 1)),
  seat_names: replay.seat_names,
  kinds: [],
  present: replay.names.map(() => true),
  state: replay.result ? "finished" : "aborted",
  paused: false,
  turn: replay.turns.length - 1,
  ply: replay.turns.at(-1)!.ply,
  to_move: replay.turns.at(-1)!.to_move,
  created: 0,
  ended: null,
  result: replay.result && { ...replay.result, faults: faultsOf(replay), cancelled: false },
  source: "upload",
});

const faultsOf = (replay: Replay): NonNullable<Watch["summary"]["result"]>["faults"] =>
  (replay.result?.faults ?? []).map((explanation) =>
    explanation ? { kind: "reported", detail: "", explanation, move: "" } : null,
  );

export const isOver = (watch: Pick<Watch, "summary">): boolean =>
  watch.summary.state === "finished" || watch.summary.state === "aborted";

/** What the game looks like after something was said; said twice is as good as once. */
export const hear = (watch: Watch, said: Said, heard: number): Watch => {
  switch (said.kind) {
    case "snapshot":
      return again(watch, said.game, heard);
    case "seated":
      return summed(watch, { present: said.present, state: said.state });
    case "turn":
      return { ...summed(watch, { to_move: said.seat }), ...clocked(said.clocks, heard) };
    case "move":
      return {
        ...grown(watch, said.turn, said.scene),
        ...clocked(said.clocks, heard),
        position: said.position,
      };
    case "pause":
      return summed(watch, { paused: said.paused });
    case "violation":
      return said.turn && said.scene ? grown(watch, said.turn, said.scene) : watch;
    case "end": {
      const stopped = { ...watch.clocks, running: null, since: null };
      const shown = withScenes(watch, said.summary.turn, [said.scene]);
      return { ...shown, summary: said.summary, downloads: said.downloads, clocks: stopped };
    }
  }
};

/** More scenes, from a turn on. */
export const withScenes = (watch: Watch, first: number, more: readonly Scene[]): Watch => {
  const scenes = new Map(watch.scenes);
  more.forEach((scene, at) => scenes.set(first + at, scene));
  return { ...watch, scenes };
};

/** The scene of a turn, or the nearest that is known while it is fetched. */
export const sceneAt = (watch: Watch, turn: number): Scene => {
  const known = [...watch.scenes.keys()];
  const nearest = known.reduce((a, b) => (Math.abs(b - turn) < Math.abs(a - turn) ? b : a));
  return watch.scenes.get(nearest)!;
};

/** Which scenes to ask for so that stepping about a turn is smooth; null if they are all here. */
export const wanted = (
  watch: Watch,
  turn: number,
): readonly [first: number, last: number] | null => {
  if (watch.scenes.has(turn)) return null;
  return [Math.max(0, turn - 30), Math.min(watch.summary.turn, turn + 30)];
};

/** A snapshot; scenes that are known already stay, since they do not change. */
const again = (watch: Watch, detail: GameDetail, heard: number): Watch => {
  const fresh = begin(detail, heard);
  return { ...fresh, scenes: new Map([...watch.scenes, ...fresh.scenes]) };
};

const summed = (watch: Watch, news: Partial<Watch["summary"]>): Watch => ({
  ...watch,
  summary: { ...watch.summary, ...news },
});

const clocked = (clocks: Watch["clocks"], heard: number) => ({
  clocks,
  ahead: ahead(clocks, heard),
});

const grown = (watch: Watch, turn: Turn, scene: Scene): Watch => {
  if (turn.turn <= watch.summary.turn) return watch;
  const longer = { ...watch, turns: [...watch.turns, turn] };
  const told = summed(longer, { turn: turn.turn, ply: turn.ply, state: "running" });
  return withScenes(told, turn.turn, [scene]);
};
