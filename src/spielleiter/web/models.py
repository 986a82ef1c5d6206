"""The types of the HTTP API: what is sent to browsers, and what they may send.

Values of the contract and of matches are sent as they are: no class here copies their fields.

Texts for people come in the language that the request asks for (`lang=en` or `lang=de`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from spielleiter.game import Cell, Gesture, Grid, Mark, Token, Tray
from spielleiter.match import Receipt

Language = str
"""The code of a language, such as `de`: one of `spielleiter.web.language.LANGUAGES`."""
Authority = Literal["document", "server"]
SeatKind = Literal["person", "built-in", "external"]
State = Literal["waiting", "running", "finished", "aborted"]
Source = Literal["arena", "demo", "server", "upload"]
Speech = Literal["xml", "binary"]

LONGEST_NAME = 60
LONGEST_TEXT = 4_000
LONGEST_THOUGHT = 600.0
MOST_SEATS = 8


class Model(BaseModel):
    """A value; unknown fields are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )


# ----------------------------------------------------------------------------------------- scenes


class SceneView(Model):
    """What lies where. Colours and glyphs are names of the game's `Look`."""

    model_config = ConfigDict(from_attributes=True)  # made from a `Scene`, not field by field

    grid: Grid
    tokens: tuple[Token, ...]
    marks: tuple[Mark, ...]
    trays: tuple[Tray, ...]
    holes: tuple[Cell, ...]
    status: tuple[str, ...]
    title: str


class Look(Model):
    """What is the same in all scenes of a game."""

    palette: dict[str, str]
    """Colour names → `#rrggbb`."""
    glyphs: dict[str, str]
    """Glyph names → SVG in a box of 100 × 100, with `currentColor`."""
    seats: tuple[tuple[str, ...], ...]
    """Names of the colours that each seat plays with, as far as its own name says."""


# -------------------------------------------------------------------------------------- catalogue


class OptionView(Model):
    """Something a set-up can choose besides the seed."""

    name: str
    label: str
    help: str
    default: str
    choices: tuple[str, ...]
    names: dict[str, str]
    """Titles of the default and the choices."""
    tests: tuple[str, ...]
    """Choices for testing programs, to be listed separately."""


class Edition(Model):
    """A game that can be played here."""

    name: str
    title: str
    seat_names: tuple[str, ...]
    min_seats: int
    max_seats: int
    options: tuple[OptionView, ...]
    seats_by: str | None
    """The option that decides how many seats there are, if one does: see `seats`."""
    seats: dict[str, int]
    """Value of that option → number of seats."""
    authorities: tuple[Authority, ...]
    speaks: Speech | None
    """What external clients speak; None: there can be none."""
    players: tuple[str, ...]
    """Built-in players that know this game."""
    own_maps: bool
    """Whether it can be played on a map that somebody sends (`POST /api/starts/{edition}`)."""


class PlayerView(Model):
    """A built-in player."""

    name: str
    label: str
    help: str
    levels: tuple[int, ...]
    """From weak to strong; empty: it has only one."""


class CardView(Model):
    """A game as the first page shows it."""

    edition: str
    title: str
    about: str
    """What it is about, in a sentence."""
    scene: SceneView
    look: Look


class GuideView(Model):
    """The rules of a game in a few steps."""

    edition: str
    title: str
    about: str
    steps: tuple[str, ...]
    scenes: tuple[SceneView, ...]
    """The start, and the middle of a game."""
    look: Look


class ClientPortView(Model):
    """A port for clients of a game."""

    edition: str
    title: str
    speaks: Speech
    host: str
    port: int


class ApiLimitsView(Model):
    """How much may be asked for."""

    games: int
    per_move: float
    upload: int


class GameCatalogue(Model):
    """Everything a new game can be made of."""

    cards: tuple[CardView, ...]
    """One for each game, the running season first."""
    editions: tuple[Edition, ...]
    players: tuple[PlayerView, ...]
    client_ports: tuple[ClientPortView, ...]
    limits: ApiLimitsView
    version: str


# ------------------------------------------------------------------------------------------ games


class FaultView(Model):
    """What a seat did wrong."""

    kind: Literal["out of turn", "unrequested", "late", "silent", "illegal", "left", "reported"]
    detail: str
    """The name of the mistake, or how the seat was left."""
    explanation: str
    """For people."""
    move: str


class ResultView(Model):
    """How a game ended."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str
    """The rule that decided, in the words of the asked language."""
    headline: str
    """Who won, in words."""
    faults: tuple[FaultView | None, ...]
    cancelled: bool


class Clocks(Model):
    """How long seats may think."""

    kind: Literal["per move", "account"]
    per_move: float | None
    """Seconds for a move, or what every request adds to the account; None is without limit."""
    left: tuple[float | None, ...]
    """What each seat may spend on the move it owes, or owes next; None is without limit."""
    grace: float
    """How long the referee waits for an answer after that; what comes then is too late as well."""
    running: int | None
    """The seat that thinks."""
    since: float | None
    """Since when, in seconds of the Unix clock."""
    now: float
    """The server's time of this message, to compute differences."""


