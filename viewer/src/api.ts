/** The only module that talks to the server: requests, orders, streams. */
import type {
  Arranged,
  GameDetail,
  GameOrder,
  Games,
  Guide,
  Network,
  PersonMessage,
  Rematch,
  Said,
  Scenes,
  SeatMessage,
  Session,
  GameCatalogue,
  Start,
  State,
} from "./types";
import type {
  Contest,
  ContestSummary,
  Engines,
  GameLog,
  Kept,
  Friendly,
  FriendlyOrder,
  FriendlyPage,
  LadderGames,
  LadderGameView,
  LadderSummary,
  LadderTable,
  LadderVersion,
  LineScenes,
  MeetingGames,
  Origin,
  PositionAt,
  Progress,
  Replay,
  Stage,
  Word,
} from "./types";
import type {
  Bot,
  BotVersion,
  Me,
  MemberView,
  RegistrationView,
  Team,
  TeamName,
  TokenView,
} from "./types";
import type {
  RulingOrder,
  SeasonChoices,
  SeasonCommand,
  SeasonOrder,
  SeasonSummary,
  SeasonView,
} from "./types";
import type {
  Annotation,
  ExploredPosition,
  Review,
  StoreGames,
  StoreSummary,
  TriedMove,
} from "./types";
import type { Language } from "./model/i18n";
import type { Place } from "./model/route";
import type { components } from "./schema";
import { isOver } from "./model/watch";

/** The server said no, or did not answer at all (then the code is `offline`). */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

let csrf: string | null = null;

// ---------------------------------------------------------------------------------------- requests

export const catalogue = (lang: Language): Promise<GameCatalogue> => ask(`/catalogue?lang=${lang}`);

/** A page of games in one of these states, newest first. */
export const games = (
  lang: Language,
  states: readonly State[],
  limit = 50,
  before: string | null = null,
): Promise<Games> => {
  const asked = [
    ...states.map((state) => ["state", state]),
    ["limit", String(limit)],
    ["lang", lang],
  ];
  if (before !== null) asked.push(["before", before]);
  return ask(`/games?${new URLSearchParams(asked)}`);
};

export const game = (id: string, lang: Language): Promise<GameDetail> =>
  ask(`/games/${encodeURIComponent(id)}?lang=${lang}`);

export const scenes = (id: string, first: number, last: number, lang: Language): Promise<Scenes> =>
  ask(`/games/${encodeURIComponent(id)}/scenes?first=${first}&last=${last}&lang=${lang}`);

export const order = async (wanted: GameOrder): Promise<Arranged> => {
  await introduced();
  return ask("/games", "POST", wanted);
};

/** Of a game that was opened here, with its key; the organiser needs none. */
export const pause = (id: string, paused: boolean, key: string | null): Promise<unknown> =>
  manage(id, "pause", key, { paused });

export const stepOnce = (id: string, key: string | null): Promise<unknown> =>
  manage(id, "step", key);

export const cancel = (id: string, key: string | null): Promise<unknown> =>
  manage(id, "cancel", key);

const manage = (id: string, verb: string, key: string | null, body: unknown = {}) =>
  ask(`/games/${encodeURIComponent(id)}/${verb}`, "POST", body, key ? { "X-Game-Key": key } : {});

/** Play once more; `seat` is null for whoever opened the game. */
export const orderRematch = async (
  id: string,
  seat: number | null,
  key: string,
): Promise<Arranged> => {
  await introduced();
  return ask(`/games/${encodeURIComponent(id)}/rematch`, "POST", { seat, key });
};

export const rematch = (id: string): Promise<Rematch> =>
  ask(`/games/${encodeURIComponent(id)}/rematch`);

/** How the board looks at the start with these options. */
export const start = (
  edition: string,
  options: Readonly<Record<string, string>>,
  lang: Language,
): Promise<Start> => {
  const query = new URLSearchParams({ lang, ...options });
  return ask(`/starts/${encodeURIComponent(edition)}?${query}`);
};

