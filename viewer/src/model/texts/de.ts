/** Was die Seiten auf Deutsch sagen. */
import type { en } from "./en";

export const de: Readonly<Record<keyof typeof en, string>> = {
  // überall
  name: "Spielleiter",
  "nav.label": "Seiten",
  "nav.lobby": "Spiele",
  "nav.replay": "Aufzeichnung öffnen",
  "nav.contests": "Turniere",
  "nav.skip": "Zum Inhalt",
  "language.switch": "In English",
  "theme.label": "Farben",
  "theme.auto": "wie das System",
  "theme.light": "hell",
  "theme.dark": "dunkel",
  "big.switch": "Groß, für den Beamer",
  "page.missing": "Diese Seite gibt es nicht.",
  "page.loading": "Lädt …",
  "error.title": "Das hat nicht geklappt",
  "error.again": "Noch einmal",

  // Brett
  "board.label": "Brett: {title}",
  "board.empty": "leer",
  "board.hole": "kein Feld",
  "board.target": "möglich",
  "board.takeable": "kann genommen werden",
  "board.taken": "genommen",
  "board.last": "letzter Zug",
  "tray.empty": "nichts hier",

  // Spiele
  "game.turn": "Zug {turn}",
};