class TurnView(Model):
    """One step of a game: a move, or a seat that was put out."""

    turn: int
    """Counts from 1; scene `turn` shows the position after it."""
    ply: int
    seat: int
    move: str | None
    spent: float
    hints: tuple[str, ...]
    at: float
    """Seconds of the Unix clock."""
    receipt: Receipt | None
    note: str | None
    """What happened, if it was no move."""
    gesture: Gesture | None
    """The move as people read and draw it."""


class GameSummary(Model):
    """A line of the lobby."""

    id: str
    edition: str
    title: str
    authority: Authority
    names: tuple[str, ...]
    seat_names: tuple[str, ...]
    kinds: tuple[SeatKind, ...]
    present: tuple[bool, ...]
    """Which seats are taken."""
    state: State
    paused: bool
    turn: int
    """The number of the last turn."""
    ply: int
    to_move: int | None
    created: float
    ended: float | None
    result: ResultView | None
    source: Source


class GameDetail(Model):
    """All there is to know about a game."""

    summary: GameSummary
    turns: tuple[TurnView, ...]
    scene: SceneView
    """The latest."""
    look: Look
    clocks: Clocks
    event: int
    """The number of the last event included; the feed continues after it."""
    position: str
    """The text of the latest position."""
    speaks: Speech | None
    downloads: tuple[str, ...]
    """What can be downloaded below `/api/games/{id}/`."""


class Games(Model):
    """A page of the lobby, newest first."""

    games: tuple[GameSummary, ...]
    before: str | None
    """The key of the next page; None: that was all."""


class Scenes(Model):
    """Several scenes of a game."""

    first: int
    scenes: tuple[SceneView, ...]


class PositionAt(Model):
    """A position of a game, to be played on or analysed."""

    edition: str
    authority: Authority
    turn: int
    position: str
    to_move: int | None


# ------------------------------------------------------------------------------------------ orders


class SeatOrder(Model):
    """The player of a seat."""

    kind: SeatKind
    player: str | None = Field(None, max_length=LONGEST_NAME)
    """The built-in player."""
    level: int | None = Field(None, ge=1, le=100)
    name: str | None = Field(None, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")
    """Its name; None: a default."""


class From(Model):
    """A turn of another game."""

    game: str = Field(max_length=100)
    turn: int = Field(ge=0)


class GameOrder(Model):
    """A game to be played."""

    edition: str = Field(max_length=LONGEST_NAME)
    authority: Authority = "document"
    seed: int | None = Field(None, ge=0, lt=2**53)
    """None: drawn by lot."""
    options: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]] = (
        Field(default_factory=dict, max_length=20)
    )
    seats: tuple[SeatOrder, ...] = Field(min_length=1, max_length=MOST_SEATS)
    per_move: float | None = Field(None, gt=0, le=LONGEST_THOUGHT)
    """Seconds for a move; None is without limit for people, and our choice for built-in players."""
    paused: bool = False
    delay: float = Field(0.3, ge=0, le=10)
    """Seconds that built-in players wait at least, so that people can follow."""
    position: str | None = Field(None, max_length=LONGEST_TEXT)
    """The start position …"""
    start: From | None = None
    """… or a turn of another game. Both override seed and options."""


class StartCommand(Model):
    """A command that starts a program for a seat."""

    language: Literal["Python", "Java", "C++"]
    text: str


class OpenedSeatView(Model):
    """What is needed to take a seat."""

    kind: SeatKind
    name: str
    token: str | None
    """A person's key to the WebSocket of the seat. Secret, shown once."""
    reservation: str | None
    host: str | None
    port: int | None
    command: str | None
    """The command that lets a built-in player take the seat."""
    commands: tuple[StartCommand, ...]
    """Commands that let one's own program take the seat."""
    show: str | None
    """The path to which the seat's bot sends annotations. Secret."""


class OpenedGameView(Model):
    """A game that was ordered."""

    id: str
    key: str | None
    """The key to pause, step and cancel it, as the header `X-Game-Key`. Shown once."""
    seats: tuple[OpenedSeatView, ...]


class RematchOrder(Model):
    """A rematch with rotated seats; `seat` is null for the game's opener."""

    seat: int | None = Field(None, ge=0, lt=MOST_SEATS)
    key: str = Field(max_length=100)


class RematchView(Model):
    """The rematch, if there is one. Keys to seats also open those of the rematch."""

    game: str | None
    seats: tuple[int, ...]
    """The new seat of each old seat."""


class NetworkView(Model):
    """Whether others can reach the arena."""

    address: str | None
    """The address for others; None: only this machine reaches it."""
    may_open: bool
    """Whether the caller may open it to the local network."""


class PauseOrder(Model):
    """Pause or resume a game."""

    paused: bool = True


# ------------------------------------------------------------------------------------------ rights