/** The start that a map file describes. */
export async function sendMap(edition: string, file: Blob, lang: Language): Promise<Start> {
  await introduced();
  return send(`/starts/${encodeURIComponent(edition)}?lang=${lang}`, file);
}

/** Under which address others reach the arena, and whether we may open it to them. */
export const network = (): Promise<Network> => ask("/network");
export const openNetwork = (): Promise<Network> => ask("/network", "POST", {});

export const guide = (edition: string, lang: Language): Promise<Guide> =>
  ask(`/guides/${encodeURIComponent(edition)}?lang=${lang}`);

export const session = async (): Promise<Session> => remembered(await ask<Session>("/session"));

export const logIn = async (password: string): Promise<Session> =>
  remembered(await ask<Session>("/session", "POST", { password }));

/** On the first visit; from another machine the code is needed that the arena printed. */
export const setFirstPassword = async (password: string, code: string | null): Promise<Session> =>
  remembered(await ask<Session>("/first-password", "POST", { password, code }));

export const logOut = async (): Promise<Session> => {
  await ask("/session", "DELETE");
  return session();
};

/** Where a file of a game can be downloaded; pictures are of a turn. */
export const download = (id: string, file: string, turn: number, lang: Language): string =>
  `/api/games/${encodeURIComponent(id)}/files/${file}?turn=${turn}&lang=${lang}`;

/** Guests need no token, but the organiser's browser must show its own: it has to be asked for once. */
async function introduced(): Promise<void> {
  if (csrf === null) await session();
}

function remembered(session: Session): Session {
  csrf = session.csrf;
  return session;
}

/** One request; what is not a success is thrown as `Refused`. */
export async function ask<Answer>(
  path: string,
  method = "GET",
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers: Record<string, string> = { Accept: "application/json", ...more };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`/api${path}`, { method, headers, ...content }).catch(offline);
  if (!answer.ok) throw await refusal(answer);
  return answer.status === 204 ? (undefined as Answer) : ((await answer.json()) as Answer);
}

const offline = (problem: unknown): never => {
  throw new Refused("offline", String(problem));
};

async function refusal(answer: Response): Promise<Refused> {
  const said: unknown = await answer.json().catch(() => null);
  const detail = (said as { detail?: { code?: string; message?: string } } | null)?.detail;
  const message = detail?.message ?? `${answer.status} ${answer.statusText}`;
  return new Refused(detail?.code ?? "failed", message, answer.status);
}

// -------------------------------------------------------------------------------------------- live

/** `closed` is for good: it makes no sense to try again. */
export type Connection = "connecting" | "live" | "lost" | "closed";

export interface Listener<Message> {
  readonly receive: (message: Message) => void;
  readonly connection: (state: Connection) => void;
}

const SAID = ["snapshot", "seated", "turn", "move", "pause", "violation", "end"] as const;

/** Follow a game from an event on; the browser reconnects by itself. Returns what ends it. */
export const follow = (
  id: string,
  after: number,
  lang: Language,
  listener: Listener<Said>,
): (() => void) =>
  listen(
    `/games/${encodeURIComponent(id)}/feed?after=${after}&lang=${lang}`,
    SAID,
    listener,
    isLast,
  );

/** Whether nothing can follow. */
const isLast = (said: Said): boolean =>
  said.kind === "end" || (said.kind === "snapshot" && isOver(said.game));

