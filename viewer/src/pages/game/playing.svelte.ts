/** The seats played in this browser: requests, the piece in hand, messages. */
import { SvelteMap } from "svelte/reactivity";
import * as api from "../../api";
import { choices, t } from "../../language.svelte";
import * as hand from "../../model/hand";
import type { Cell, Gesture, Scene, SeatMessage, Token } from "../../types";
import type { Key } from "./keys";

type Ask = Extract<SeatMessage, { kind: "ask" }>;
const BAD: readonly api.Connection[] = ["closed", "lost"];
const PATIENCE = 120; // milliseconds a ghost must rest before we ask why it is illegal

export class Playing {
  asks = new SvelteMap<number, Ask>();
  lines = new SvelteMap<number, api.Connection>();
  hand = $state.raw<hand.Hand>(hand.EMPTY);
  /** Several moves that look the same on the board. */
  choice = $state.raw<readonly Gesture[]>([]);
  refused = $state("");
  because = $state("");
  /** The seat that wants to take a move back, while others are asked. */
  wish = $state<number | null>(null);
  /** Somebody did not want it. */
  denied = $state(false);
  /** A move is on its way. */
  sent = $state(false);

  /** The worst that can be said of the lines to the seats. */
  line = $derived.by<api.Connection>(() => {
    const states = [...this.lines.values()];
    return BAD.find((state) => states.includes(state)) ?? "live";
  });
  seat = $derived<number | null>([...this.asks.keys()].sort((a, b) => a - b)[0] ?? null);
  ask = $derived<Ask | null>(this.seat === null ? null : (this.asks.get(this.seat) ?? null));
  gestures = $derived<readonly Gesture[]>(this.ask && !this.sent ? this.ask.gestures : []);
  takeable = $derived(hand.takeable(this.gestures));
  targets = $derived(hand.targets(this.hand, this.gestures));
  buttons = $derived(hand.buttons(this.gestures));

  #open = new Map<number, api.SeatLine>();
  #scene: () => Scene | null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #question = 0;
  /** Whether the ghost was there already when the finger came down. */
  #shown = false;

  constructor(scene: () => Scene | null) {
    this.#scene = scene;
  }

  /** Where the thing in hand would lie now. */
  get ghost(): hand.Ghost | null {
    const scene = this.#scene();
    return scene && this.ask && !this.sent
      ? hand.ghost(this.hand, this.gestures, scene.grid)
      : null;
  }

  sit(game: string, keys: readonly Key[]): void {
    this.leave();
    for (const { seat, token } of keys) {
      const listener = {
        receive: (says: SeatMessage) => this.#hear(seat, says),
        connection: (state: api.Connection) => void this.lines.set(seat, state),
      };
      this.#open.set(seat, api.sit(game, seat, token, choices.language, listener));
    }
  }

  leave(): void {
    for (const line of this.#open.values()) line.close();
    this.#open.clear();
    this.asks.clear();
    this.lines.clear();
    this.#lay();
  }

  // ------------------------------------------------------------------------------------- the hand

  take(token: Token): void {
    if (!this.takeable.has(token.id)) return;
    this.#quiet();
    this.hand = this.hand.token === token.id ? hand.drop(this.hand) : hand.takeUp(this.hand, token);
  }

  drop(): void {
    this.#quiet();
    this.hand = hand.drop(this.hand);
  }

  turn(): void {
    const scene = this.#scene();
    if (scene && hand.canTurn(this.hand)) this.#moved(hand.turn(this.hand, scene.grid));
  }

  flip(): void {
    if (hand.canTurn(this.hand)) this.#moved(hand.flip(this.hand));
  }

  point(cell: Cell | null): void {
    if (this.choice.length || String(cell) === String(this.hand.at)) return;
    this.#moved(hand.pointAt(this.hand, cell));
  }

  /** A finger goes down: a second tap on what is shown puts it down, a first one only shows it. */
  press(cell: Cell): void {
    this.#shown = this.ghost?.cells.some((each) => String(each) === String(cell)) ?? false;
  }

  /** What was dragged is let go over a cell: put there if it may lie there, else laid back. */
  dropAt(cell: Cell): void {
    this.#moved(hand.pointAt(this.hand, cell));
    const token = this.hand.token;
    if (this.ghost?.moves.length) this.put();
    else if (token !== null && this.#scene()?.tokens.some(({ id }) => id === token)) this.drop();
  }

  /** A cell was clicked, tapped or confirmed: take up what lies there, or put down what is held. */
  choose(cell: Cell, touch: boolean): void {
    const scene = this.#scene();
    if (!scene || !this.ask || this.sent) return;
    const first = touch && hand.canTurn(this.hand) && !this.#shown;
    if (!(touch && this.#shown)) this.#moved(hand.pointAt(this.hand, cell));
    if (first) return; // a finger shows nothing before it touches: the second touch puts it down
    const token = hand.tokenOn(scene.tokens, cell, this.takeable);
    if (!this.ghost?.moves.length && token) this.take(token);
    else this.put();
  }

  /** Put down what is in hand where it is. */
  put(): void {
    const ghost = this.ghost;
    if (!ghost) return;
    if (ghost.moves.length > 1) this.choice = ghost.moves;
    else if (ghost.moves[0]) this.play(ghost.moves[0]);
    else this.#why(ghost);
  }

  play(gesture: Gesture): void {
    if (this.seat === null || !this.ask || this.sent) return;
    this.#quiet();
    this.sent = this.#open.get(this.seat)?.move(gesture.move, this.ask.turn) ?? false;
    if (!this.sent) this.refused = t("live.lost");
  }

  /** Give up all seats that are played here. */
  resign(): void {
    const told = [...this.#open.values()].map((line) => line.resign());
    if (told.includes(false)) this.refused = t("live.lost");
  }

  /** The last own move shall not count, or somebody else's need not. */
  takeBack(agreed: boolean): void {
    this.denied = false;
    const told = [...this.#open.values()].map((line) => line.takeBack(agreed));
    if (told.includes(false)) this.refused = t("live.lost");
  }

  #moved(next: hand.Hand): void {
    this.hand = next;
    this.because = "";
    clearTimeout(this.#timer);
    const ghost = this.ghost;
    if (!ghost || ghost.moves.length || next.token === null) return;
    this.#timer = setTimeout(() => this.#why(ghost), PATIENCE);
  }

  #why(ghost: hand.Ghost): void {
    if (!ghost.onBoard) this.because = t("play.beyond");
    else if (this.seat !== null) {
      this.#open.get(this.seat)?.why(this.hand.token, ghost.cells, ++this.#question);
    }
  }

  #quiet(): void {
    clearTimeout(this.#timer);
    this.refused = this.because = "";
    this.choice = [];
  }

  /** Nothing in hand, nothing to say. */
  #lay(): void {
    this.#quiet();
    this.hand = hand.drop(this.hand);
    this.sent = false;
  }

  // --------------------------------------------------------------------------------- what is said

  #hear(seat: number, says: SeatMessage): void {
    if (says.kind === "ask") {
      if (this.asks.get(seat)?.turn !== says.turn) this.#lay();
      this.asks.set(seat, says);
      this.sent = false;
    } else if (says.kind === "refused") {
      this.refused = says.explanation;
      this.sent = false;
    } else if (says.kind === "because") {
      if (says.id === this.#question && !this.ghost?.moves.length) this.because = says.explanation;
    } else if (says.kind === "take-back") {
      this.wish = says.seat;
    } else if (says.kind === "take-back-over") {
      this.wish = null;
      this.denied = says.refused;
    } else {
      this.asks.delete(seat);
      this.#lay();
    }
  }
}
