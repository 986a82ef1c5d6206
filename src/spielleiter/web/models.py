"""What is sent to browsers, and what they may send: the promise of the HTTP API, as types.

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
    """A value; what nobody asked for is refused."""

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
    """What people call the default and the choices."""
    tests: tuple[str, ...]
    """Choices that are there to test programs with: to be listed apart."""


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
    """A port at which clients of a game come in by themselves."""

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
    """The server's own time when this was said: subtract it."""


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
    """The number of the last event that is in here: the feed goes on after it."""
    position: str
    """The text of the latest position."""
    speaks: Speech | None
    downloads: tuple[str, ...]
    """What can be downloaded below `/api/games/{id}/`."""


class Games(Model):
    """A page of the lobby, newest first."""

    games: tuple[GameSummary, ...]
    before: str | None
    """Ask for the next page with this; None: that was all."""


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
    """Who shall sit on a seat."""

    kind: SeatKind
    player: str | None = Field(None, max_length=LONGEST_NAME)
    """The built-in player."""
    level: int | None = Field(None, ge=1, le=100)
    name: str | None = Field(None, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")
    """What to call it; None: a fitting name."""


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
    """Begin here …"""
    start: From | None = None
    """… or here. Both leave seed and options aside."""


class StartCommand(Model):
    """What to type to start a program that takes a seat."""

    language: Literal["Python", "Java", "C++"]
    text: str


class OpenedSeatView(Model):
    """What is needed to take a seat."""

    kind: SeatKind
    name: str
    token: str | None
    """A person's key to the WebSocket of the seat. Secret, told once."""
    reservation: str | None
    host: str | None
    port: int | None
    command: str | None
    """What to type to let a built-in player take the seat."""
    commands: tuple[StartCommand, ...]
    """What to type to let one's own program take the seat."""
    show: str | None
    """Where a bot that takes the seat sends what it shows, below the arena's address. Secret."""


class OpenedGameView(Model):
    """A game that was ordered."""

    id: str
    key: str | None
    """What entitles to pause, step and cancel it, as the header `X-Game-Key`. Told once."""
    seats: tuple[OpenedSeatView, ...]


class RematchOrder(Model):
    """Play once more, everybody one seat further; `seat` is none for whoever opened the game."""

    seat: int | None = Field(None, ge=0, lt=MOST_SEATS)
    key: str = Field(max_length=100)


class RematchView(Model):
    """The game that follows, if somebody asked for one. Keys to seats open those of the rematch."""

    game: str | None
    seats: tuple[int, ...]
    """Where each seat of the old game sits in the new one."""


class NetworkView(Model):
    """Whether others can reach the arena."""

    address: str | None
    """What they type; None: only this machine reaches it."""
    may_open: bool
    """Whoever asks may open it to the local network."""


class PauseOrder(Model):
    """Hold a game, or let it go on."""

    paused: bool = True


# ------------------------------------------------------------------------------------------ rights


class SessionView(Model):
    """Who asks."""

    organiser: bool
    password_set: bool
    may_set_password: bool
    """The first password may be set from here."""
    csrf: str | None
    """To be sent as `X-CSRF-Token` with everything that changes something."""


class Password(Model):
    """The organiser's password."""

    password: str = Field(min_length=1, max_length=200)


class FirstPassword(Model):
    """The first password."""

    password: str = Field(min_length=8, max_length=200)
    code: str | None = Field(None, max_length=100)
    """What was printed when the arena started; not needed on the machine itself."""


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
    """Everything at once: at the beginning, and for those who have missed too much."""

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
    """The game was held, or let go."""

    kind: Literal["pause"] = "pause"
    paused: bool


class ViolationMessage(Model):
    """A seat did something wrong; if it is out and the game goes on, that is a turn of its own."""

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
    """It is somebody else's turn, or the game is held, or seats are empty."""

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
    """Why a place is no place; `legal` if it is one after all."""

    kind: Literal["because"] = "because"
    id: int | None
    code: str
    explanation: str


class Over(Model):
    """The game is over."""

    kind: Literal["end"] = "end"
    result: ResultView


class TakeBackAsked(Model):
    """Somebody wants to take a move back: this person is asked, or has asked and waits."""

    kind: Literal["take-back"] = "take-back"
    seat: int
    """Who wants it."""


class TakeBackOver(Model):
    """Nobody is asked any more whether a move may be taken back."""

    kind: Literal["take-back-over"] = "take-back-over"
    refused: bool


class SeatMessage(Model):
    """What the server says on a person's WebSocket."""

    message: Annotated[
        Ask | Wait | Accepted | MoveRefused | Because | TakeBackAsked | TakeBackOver | Over,
        Field(discriminator="kind"),
    ]


class MoveMade(Model):
    """The person moves; `turn` is the one that was asked for, so that nothing is moved twice."""

    kind: Literal["move"] = "move"
    move: str = Field(max_length=200)
    turn: int | None = None


class WhyAsked(Model):
    """Why can this not be laid there? `id` comes back with the answer."""

    kind: Literal["why"] = "why"
    token: str | None = Field(None, max_length=100)
    cells: tuple[Cell, ...] = Field((), max_length=100)
    id: int | None = None


class Resigned(Model):
    """The person gives up."""

    kind: Literal["resign"] = "resign"


class TakeBackMessage(Model):
    """The person wants to take a move back, or says whether somebody else may."""

    kind: Literal["take-back"] = "take-back"
    agreed: bool = True


class PersonMessage(Model):
    """What a person's browser says on the WebSocket."""

    message: Annotated[
        MoveMade | WhyAsked | Resigned | TakeBackMessage, Field(discriminator="kind")
    ]
