/** A token that is dragged to its place, with the mouse or a finger; a click does not become a drag. */
import { canTurn } from "../../model/hand";
import type { Cell, Token } from "../../types";
import type { Playing } from "./playing.svelte";

const FAR = 6;
const FINGER = 44; // pixels: a finger hides what lies under it

export class Dragging {
  active = $state(false);
  #pressed: { token: Token; x: number; y: number; touch: boolean } | null = null;

  constructor(
    readonly playing: Playing,
    readonly cellUnder: (x: number, y: number) => Cell | null,
  ) {}

  press(token: Token, event: PointerEvent): void {
    if (event.button !== 0) return;
    const touch = event.pointerType === "touch";
    this.#pressed = { token, x: event.clientX, y: event.clientY, touch };
  }

  move(event: PointerEvent): void {
    const pressed = this.#pressed;
    if (!pressed) return;
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (!this.active && far < FAR) return;
    if (!this.active && this.playing.hand.token !== pressed.token.id)
      this.playing.take(pressed.token);
    this.active = true;
    this.playing.point(this.#cell(event));
  }

  /** What is let go over the board is put there; a finger still has to say that it means it. */
  release(event: PointerEvent): void {
    const pressed = this.#pressed;
    this.#pressed = null;
    if (!pressed || !this.active) return;
    this.active = false;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    const cell = this.#cell(event);
    const held = canTurn(this.playing.hand);
    if (!cell) this.playing.drop();
    else if (!(pressed.touch && held)) this.playing.dropAt(cell);
  }

  cancel(): void {
    if (this.active) this.playing.drop();
    this.#pressed = null;
    this.active = false;
  }

  #cell(event: PointerEvent): Cell | null {
    const lifted = this.#pressed?.touch && canTurn(this.playing.hand) ? FINGER : 0;
    return this.cellUnder(event.clientX, event.clientY - lifted);
  }
}

/** The click that ends a drag is none. */
const swallow = (event: Event): void => {
  event.stopPropagation();
  event.preventDefault();
};