/** A feed of server-sent events; one that was closed for good is opened again after a while. */
export function listen<Message>(
  path: string,
  kinds: readonly string[],
  listener: Listener<Message>,
  isLast: (message: Message) => boolean = () => false,
): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    listener.connection("connecting");
    source = new EventSource(`/api${path}`);
    source.onopen = () => listener.connection("live");
    source.onerror = lost;
    for (const kind of kinds) source.addEventListener(kind, heard);
  };
  const heard = (event: MessageEvent<string>) => {
    const message = JSON.parse(event.data) as Message;
    if (isLast(message)) source?.close();
    listener.receive(message);
  };
  const lost = () => {
    listener.connection("lost");
    if (source?.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    timer = setTimeout(open, 2_000);
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

// -------------------------------------------------------------------------------------------- seat

export interface SeatLine {
  /** False: nobody heard it. */
  readonly move: (move: string, turn: number) => boolean;
  readonly why: (
    token: string | null,
    cells: readonly (readonly [number, number])[],
    id: number,
  ) => void;
  readonly resign: () => boolean;
  /** Ask to take a move back, or agree to it; false: nobody may. */
  readonly takeBack: (agreed: boolean) => boolean;
  readonly close: () => void;
}

/** Sit down on a seat: hear what is asked, say moves. A lost line is opened again. */
export function sit(
  id: string,
  seat: number,
  token: string,
  lang: Language,
  listener: Listener<SeatMessage>,
): SeatLine {
  const base = location.origin.replace(/^http/, "ws");
  const query = new URLSearchParams({ token, lang });
  const address = `${base}/api/games/${encodeURIComponent(id)}/seats/${seat}?${query}`;
  let socket: WebSocket;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let done = false;
  const open = () => {
    listener.connection("connecting");
    socket = new WebSocket(address);
    socket.onopen = () => listener.connection("live");
    socket.onmessage = ({ data }: MessageEvent<string>) => heard(JSON.parse(data) as SeatMessage);
    socket.onclose = ({ code }) => {
      if (done) return;
      const refused = code >= 4_400 && code < 4_500;
      listener.connection(refused ? "closed" : "lost");
      if (!refused) timer = setTimeout(open, 1_500);
    };
  };
  const heard = (says: SeatMessage) => {
    done ||= says.kind === "end";
    listener.receive(says);
  };
  const say = (message: PersonMessage): boolean => {
    if (socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  };
  open();
  return {
    move: (move, turn) => say({ kind: "move", move, turn }),
    why: (held, cells, number) => say({ kind: "why", token: held, cells, id: number }),
    resign: () => say({ kind: "resign" }),
    takeBack: (agreed) => say({ kind: "take-back", agreed }),
    close: () => {
      done = true;
      clearTimeout(timer);
      socket.close();
    },
  };
}

// ------------------------------------------------------------------------------- after the fact

const place = (source: string, id: string): string => `${source}/${encodeURIComponent(id)}`;

/** What every move of a game was worth; the first who asks waits until it is computed. */
export const review = (place: Place, lang: Language): Promise<Review> =>
  ask(`${reviewOf(place)}?lang=${lang}`);

/** A picture of the position after the move that would have been better. */
export const betterMove = (place: Place, turn: number, lang: Language): string =>
  `/api${reviewOf(place)}/better/${turn}.svg?lang=${lang}`;

/** What another move at a turn would have been worth. */
export const tried = (place: Place, turn: number, move: string): Promise<TriedMove> =>
  ask(`${reviewOf(place)}/tried/${turn}?move=${encodeURIComponent(move)}`);

/** The mistake of a turn as a position for the gym. */
export const gymFile = (place: Place, turn: number): string =>
  `/api${reviewOf(place)}/gym.toml?turn=${turn}`;

const reviewOf = ({ source, id }: Place): string => `/reviews/${source}/${encodeURIComponent(id)}`;

export const replay = (source: string, id: string, lang: Language): Promise<Replay> =>
  ask(`/replays/${place(source, id)}?lang=${lang}`);

/** The stores that the arena was opened with. */
export const stores = (): Promise<readonly StoreSummary[]> => ask("/stores");

/** Which games of a list are wanted; what is empty does not matter. */
export type GameFilter = Readonly<Record<string, string>>;

const filterQuery = (wanted: GameFilter, more: Readonly<Record<string, string>>): string => {
  const said = Object.entries(wanted).filter(([, value]) => value !== "");
  // an empty word is in every fault
  const words = said.map(([name, value]) => [name, value === ANY_FAULT ? "" : value] as const);
  return String(new URLSearchParams([...words, ...Object.entries(more)].map((each) => [...each])));
};

/** Stands for every fault where a word of a fault is asked for. */
export const ANY_FAULT = "*";

/** Games of a store or of a contest. */
export const storedGames = (
  kind: "stores" | "contests",
  id: string,
  wanted: GameFilter,
  lang: Language,
  first = 0,
): Promise<StoreGames> => {
  const path = `/${kind}/${encodeURIComponent(id)}${kind === "contests" ? "/games" : ""}`;
  return ask(`${path}?${filterQuery(wanted, { lang, first: String(first) })}`);
};

/** Where the replay files of such games can be downloaded, a hundred from the first on. */
export const gamesArchive = (
  kind: "stores" | "contests",
  id: string,
  wanted: GameFilter,
  first: number,
): string =>
  `/api/${kind}/${encodeURIComponent(id)}/games.zip?${filterQuery(wanted, { first: String(first) })}`;

/** What was played from a position; what is empty does not matter. */
export const explore = (wanted: Readonly<Record<string, string>>): Promise<ExploredPosition> => {
  const said = Object.entries(wanted).filter(([, value]) => value !== "");
  return ask(`/explorer?${new URLSearchParams(said)}`);
};

/** A position, drawn. */
export const exploredPicture = (edition: string, position: string): string =>
  `/api/explorer/picture.svg?${new URLSearchParams({ edition, position })}`;

/** What the bots of a game showed beside it. */
export const annotations = ({ source, id }: Place): Promise<readonly Annotation[]> =>
  ask(`/annotations/${place(source, id)}`);

/** The text of the position after a turn, and who is to move there. */
export const position = (source: string, id: string, turn: number): Promise<PositionAt> =>
  ask(`/replays/${place(source, id)}/positions/${turn}`);

/** Send a file of a game that was played; where it is to be found then. */
export const sendReplay = (file: Blob): Promise<Kept> => send("/replays", file);

/** Send the store of a match or contest; where its games are to be found then. */
export const sendStore = (file: File): Promise<StoreSummary> =>
  send(`/stores?${new URLSearchParams({ name: file.name.slice(0, 80) })}`, file);

async function send<Answer>(path: string, file: Blob): Promise<Answer> {
  const headers: Record<string, string> = { "Content-Type": "application/octet-stream" };
  if (csrf) headers["X-CSRF-Token"] = csrf;
  const answer = await fetch(`/api${path}`, { method: "POST", headers, body: file }).catch(offline);
  if (!answer.ok) throw await refusal(answer);
  return (await answer.json()) as Answer;
}

/** Where a file of a told game can be had. */
export const replayFile = (
  source: Origin,
  id: string,
  file: string,
  query: Record<string, string | number> = {},
): string => {
  const more = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, `${value}`]),
  );
  return `/api/replays/${place(source, id)}/${file}${more.size ? `?${more}` : ""}`;
};

