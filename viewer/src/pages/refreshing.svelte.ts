/** Data that is reloaded periodically while it is displayed. */
import { untrack } from "svelte";

export class Refreshing<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<unknown>(null);

  #asked = 0;

  /** Made while a page is made. Whatever `ask` reads is watched: a change asks at once. */
  constructor(ask: () => Promise<T>, every = 5_000) {
    $effect(() => {
      void this.#load(ask());
      const timer = setInterval(() => {
        if (!document.hidden) void this.#load(untrack(ask));
      }, every);
      return () => clearInterval(timer);
    });
  }

  /** A late answer to an older question is dropped. */
  async #load(answer: Promise<T>): Promise<void> {
    const number = ++this.#asked;
    try {
      const found = await answer;
      if (number === this.#asked) [this.value, this.problem] = [found, null];
    } catch (refused) {
      if (number === this.#asked) this.problem = refused;
    }
  }
}
