/** The viewer inside an offline page; the page contains the game as JSON. */
import { mount } from "svelte";
import "../app.css";
import { choices } from "../language.svelte";
import { isLanguage } from "../model/i18n";
import type { Replay } from "../types";
import Offline from "./Offline.svelte";

interface Data {
  readonly replay: Replay;
  readonly language: string;
  readonly turn: number;
}

/** What stands in the page: as it is, or packed where many pages share one player. */
async function stored(): Promise<string> {
  const element = document.getElementById("data")!;
  const text = element.textContent!;
  if (element.getAttribute("type") === "application/json") return text;
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).text();
}

async function start(): Promise<void> {
  const { replay, language, turn } = JSON.parse(await stored()) as Data;
  if (isLanguage(language)) choices.language = language;
  mount(Offline, { target: document.getElementById("app")!, props: { replay, turn } });
}

void start();
