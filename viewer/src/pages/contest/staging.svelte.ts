/** The stage of the displayed contest. */
import * as api from "../../api";
import { choices } from "../../language.svelte";
import type { Stage } from "../../types";

export class Staging {
  stage = $state.raw<Stage | null>(null);

  constructor(readonly id: string) {}

  /** Follow it from now on; in an effect, so that another language asks anew. */
  follow(): () => void {
    return api.followStage(this.id, choices.language, {
      receive: (stage) => (this.stage = stage),
      connection: () => undefined,
    });
  }
}
