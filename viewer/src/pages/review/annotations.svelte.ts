/** The bots' annotations of a game, loaded once when the game is over. */
import * as api from "../../api";
import type { Place } from "../../model/route";
import type { Annotation } from "../../types";

export class Annotations {
  all = $state.raw<readonly Annotation[]>([]);
  #asked = false;

  constructor(readonly place: Place) {}

  /** The game is shown without them if they cannot be had. */
  async ask(): Promise<void> {
    if (this.#asked || this.place.source === "game") return;
    this.#asked = true;
    this.all = await api.annotations(this.place).catch(() => []);
  }

  /** What was shown before the move of a turn. */
  of(turn: number): Annotation | null {
    return this.all.find((each) => each.turn === turn) ?? null;
  }
}