class SessionView(Model):
    """Who asks."""

    organiser: bool
    password_set: bool
    may_set_password: bool
    """Whether the caller may set the first password."""
    csrf: str | None
    """To be sent as `X-CSRF-Token` with everything that changes something."""


class Password(Model):
    """The organiser's password."""

    password: str = Field(min_length=1, max_length=200)


class FirstPassword(Model):
    """The first password."""

    password: str = Field(min_length=8, max_length=200)
    code: str | None = Field(None, max_length=100)
    """The code printed when the arena started; not needed on the machine itself."""


class NewPassword(Model):
    """Another password."""

    old: str = Field(max_length=200)
    password: str = Field(min_length=8, max_length=200)


class ErrorDetail(Model):
    """Why a request was refused."""

    code: str
    message: str


class ErrorBody(Model):
    """The body of every error."""

    detail: ErrorDetail


# -------------------------------------------------------------------------------------- live feed


class SnapshotMessage(Model):
    """The complete state: at the beginning, and for spectators who missed too much."""

    kind: Literal["snapshot"] = "snapshot"
    game: GameDetail


class SeatedMessage(Model):
    """A seat was taken, or all of them."""

    kind: Literal["seated"] = "seated"
    present: tuple[bool, ...]
    state: State


class TurnMessage(Model):
    """A seat is to move."""

    kind: Literal["turn"] = "turn"
    seat: int
    ply: int
    clocks: Clocks


class MoveMessage(Model):
    """A move was made."""

    kind: Literal["move"] = "move"
    turn: TurnView
    scene: SceneView
    clocks: Clocks
    position: str


class PauseMessage(Model):
    """The game was paused or resumed."""

    kind: Literal["pause"] = "pause"
    paused: bool


class ViolationMessage(Model):
    """A seat broke a rule; if the game goes on without it, that is a separate turn."""

    kind: Literal["violation"] = "violation"
    seat: int
    fault: FaultView
    turn: TurnView | None
    scene: SceneView | None
    position: str | None


class EndMessage(Model):
    """The game is over."""

    kind: Literal["end"] = "end"
    summary: GameSummary
    scene: SceneView
    downloads: tuple[str, ...]


FeedEvent = Annotated[
    SnapshotMessage
    | SeatedMessage
    | TurnMessage
    | MoveMessage
    | PauseMessage
    | ViolationMessage
    | EndMessage,
    Field(discriminator="kind"),
]


class FeedMessage(Model):
    """The data of one message of the feed; the event is called as its `kind`."""

    message: FeedEvent


# ---------------------------------------------------------------------------------- people


class Ask(Model):
    """It is your turn."""

    kind: Literal["ask"] = "ask"
    turn: int
    """The number the move will have."""
    allowed: float | None
    gestures: tuple[Gesture, ...]


class Wait(Model):
    """It is another seat's turn, or the game is paused, or seats are empty."""

    kind: Literal["wait"] = "wait"


class Accepted(Model):
    """The move was made."""

    kind: Literal["accepted"] = "accepted"
    turn: int
    move: str


class MoveRefused(Model):
    """The move was not made; it is still your turn, if it was."""

    kind: Literal["refused"] = "refused"
    code: str
    explanation: str


class Because(Model):
    """Why a gesture is not legal; `legal` if it is."""

    kind: Literal["because"] = "because"
    id: int | None
    code: str
    explanation: str


class Over(Model):
    """The game is over."""

    kind: Literal["end"] = "end"
    result: ResultView


class TakeBackAsked(Model):
    """A take-back was requested: this person is asked, or has asked and waits."""

    kind: Literal["take-back"] = "take-back"
    seat: int
    """Who wants it."""


class TakeBackOver(Model):
    """The take-back request is over."""

    kind: Literal["take-back-over"] = "take-back-over"
    refused: bool


class SeatMessage(Model):
    """A message of the server on a person's WebSocket."""

    message: Annotated[
        Ask | Wait | Accepted | MoveRefused | Because | TakeBackAsked | TakeBackOver | Over,
        Field(discriminator="kind"),
    ]


class MoveMade(Model):
    """The person moves; `turn` is the requested one, so that nothing is moved twice."""

    kind: Literal["move"] = "move"
    move: str = Field(max_length=200)
    turn: int | None = None


class WhyAsked(Model):
    """Ask why a gesture is not legal; the answer has the same `id`."""

    kind: Literal["why"] = "why"
    token: str | None = Field(None, max_length=100)
    cells: tuple[Cell, ...] = Field((), max_length=100)
    id: int | None = None


class Resigned(Model):
    """The person gives up."""

    kind: Literal["resign"] = "resign"


class TakeBackMessage(Model):
    """The person requests a take-back, or answers a request."""

    kind: Literal["take-back"] = "take-back"
    agreed: bool = True


class PersonMessage(Model):
    """A message of a person's browser on the WebSocket."""

    message: Annotated[
        MoveMade | WhyAsked | Resigned | TakeBackMessage, Field(discriminator="kind")
    ]
