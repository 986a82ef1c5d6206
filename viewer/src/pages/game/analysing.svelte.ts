/** The analysis of a game: of all its turns, or longer of one. */
import * as api from "../../api";
import type { Place } from "../../model/route";
import { NOTHING, told, type Analysis } from "../../model/verdicts";
import { choices } from "../../language.svelte";
import type { BestLine, Evaluated, Scene } from "../../types";

/** Seconds that are spent on one turn if it is asked for by itself. */
export const DEEP = 15;

export interface Variation {
  readonly turn: number;
  readonly moves: readonly string[];
  readonly scenes: readonly Scene[];
  /** How many of its moves are on the board. */
  readonly at: number;
}

export class Analysing {
  /** Whether anybody wants to know. */
  open = $state(false);
  seconds = $state("0.3");
  /** Empty: the best there is. */
  engine = $state("");
  analysis = $state.raw<Analysis>(NOTHING);
  deepening = $state(false);
  /** A line that is played on the board in place of the game. */
  variation = $state.raw<Variation | null>(null);
  isRunning = $derived(["queued", "running"].includes(this.analysis.stage));

  #deeper = $state.raw<{ turn: number; found: Evaluated } | null>(null);
  #end: () => void = () => undefined;

  constructor(readonly place: Place) {}

  /** What is known of a turn. */
  at(turn: number): Evaluated | undefined {
    return this.#deeper?.turn === turn ? this.#deeper.found : this.analysis.positions[turn];
  }

  /** Look at the whole game, at this turn first. */
  begin(first: number): void {
    this.#stop();
    this.open = true;
    this.analysis = { ...NOTHING, stage: "queued" };
    const { source, id } = this.place;
    const engine = this.engine && { engine: this.engine };
    const wanted = { seconds: this.seconds, first: String(first), lang: choices.language };
    this.#end = api.analyseGame(source, id, { ...wanted, ...engine }, (word) => {
      this.analysis = told(this.analysis, word);
    });
  }

  /** Think longer about one turn. */
  async deepen(turn: number): Promise<void> {
    this.#stop();
    this.deepening = true;
    const { source, id } = this.place;
    const { edition, authority, position } = await api.position(source, id, turn);
    const wanted = { edition, authority, position, seconds: String(DEEP), lines: "5" };
    const lang = choices.language;
    const engine = this.engine && { engine: this.engine };
    this.#end = api.analyse("position", { ...wanted, ...engine, lang }, (word) => {
      if (word.kind === "evaluated") this.#deeper = { turn, found: { ...word, turn } };
      if (word.kind === "finished" || word.kind === "failed") this.deepening = false;
    });
  }

  /** Show a line on the board, after so many of its moves. */
  async play(turn: number, line: BestLine, at: number): Promise<void> {
    const moves = line.drawn.map(({ move }) => move);
    const { source, id } = this.place;
    const from = await api.position(source, id, turn);
    const { scenes } = await api.line(from, moves, choices.language);
    this.variation = { turn, moves: line.moves, scenes, at };
  }

  /** One move on or back in the line that is shown; whether there is one. */
  step(by: number): boolean {
    const line = this.variation;
    if (!line) return false;
    const at = line.at + by;
    this.variation = at < 1 ? null : { ...line, at: Math.min(at, line.scenes.length) };
    return true;
  }

  leaveLine(): void {
    this.variation = null;
  }

  stop(): void {
    this.#stop();
  }

  close(): void {
    this.#stop();
    this.variation = null;
    this.open = false;
  }

  #stop(): void {
    this.#end();
    this.deepening = false;
    if (this.isRunning) this.analysis = { ...this.analysis, stage: "idle" };
  }
}
