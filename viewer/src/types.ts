/** Short names for the types of the API. Generated: see schema.d.ts. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Cell = readonly [column: number, row: number];
export type Grid = Schemas["Grid"];
export type Token = Schemas["Token"];
export type Tray = Schemas["Tray"];
export type Mark = Schemas["Mark"];
export type Scene = Schemas["SceneView"];
export type Scenes = Schemas["Scenes"];
export type Look = Schemas["Look"];
export type Gesture = Schemas["Gesture"];

export type Option = Schemas["OptionView"];
export type Edition = Schemas["Edition"];
export type Player = Schemas["PlayerView"];
export type GameCatalogue = Schemas["GameCatalogue"];
export type Card = Schemas["CardView"];
export type Start = Schemas["StartView"];
export type Guide = Schemas["GuideView"];

export type Fault = Schemas["FaultView"];
export type Result = Schemas["ResultView"];
export type Clocks = Schemas["Clocks"];
export type Receipt = Schemas["Receipt"];
export type Turn = Schemas["TurnView"];
export type GameSummary = Schemas["GameSummary"];
export type GameDetail = Schemas["GameDetail"];
export type Games = Schemas["Games"];
export type State = GameSummary["state"];
export type Authority = GameSummary["authority"];

export type SeatOrder = Schemas["SeatOrder"];
export type SeatKind = SeatOrder["kind"];
export type GameOrder = Schemas["GameOrder"];
export type ArrangedSeat = Schemas["OpenedSeatView"];
export type Arranged = Schemas["OpenedGameView"];
export type Network = Schemas["NetworkView"];
export type Rematch = Schemas["RematchView"];
export type Session = Schemas["SessionView"];
export type Refusal = Schemas["ErrorBody"];

/** What the feed of a game says. */
export type Said = Schemas["FeedMessage"]["message"];
/** What a person at a seat is told, and says. */
export type SeatMessage = Schemas["SeatMessage"]["message"];
export type PersonMessage = Schemas["PersonMessage"]["message"];

/** Games after the fact, what engines say of them, and contests. */
export type SceneSequence = Schemas["SceneSequence"];
export type Replay = Schemas["Replay"];
export type ReplayTurn = Schemas["ReplayTurn"];
export type Origin = Replay["source"];
export type PositionAt = Schemas["PositionAt"];
export type Kept = Schemas["StoredFile"];
export type Engines = Schemas["Engines"];
export type BestLine = Schemas["BestLine"];
export type RulingView = Schemas["RulingView"];
export type SeasonSummary = Schemas["SeasonSummary"];
export type SeasonView = Schemas["SeasonView"];
export type SeasonOrder = Schemas["SeasonOrder"];
export type SeasonForm = {
  -readonly [Name in keyof SeasonOrder["form"]]: SeasonOrder["form"][Name];
};
export type SeasonChoices = Schemas["SeasonChoices"];
export type SeasonCommand = Schemas["SeasonCommand"];
export type SeasonTask = Schemas["SeasonTaskView"];
export type MySeasonTeam = Schemas["MySeasonTeam"];
export type RulingOrder = Schemas["RulingOrder"];
export type Evaluated = Schemas["Evaluated"];
export type StoreSummary = Schemas["StoreSummary"];
export type StoreGames = Schemas["StoreGames"];
export type Annotation = Schemas["AnnotationView"];
export type Review = Schemas["ReviewView"];
export type ReviewedTurn = Schemas["ReviewedTurnView"];
export type ExploredPosition = Schemas["ExploredPosition"];
export type TriedMove = Schemas["TriedMoveView"];
export type LineScenes = Schemas["LineScenes"];
export type Judged = Schemas["Judged"];
export type Word = Schemas["AnalysisMessage"]["message"];
export type ContestSummary = Schemas["ContestSummary"];
export type Contest = Schemas["Contest"];
export type Phase = Schemas["PhaseView"];
export type Day = Schemas["DayView"];
export type Meeting = Schemas["MeetingView"];
export type CrossCell = Schemas["Cell"];
export type ContestGame = Schemas["ContestGame"];
export type MeetingGames = Schemas["MeetingGames"];
export type GameLog = Schemas["GameLog"];
export type Progress = Schemas["ContestProgress"];
export type Stage = Schemas["StageView"];

// people, teams, bots
export type Me = Schemas["MeView"];
export type MemberView = Schemas["MemberView"];
export type RegistrationView = Schemas["RegistrationView"];
export type TokenView = Schemas["TokenView"];
export type TeamName = Schemas["TeamName"];
export type Team = Schemas["TeamView"];
export type Bot = Schemas["BotView"];
export type BotVersion = Schemas["VersionView"];
export type OwnVersion = Schemas["VersionInside"];
export type LadderSummary = Schemas["LadderSummary"];
export type LadderTable = Schemas["LadderTable"];
export type LadderRow = Schemas["LadderRow"];
export type LadderEntrant = Schemas["LadderEntrant"];
export type LadderGame = Schemas["LadderGame"];
export type LadderGames = Schemas["LadderGames"];
export type LadderVersion = Schemas["LadderVersionView"];
export type LadderGameView = Schemas["LadderGameView"];
export type Friendly = Schemas["FriendlyView"];
export type FriendlyOrder = Schemas["FriendlyOrder"];
export type FriendlyPage = Schemas["FriendlyPage"];