export const engines = (edition: string): Promise<Engines> =>
  ask(`/analysis/engines/${encodeURIComponent(edition)}`);

/** How the board looks after each of these moves. */
export const line = (
  { edition, authority, position }: PositionAt,
  moves: readonly string[],
  lang: Language,
): Promise<LineScenes> => {
  const query = new URLSearchParams({ edition, authority, position, lang });
  for (const move of moves) query.append("moves", move);
  return ask(`/analysis/line?${query}`);
};

const WORDS = ["queued", "began", "evaluated", "judged", "finished", "failed"] as const;
const CLIENT = Math.random().toString(36).slice(2);

/** Listen to an engine; what ends it is returned. It is asked once: what was lost is not repeated. */
export function analyse(
  what: string,
  wanted: Record<string, string>,
  hear: (word: Word) => void,
): () => void {
  const query = new URLSearchParams({ ...wanted, client: CLIENT });
  const source = new EventSource(`/api/analysis/${what}?${query}`);
  const end = () => source.close();
  for (const kind of WORDS)
    source.addEventListener(kind, (event: MessageEvent<string>) => {
      const word = JSON.parse(event.data) as Word;
      if (word.kind === "finished" || word.kind === "failed") end();
      hear(word);
    });
  source.onerror = () => {
    end();
    hear({ kind: "failed", code: "broken", message: "" });
  };
  return end;
}

