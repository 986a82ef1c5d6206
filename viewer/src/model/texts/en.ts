/** What the pages say in English. German stands in de.ts, key by key. */
export const en = {
  // everywhere
  name: "Spielleiter",
  "nav.label": "Pages",
  "nav.lobby": "Games",
  "nav.replay": "Open a replay",
  "nav.contests": "Contests",
  "nav.skip": "To the content",
  "language.switch": "Auf Deutsch",
  "theme.label": "Colours",
  "theme.auto": "as the system",
  "theme.light": "light",
  "theme.dark": "dark",
  "big.switch": "Large, for a projector",
  "page.missing": "There is no such page.",
  "page.loading": "Loading …",
  "error.title": "That did not work",
  "error.again": "Try again",

  // board
  "board.label": "Board: {title}",
  "board.empty": "empty",
  "board.hole": "no field",
  "board.target": "possible",
  "board.takeable": "can be taken",
  "board.taken": "taken up",
  "board.last": "last move",
  "tray.empty": "nothing here",

  // games
  "game.turn": "turn {turn}",
} as const;
