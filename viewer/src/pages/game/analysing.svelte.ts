/** What an engine says of a game: of all its turns, or longer of one. */
import * as api from "../../api";
import type { Place } from "../../model/route";
import { NOTHING, told, type Analysis } from "../../model/verdicts";
import type { Evaluated } from "../../types";

/** Seconds that are spent on one turn if it is asked for by itself. */
export const DEEP = 15;

export class Analysing {
  /** Whether anybody wants to know. */
  open = $state(false);
  seconds = $state("0.3");
  /** Empty: the best there is. */
  engine = $state("");
  analysis = $state.raw<Analysis>(NOTHING);
  deepening = $state(false);
  isRunning = $derived(["queued", "running"].includes(this.analysis.stage));

  #deeper = $state.raw<{ turn: number; found: Evaluated } | null>(null);
  #end: () => void = () => undefined;

  constructor(readonly place: Place) {}

  /** What is known of a turn. */
  at(turn: number): Evaluated | undefined {
    return this.#deeper?.turn === turn ? this.#deeper.found : this.analysis.positions[turn];
  }

  /** Look at the whole game. */
  begin(): void {
    this.#stop();
    this.open = true;
    this.analysis = { ...NOTHING, stage: "queued" };
    const { source, id } = this.place;
    const wanted = { seconds: this.seconds, ...(this.engine && { engine: this.engine }) };
    this.#end = api.analyseGame(source, id, wanted, (word) => {
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
    const engine = this.engine && { engine: this.engine };
    this.#end = api.analyse("position", { ...wanted, ...engine }, (word) => {
      if (word.kind === "evaluated") this.#deeper = { turn, found: { ...word, turn } };
      if (word.kind === "finished" || word.kind === "failed") this.deepening = false;
    });
  }

  stop(): void {
    this.#stop();
  }

  close(): void {
    this.#stop();
    this.open = false;
  }

  #stop(): void {
    this.#end();
    this.deepening = false;
    if (this.isRunning) this.analysis = { ...this.analysis, stage: "idle" };
  }
}