export const analyseGame = (
  source: string,
  id: string,
  wanted: Record<string, string>,
  hear: (word: Word) => void,
): (() => void) => analyse(place(source, id), wanted, hear);

export const ladders = (lang: Language): Promise<LadderSummary[]> => ask(`/ladder?lang=${lang}`);

export const ladder = (edition: string, lang: Language, start = 0): Promise<LadderTable> =>
  ask(`/ladder/${encodeURIComponent(edition)}?lang=${lang}&start=${start}`);

export const ladderGames = (edition: string, lang: Language): Promise<LadderGames> =>
  ask(`/ladder/${encodeURIComponent(edition)}/games?lang=${lang}&count=20`);

/** A version with a page of its games, those before a number of the record. */
export const ladderVersion = (
  version: string,
  lang: Language,
  wanted: GameFilter = {},
  before: number | null = null,
): Promise<LadderVersion> => {
  const more = before === null ? {} : { before: String(before) };
  const query = filterQuery(wanted, { lang, ...more });
  return ask(`/ladder/versions/${encodeURIComponent(version)}?${query}`);
};

/** Where the replay files of such a page of games can be downloaded. */
export const ladderArchive = (
  version: string,
  wanted: GameFilter,
  before: number | null,
): string => {
  const query = filterQuery(wanted, before === null ? {} : { before: String(before) });
  return `/api/ladder/versions/${encodeURIComponent(version)}/games.zip?${query}`;
};

export const ladderGame = (game: string, lang: Language): Promise<LadderGameView> =>
  ask(`/ladder/games/${encodeURIComponent(game)}?lang=${lang}`);

const friendliesOf = (team: string): string => `/teams/${encodeURIComponent(team)}/friendlies`;

export const friendlies = async (team: string, lang: Language): Promise<readonly Friendly[]> =>
  (await ask<{ friendlies: Friendly[] }>(`${friendliesOf(team)}?lang=${lang}`)).friendlies;

export const friendly = (id: string, lang: Language): Promise<FriendlyPage> =>
  ask(`/friendlies/${encodeURIComponent(id)}?lang=${lang}`);

export const challenge = (team: string, order: Partial<FriendlyOrder>): Promise<Friendly> =>
  ask(friendliesOf(team), "POST", order);

/** Accept or decline a challenge, take it back, or play no more. */
export const answer = (
  team: string,
  id: string,
  verb: "accept" | "decline" | "end",
): Promise<Friendly> => ask(`${friendliesOf(team)}/${encodeURIComponent(id)}/${verb}`, "POST", {});

const seasonPath = (id: string) => `/seasons/${encodeURIComponent(id)}`;

export const seasons = (lang: Language): Promise<SeasonSummary[]> => ask(`/seasons?lang=${lang}`);

export const seasonChoices = (lang: Language): Promise<SeasonChoices> =>
  ask(`/seasons/choices?lang=${lang}`);

export const season = (id: string, lang: Language): Promise<SeasonView> =>
  ask(`${seasonPath(id)}?lang=${lang}`);

export async function makeSeason(wanted: SeasonOrder): Promise<SeasonSummary> {
  await introduced();
  return ask("/seasons", "POST", wanted);
}

/** A new season from a contest's file. */
export async function importSeason(toml: string): Promise<SeasonSummary> {
  await introduced();
  return ask("/seasons/import", "POST", { toml });
}

export const editSeason = (id: string, wanted: SeasonOrder): Promise<void> =>
  changeSeason(id, "", "PUT", wanted);

