/** What the server tells us, and what we tell it. */

export type Cell = readonly [column: number, row: number];
export type Authority = "document" | "server";
export type SeatKind = "person" | "built-in" | "external";
export type State = "waiting" | "running" | "finished" | "broken off";

// ------------------------------------------------------------------------------------------ scenes

export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Whether rows count from the bottom, as in chess. */
  readonly upwards: boolean;
  readonly column_labels: readonly string[];
  readonly row_labels: readonly string[];
}

export interface Token {
  readonly id: string;
  readonly cells: readonly Cell[];
  readonly glyph: string;
  readonly colour: string;
  readonly text: string;
  readonly label: string;
}

export interface Tray {
  readonly title: string;
  readonly tokens: readonly Token[];
  readonly colour: string;
}

export interface Mark {
  readonly kind: string;
  readonly cells: readonly Cell[];
  readonly colour: string;
}

/** What lies where. */
export interface Scene {
  readonly grid: Grid;
  readonly tokens: readonly Token[];
  readonly marks: readonly Mark[];
  readonly trays: readonly Tray[];
  readonly holes: readonly Cell[];
  readonly status: readonly string[];
  readonly title: string;
}

/** What is the same in all scenes of a game: colours by name, drawings by name. */
export interface Look {
  readonly palette: Readonly<Record<string, string>>;
  readonly glyphs: Readonly<Record<string, string>>;
}

/** A move as a person makes it: a token is taken up, and then lies on these cells. */
export interface Gesture {
  readonly move: string;
  /** The token that is taken up, or null where a cell is simply chosen. */
  readonly token: string | null;
  /** Where it then lies; none for a move without a place, which is shown as a button. */
  readonly cells: readonly Cell[];
  readonly label: string;
}

// ------------------------------------------------------------------------------------------- shelf

export interface Option {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly default: string;
  readonly choices: readonly string[];
}

export interface Edition {
  readonly name: string;
  readonly title: string;
  readonly seat_names: readonly string[];
  readonly min_seats: number;
  readonly max_seats: number;
  readonly options: readonly Option[];
  /** The option that decides how many seats there are, if one does. */
  readonly seats_by: string | null;
  readonly seats: Readonly<Record<string, number>>;
  readonly authorities: readonly Authority[];
  readonly speaks: "xml" | "binary" | null;
  readonly players: readonly string[];
}

export interface Player {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly levels: readonly number[];
}

export interface Shelf {
  readonly editions: readonly Edition[];
  readonly players: readonly Player[];
  readonly limits: { readonly games: number; readonly per_move: number; readonly upload: number };
  readonly version: string;
}

// ------------------------------------------------------------------------------------------- games

export interface Fault {
  readonly kind: string;
  readonly detail: string;
  readonly explanation: string;
  readonly move: string;
}

export interface Result {
  readonly ranks: readonly number[];
  readonly scores: readonly number[];
  readonly winners: readonly number[];
  readonly reason: string;
  readonly headline: string;
  readonly faults: readonly (Fault | null)[];
  readonly cancelled: boolean;
}

export interface Clocks {
  readonly kind: "per move" | "account";
  readonly per_move: number | null;
  readonly left: readonly (number | null)[];
  readonly running: number | null;
  readonly since: number | null;
  readonly now: number;
}

export interface Receipt {
  readonly asked: number | null;
  readonly first_byte: number;
  readonly last_byte: number;
  readonly judged: number;
  readonly lag: number;
}

export interface Turn {
  readonly turn: number;
  readonly ply: number;
  readonly seat: number;
  readonly move: string | null;
  readonly spent: number;
  readonly hints: readonly string[];
  readonly at: number;
  readonly receipt: Receipt | null;
  readonly note: string | null;
}

export interface GameSummary {
  readonly id: string;
  readonly edition: string;
  readonly title: string;
  readonly authority: Authority;
  readonly names: readonly string[];
  readonly seat_names: readonly string[];
  readonly kinds: readonly SeatKind[];
  readonly present: readonly boolean[];
  readonly state: State;
  readonly paused: boolean;
  readonly turn: number;
  readonly ply: number;
  readonly to_move: number | null;
  readonly created: number;
  readonly ended: number | null;
  readonly result: Result | null;
  readonly source: "arena" | "demo" | "server" | "upload";
}

export interface GameDetail {
  readonly summary: GameSummary;
  readonly turns: readonly Turn[];
  readonly scene: Scene;
  readonly look: Look;
  readonly clocks: Clocks;
  readonly event: number;
  readonly position: string;
  readonly speaks: "xml" | "binary" | null;
  readonly downloads: readonly string[];
}

export interface Games {
  readonly games: readonly GameSummary[];
  readonly before: string | null;
}

export interface Scenes {
  readonly first: number;
  readonly scenes: readonly Scene[];
}

// ------------------------------------------------------------------------------------------ orders

export interface SeatOrder {
  readonly kind: SeatKind;
  readonly player?: string | null;
  readonly level?: number | null;
  readonly name?: string | null;
}

export interface GameOrder {
  readonly edition: string;
  readonly authority: Authority;
  readonly seed: number | null;
  readonly options: Readonly<Record<string, string>>;
  readonly seats: readonly SeatOrder[];
  readonly per_move: number | null;
  readonly paused: boolean;
  readonly position?: string | null;
  readonly start?: { readonly game: string; readonly turn: number } | null;
}

export interface ArrangedSeat {
  readonly kind: SeatKind;
  readonly name: string;
  readonly token: string | null;
  readonly reservation: string | null;
  readonly host: string | null;
  readonly port: number | null;
  readonly command: string | null;
}

export interface Arranged {
  readonly id: string;
  readonly seats: readonly ArrangedSeat[];
}

export interface Session {
  readonly organiser: boolean;
  readonly password_set: boolean;
  readonly may_set_password: boolean;
  readonly csrf: string | null;
}

// ------------------------------------------------------------------------------------- live, seats

export type Said =
  | { readonly kind: "snapshot"; readonly game: GameDetail }
  | { readonly kind: "seated"; readonly present: readonly boolean[]; readonly state: State }
  | { readonly kind: "turn"; readonly seat: number; readonly ply: number; readonly clocks: Clocks }
  | {
      readonly kind: "move";
      readonly turn: Turn;
      readonly scene: Scene;
      readonly clocks: Clocks;
      readonly position: string;
    }
  | { readonly kind: "pause"; readonly paused: boolean }
  | {
      readonly kind: "violation";
      readonly seat: number;
      readonly fault: Fault;
      readonly turn: Turn | null;
      readonly scene: Scene | null;
      readonly position: string | null;
    }
  | {
      readonly kind: "end";
      readonly summary: GameSummary;
      readonly scene: Scene;
      readonly downloads: readonly string[];
    };

export type SeatSays =
  | {
      readonly kind: "ask";
      readonly turn: number;
      readonly allowed: number | null;
      readonly gestures: readonly Gesture[];
    }
  | { readonly kind: "wait" }
  | { readonly kind: "accepted"; readonly turn: number; readonly move: string }
  | { readonly kind: "refused"; readonly code: string; readonly explanation: string }
  | {
      readonly kind: "because";
      readonly id: number | null;
      readonly code: string;
      readonly explanation: string;
    }
  | { readonly kind: "end"; readonly result: Result };
