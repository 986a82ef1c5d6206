/** The displayed contest: reloaded whenever games were played. */
import * as api from "../../api";
import { choices } from "../../language.svelte";
import type { Contest } from "../../types";

export class Following {
  contest = $state.raw<Contest | null>(null);
  problem = $state.raw<unknown>(null);
  connection = $state<api.Connection>("connecting");

  #asking = false;
  #again = false;

  constructor(readonly id: string) {}

  /** Ask now and whenever something happens; in an effect, so that another language asks anew. */
  follow(): () => void {
    void this.refresh(choices.language);
    return api.followContest(this.id, {
      receive: ({ version }) => {
        if (version !== this.contest?.version) void this.refresh();
      },
      connection: (state) => (this.connection = state),
    });
  }

  async refresh(language = choices.language): Promise<void> {
    this.#again = this.#asking; // what comes meanwhile is asked for once this answer is here
    if (this.#asking) return;
    this.#asking = true;
    try {
      this.contest = await api.contest(this.id, language);
      this.problem = null;
    } catch (refused) {
      this.problem = refused;
    }
    this.#asking = false;
    if (this.#again) void this.refresh();
  }
}