export const removeSeason = (id: string): Promise<void> => changeSeason(id, "", "DELETE", {});

export const runSeason = (id: string, wanted: SeasonCommand): Promise<void> =>
  changeSeason(id, "/actions", "POST", wanted);

export const releaseDay = (id: string, day: number): Promise<void> =>
  changeSeason(id, "/days", "POST", { day });

export const enterSeason = (id: string, team: string, version: string): Promise<void> =>
  changeSeason(id, `/entries/${encodeURIComponent(team)}`, "PUT", { version });

export const withdraw = (id: string, team: string, reason: string): Promise<void> =>
  changeSeason(id, `/entries/${encodeURIComponent(team)}/withdrawal`, "POST", { reason });

export const rule = (id: string, wanted: RulingOrder): Promise<void> =>
  changeSeason(id, "/rulings", "POST", wanted);

async function changeSeason(id: string, path: string, method: string, body: unknown) {
  await introduced();
  await ask(`${seasonPath(id)}${path}`, method, body);
}

export const contests = (lang: Language): Promise<ContestSummary[]> =>
  ask(`/contests?lang=${lang}`);

export const contest = (id: string, lang: Language): Promise<Contest> =>
  ask(`/contests/${encodeURIComponent(id)}?lang=${lang}`);

export const meeting = (id: string, key: string): Promise<MeetingGames> =>
  ask(`/contests/${encodeURIComponent(id)}/meeting?${new URLSearchParams({ key })}`);

export const gameLog = (id: string, number: string): Promise<GameLog> =>
  ask(`/contests/${encodeURIComponent(id)}/games/${encodeURIComponent(number)}/log`);

/** Hear whenever games of a contest were played. */
export const followContest = (id: string, listener: Listener<Progress>): (() => void) =>
  listen(`/contests/${encodeURIComponent(id)}/feed`, ["progress"], listener);

/** See the game on the stage of a contest, as everybody sees it. */
export const followStage = (id: string, lang: Language, listener: Listener<Stage>): (() => void) =>
  listen(`/contests/${encodeURIComponent(id)}/stage?lang=${lang}`, ["stage"], listener);

/** A host takes over, or leaves. */
export const hostStage = (id: string, hosted: boolean): Promise<unknown> =>
  ask(`/contests/${encodeURIComponent(id)}/stage/host`, "POST", { hosted });

export const startOnStage = (id: string, key: string): Promise<unknown> =>
  ask(`/contests/${encodeURIComponent(id)}/stage/start`, "POST", { key });

/** Show the end of the game on stage. */
export const skipOnStage = (id: string): Promise<unknown> =>
  ask(`/contests/${encodeURIComponent(id)}/stage/skip`, "POST", {});

// ------------------------------------------------------------------------- people, teams, bots

type Link = components["schemas"]["LinkView"];
type MadeToken = components["schemas"]["MadeToken"];
type OperatorText = components["schemas"]["PageView"];

const known = (me: Me): Me => {
  csrf = me.csrf;
  return me;
};

export const me = async (): Promise<Me> => known(await ask<Me>("/me"));

export const register = async (name: string, password: string, code: string): Promise<Me> =>
  known(await ask<Me>("/members", "POST", { name, password, code }));

export const logMemberIn = async (name: string, password: string): Promise<Me> =>
  known(await ask<Me>("/login", "POST", { name, password }));

export const logMemberOut = (): Promise<unknown> => ask("/login", "DELETE");

export const resetPassword = async (secret: string, password: string): Promise<Me> =>
  known(await ask<Me>("/reset", "POST", { secret, password }));

export const changeOwnPassword = async (old: string, password: string): Promise<Me> =>
  known(await ask<Me>("/me/password", "POST", { old, password }));

export const eraseMe = (password: string): Promise<unknown> =>
  ask("/me/erase", "POST", { password });

export const tokens = (): Promise<{ tokens: readonly TokenView[] }> => ask("/me/tokens");

