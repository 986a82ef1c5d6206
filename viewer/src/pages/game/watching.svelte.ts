/** The displayed game: loaded once, followed if it is live, with the scenes around the current turn. */
import * as api from "../../api";
import { choices } from "../../language.svelte";
import type { Language } from "../../model/i18n";
import * as playback from "../../model/playback";
import type { Place } from "../../model/route";
import * as watch from "../../model/watch";
import type { Said, Scene } from "../../types";

const now = () => Date.now() / 1000;

export class Watching {
  game = $state.raw<watch.Watch | null>(null);
  playback = $state.raw<playback.Playback>(playback.watching(0));
  connection = $state<api.Connection>("connecting");
  failure = $state.raw<unknown>(null);
  /** Whether moves are shown one by one, however fast they come. */
  paced = false;

  scene = $derived<Scene | null>(this.game && watch.sceneAt(this.game, this.playback.at));
  turn = $derived(this.game?.turns.find(({ turn }) => turn === this.playback.at) ?? null);
  isOver = $derived(this.game !== null && watch.isOver(this.game));
  isLatest = $derived(this.playback.at === this.playback.last);

  #stop: () => void = () => undefined;
  #fetching = new Set<string>();
  #round = 0;

  constructor(readonly place: Place) {}

  /** Fetch and follow in a language; what was watched before in another one is forgotten. */
  async open(turn: number | null): Promise<void> {
    this.close();
    const [language, round] = [choices.language, this.#round];
    this.failure = null;
    try {
      const found = await this.#find(language);
      if (round !== this.#round) return;
      this.#begin(found, turn);
      if (this.isOver) this.connection = "live";
      else this.#follow(found.event);
    } catch (problem) {
      if (round === this.#round) this.failure = problem;
    }
  }

  async #find(language: Language): Promise<watch.Watch> {
    const { source, id } = this.place;
    if (source === "game") return watch.begin(await api.game(id, language), now());
    return watch.ofReplay(await api.replay(source, id, language));
  }

  close(): void {
    this.#round += 1;
    this.#stop();
    this.#stop = () => undefined;
    this.#fetching.clear();
  }

  /** Look at another turn. */
  move(change: (was: playback.Playback) => playback.Playback): void {
    this.playback = change(this.playback);
    void this.#fetch();
  }

  #begin(game: watch.Watch, turn: number | null): void {
    this.game = game;
    const live = playback.watching(game.summary.turn);
    this.playback = turn === null ? live : playback.goTo(live, turn);
    void this.#fetch();
  }

  #follow(after: number): void {
    this.#stop = api.follow(this.place.id, after, choices.language, {
      receive: (said) => this.#hear(said),
      connection: (state) => (this.connection = this.isOver ? "live" : state),
    });
  }

  #hear(said: Said): void {
    if (!this.game) return;
    this.game = watch.hear(this.game, said, now());
    this.playback = playback.grown(this.playback, this.game.summary.turn, this.paced);
    if (this.isOver) this.connection = "live";
    void this.#fetch();
  }

  /** Scenes that are missing round the turn looked at, once each. */
  async #fetch(): Promise<void> {
    const span = this.game && watch.wanted(this.game, this.playback.at);
    if (!span || this.#fetching.has(String(span))) return;
    const round = this.#round;
    this.#fetching.add(String(span));
    try {
      const { first, scenes } = await api.scenes(this.place.id, ...span, choices.language);
      if (round === this.#round && this.game) {
        this.game = watch.withScenes(this.game, first, scenes);
      }
    } catch {
      this.#fetching.delete(String(span)); // the next step asks again; the nearest scene is shown
    }
  }
}
