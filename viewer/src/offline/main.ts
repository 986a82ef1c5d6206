/** The player inside a page that was taken along; its game stands in the page as JSON. */
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

const { replay, language, turn } = JSON.parse(
  document.getElementById("data")!.textContent!,
) as Data;
if (isLanguage(language)) choices.language = language;
mount(Offline, { target: document.getElementById("app")!, props: { replay, turn } });