export const makeToken = (label: string, scopes: readonly string[]): Promise<MadeToken> =>
  ask("/me/tokens", "POST", { label, scopes, days: 90 });

export const revokeToken = (id: string): Promise<unknown> => ask(`/me/tokens/${id}`, "DELETE");

export const teams = (): Promise<{ teams: readonly TeamName[] }> => ask("/teams");

export const makeTeam = (name: string): Promise<TeamName> => ask("/teams", "POST", { name });

export const team = (id: string, lang: Language): Promise<Team> =>
  ask(`/teams/${encodeURIComponent(id)}?lang=${lang}`);

export const renameTeam = (id: string, name: string): Promise<unknown> =>
  ask(`/teams/${id}/name`, "POST", { name });

export const inviteTo = (id: string): Promise<Link> => ask(`/teams/${id}/invitation`, "POST", {});

export const leaveTeam = (id: string): Promise<unknown> => ask(`/teams/${id}/leave`, "POST", {});

export const setWebhook = (id: string, url: string): Promise<unknown> =>
  ask(`/teams/${id}/webhook`, "POST", { url });

export const eraseTeam = (id: string): Promise<unknown> => ask(`/teams/${id}`, "DELETE");

export const invitation = (secret: string): Promise<TeamName> =>
  ask(`/invitations/${encodeURIComponent(secret)}`);

export const acceptInvitation = (secret: string): Promise<TeamName> =>
  ask(`/invitations/${encodeURIComponent(secret)}`, "POST", {});

export const makeBot = (team: string, edition: string, name: string): Promise<Bot> =>
  ask(`/teams/${team}/bots`, "POST", { edition, name });

export const bot = (id: string, lang: Language): Promise<Bot> =>
  ask(`/bots/${encodeURIComponent(id)}?lang=${lang}`);

export const renameBot = (id: string, name: string): Promise<unknown> =>
  ask(`/bots/${id}/name`, "POST", { name });

export const eraseBot = (id: string): Promise<unknown> => ask(`/bots/${id}`, "DELETE");

/** Send a bot's file as it is; it waits for its check then. */
export async function uploadVersion(id: string, file: File): Promise<BotVersion> {
  const headers: Record<string, string> = { "Content-Type": "application/octet-stream" };
  if (csrf) headers["X-CSRF-Token"] = csrf;
  const path = `/api/bots/${id}/versions?${new URLSearchParams({ name: file.name })}`;
  const answer = await fetch(path, { method: "POST", headers, body: file }).catch(offline);
  if (!answer.ok) throw await refusal(answer);
  return (await answer.json()) as BotVersion;
}

export const activate = (version: string): Promise<unknown> =>
  ask(`/versions/${version}/activate`, "POST", {});

export const park = (version: string, reason: string): Promise<unknown> =>
  ask(`/versions/${version}/park`, "POST", { reason });

export const unpark = (version: string): Promise<unknown> =>
  ask(`/versions/${version}/unpark`, "POST", {});

export const members = (): Promise<{ members: readonly MemberView[] }> => ask("/members");

export const renameMember = (id: string, name: string): Promise<unknown> =>
  ask(`/members/${id}/name`, "POST", { name });

export const makeReset = (id: string): Promise<Link> => ask(`/members/${id}/reset`, "POST", {});

export const setRole = (id: string, role: MemberView["role"]): Promise<unknown> =>
  ask(`/members/${id}/role`, "POST", { role });

export const eraseMember = (id: string): Promise<unknown> => ask(`/members/${id}`, "DELETE");

export const registration = (): Promise<RegistrationView> => ask("/registration");

export const setRegistration = (rule: RegistrationView["rule"]): Promise<RegistrationView> =>
  ask("/registration", "POST", { rule });

export const operatorText = (name: string): Promise<OperatorText> => ask(`/texts/${name}`);

export const writeOperatorText = (name: string, text: string): Promise<OperatorText> =>
  ask(`/texts/${name}`, "POST", { text });
