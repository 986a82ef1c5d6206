"""A player: joins a game, answers every request with the bot's move, and reports how it ended.

`run` is the whole main program of a participant; `join` and `play` are its parts for programs that
do more. Reconnecting is not part of the protocol: a lost connection ends the game.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from spielleiter import games
from spielleiter.client import seasons
from spielleiter.client.annotation_printer import AnnotationPrinter
from spielleiter.client.budget import WAY, last_moment_beyond, last_moment_of_move
from spielleiter.client.connection import HOST, PORT, LostConnection, Refused, Session
from spielleiter.client.promptness import prompt_answers
from spielleiter.client.seasons import Season
from spielleiter.client.side_channel import VARIABLE
from spielleiter.client.thinking import BEGINNING, ENDING, BotCall, Thinker, TooSlow, after
from spielleiter.errors import SpielleiterError
from spielleiter.game import AUTHORITIES, Authority, Bot, Clock, Move, Outcome, Position
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.lobby import (
    Close,
    Error,
    ErrorPacket,
    Join,
    Joined,
    JoinPrepared,
    JoinRoom,
    Left,
    Memento,
    Message,
    MoveRequest,
    Result,
    RoomData,
    Welcome,
)

SECONDS = 2.0 - WAY
"""Seconds of the contest's two that a bot may use; the rest is for the network."""

Entrance = Join | JoinRoom | JoinPrepared


class BotFailed(SpielleiterError):
    """The bot raised an exception or chose a move that is none."""


class _NoSeat(Refused):
    """The server did not let us play."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """The result of a game, seen from one seat."""

    season: Season
    seat: int
    result: Result
    position: Position | None
    """The last position seen; None: the game ended before there was one."""
    outcome: Outcome
    moves: int
    """How many of them were ours."""
    troubles: tuple[str, ...] = ()
    """Where the bot was too slow and another legal move was sent."""


# ------------------------------------------------------------------------------------- the program


def run(bot: Bot, arguments: Sequence[str] | None = None) -> None:
    """Play one game as the command line says, then return; any failure ends the program.

    Understands the contest's options in any order: -h/--host, -p/--port, -r/--reservation, --room.
    """
    options = _options(bot).parse_args(arguments)
    if options.show:
        os.environ[VARIABLE] = options.show
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # old consoles lack some letters of the reasons
    if missing := games.notice():
        print(f"Note: {missing}", file=sys.stderr)
    try:
        report = join(
            bot,
            options.host,
            options.port,
            reservation=options.reservation,
            room=options.room,
            game=options.game,
            authority=options.authority,
            seconds=options.seconds,
        )
    except BotFailed as failure:
        if failure.__cause__ is not None:
            traceback.print_exception(failure.__cause__)
        _give_up(failure)
    except (SpielleiterError, OSError) as failure:
        _give_up(failure)
    print(summary(report))


def summary(report: GameReport) -> str:
    """One line about the game's end."""
    won = report.outcome.winner
    ending = "drawn" if won is None else "won" if won == report.seat else "lost"
    reasons = [score.reason for score in report.result.scores if score.reason]
    reasons += [winner.reason for winner in report.result.winners if winner.reason]
    because = f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""
    plies = report.position.ply if report.position is not None else 0
    return f"{report.season.game.title}: {ending} after {plies} plies{because}"


def _options(bot: Bot) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=f"{bot.name}: plays one game on a contest server.", add_help=False
    )
    add = parser.add_argument
    add("-h", "--host", default=HOST, help="name or address of the server (%(default)s)")
    add("-p", "--port", type=int, default=PORT, help="its port (%(default)s)")
    add("-r", "--reservation", metavar="CODE", help="take the seat reserved by this code")
    add("--room", metavar="ID", help="take a free seat in this room")
    add("--game", help="edition or game type; without it, whatever the server offers")
    add("--authority", choices=AUTHORITIES, default="document", help="whose rules the bot sees")
    add("--seconds", type=float, default=SECONDS, help="time for each move (%(default)s)")
    add("--show", metavar="URL", help="where the arena takes what the bot shows")
    add("--help", action="help", help="show this and stop")
    return parser


def _give_up(failure: Exception) -> NoReturn:
    print(f"Error: {failure}", file=sys.stderr)
    sys.exit(1)


# ------------------------------------------------------------------------------------------ joining


def join(
    bot: Bot,
    host: str = HOST,
    port: int = PORT,
    *,
    reservation: str | None = None,
    room: str | None = None,
    game: str | None = None,
    authority: Authority = "document",
    seconds: float | None = SECONDS,
    limit: float | None = None,
) -> GameReport:
    """Connect, take a seat and play one game.

    The bot gets `seconds` for every move. `limit` is what the server allows, by default a third
    more and at most 0.2 s: shortly before, another move is sent if the bot has none.

    Old servers refuse a join that names no game or a wrong one. If none was requested, the known
    games are tried one after the other.
    """
    season = None if game is None else seasons.named(game, authority)
    _prepare(bot, season or seasons.newest(authority))
    *guesses, last = _entrances(reservation, room, season, authority)
    for entrance in guesses:
        with Session.open(host, port) as session, contextlib.suppress(_NoSeat):
            player = _Player(bot, session, season, authority, Clock(per_move=seconds), limit)
            return player.play(entrance)
    with Session.open(host, port) as session:
        clock = Clock(per_move=seconds)
        return _Player(bot, session, season, authority, clock, limit).play(last)


def _prepare(bot: Bot, season: Season) -> None:
    """Prepare the bot before a clock runs; for an unknown game, the most likely one."""
    try:
        bot.prepare(season.game.start(0))
    except Exception as problem:
        raise BotFailed(f"{type(bot).__name__}.prepare() raised {problem!r}") from problem


def play(
    bot: Bot,
    session: Session,
    entrance: Entrance,
    *,
    authority: Authority = "document",
    seconds: float | None = SECONDS,
    limit: float | None = None,
) -> GameReport:
    """Take a seat on an open connection and play one game; the connection stays open."""
    return _Player(bot, session, None, authority, Clock(per_move=seconds), limit).play(entrance)


def _entrances(
    reservation: str | None, room: str | None, season: Season | None, authority: Authority
) -> list[Entrance]:
    if reservation is not None:
        return [JoinPrepared(reservation)]
    if room is not None:
        return [JoinRoom(room)]
    if season is not None:
        return [Join(season.wire.game_type)]
    types = dict.fromkeys(known.wire.game_type for known in seasons.seasons(authority))
    return [Join(), *map(Join, types)]


# ------------------------------------------------------------------------------------------ playing


class _Player:
    """One seat in one game."""

    def __init__(
        self,
        bot: Bot,
        session: Session,
        season: Season | None,
        authority: Authority,
        clock: Clock,
        limit: float | None = None,
    ) -> None:
        self._bot, self._session, self._clock, self._limit = bot, session, clock, limit
        self._season, self._authority = season, authority
        self._thinker = Thinker()
        self._state: Element | None = None
        self._read: Position | None = None  # the position of that state, once it was needed
        self._room: str | None = None
        self._seat: int | None = None
        self._colour = self._complaint = ""
        self._result: Result | None = None
        self._moves = 0
        self._is_over = False
        self._troubles: list[str] = []
        self._showing = AnnotationPrinter(bot)

    def play(self, entrance: Entrance) -> GameReport:
        """The whole game. A bot that is too slow is replaced by another legal move."""
        with prompt_answers():
            self._session.send(entrance)
            return self._thinker.play(self._go_on)

    def _go_on(self) -> GameReport:
        while not self._is_over and (message := self._session.receive()) is not None:
            self._hear(message)
            self._is_over = isinstance(message, Left | Close)
        if self._room is None:
            raise _NoSeat("the server closed the connection instead of giving us a seat")
        return self._report()

    def _hear(self, message: Message) -> None:
        match message:
            case Joined(room):
                self._room = room
            case Welcome(room, colour):
                self._room, self._colour = room, colour
            case Memento(_, Element() as state):
                self._see(state)
            case MoveRequest():
                self._answer()
            case Error(_, text):
                self._complaint = text
            case ErrorPacket(text):
                kind = _NoSeat if self._room is None else Refused
                raise kind(f"the server refused: {text}")
            case Result():
                self._result = message

    def _see(self, state: Element) -> None:
        first = self._state is None
        if self._season is None:
            self._season = seasons.recognised(state, self._authority)
        elif first and not self._season.wire.recognises(state):
            raise XmlError(f"the server plays another game than {self._season.game.name}")
        self._session.connection.dialect = self._season.wire.dialect
        self._state, self._read = state, None
        if first:
            self._begin(self._season, seasons.position(self._season, state))

    @property
    def _position(self) -> Position | None:
        """The position of the last state; states that nobody asks about are not read."""
        if self._read is None and self._season is not None and self._state is not None:
            self._read = seasons.position(self._season, self._state)
        return self._read

    # -------------------------------------------------------------------------------- answering

    def _begin(self, season: Season, position: Position) -> None:
        seat = self._seat = season.wire.seat(self._colour)
        self._read = position
        self._thinker.ask(
            BotCall(
                lambda: self._bot.begin(position.copy(), seat),
                BEGINNING,
                lambda answer: self._returned("begin", answer),
                lambda _: None,
                binding=False,
            )
        )

    def _answer(self) -> None:
        if self._season is None or self._state is None or (position := self._position) is None:
            raise XmlError("the server asked for a move before it sent a state")
        if not position.legal_moves():
            position = seasons.position(self._season, self._state, asked=True)
        if position.legal_moves():  # the server of 2019 asks even then: it will tell the end itself
            self._choose(position)

    def _choose(self, position: Position) -> None:
        self._thinker.learn(self._session.incoming.delay)
        self._thinker.ask(
            BotCall(
                # Whatever kept us from hearing the request, such as `begin`, was on our clock.
                lambda: self._bot.choose(
                    position.copy(), after(self._clock, self._session.awake())
                ),
                self._patience(),
                lambda answer: self._play(position, self._checked(position, answer)),
                lambda problem: self._cover(position, problem),
            )
        )

    def _patience(self) -> float | None:
        delay, awake = self._thinker.delay, self._session.awake()
        if self._limit is not None:
            return last_moment_of_move(self._limit, delay) - awake
        if self._clock.per_move is not None:
            return last_moment_beyond(self._clock.per_move, delay) - awake
        return None

    def _play(self, position: Position, move: Move) -> None:
        assert self._season is not None
        hints = self._showing.moved()
        takes_hints = self._season.wire.dialect.takes_hints
        sent = self._season.wire.sent(position, move, hints if takes_hints else ())
        self._session.send(RoomData(self._room, sent.element))
        self._moves += 1

    def _cover(self, position: Position, problem: TooSlow) -> None:
        """Send the first legal move, instead of the bot's missing one."""
        self._play(position, position.legal_moves()[0])
        self._warn(f"{self._bot.name} is too slow: {problem} (at {position.text()})")

    def _warn(self, trouble: str) -> None:
        self._troubles.append(trouble)
        print(f"Warning: {trouble}", file=sys.stderr)

    def _checked(self, position: Position, answer: Callable[[], Move | str]) -> Move:
        move = self._returned("choose", answer)
        try:
            move = position.move(move) if isinstance(move, str) else move
            mistake = position.why_illegal(move)
        except (SpielleiterError, TypeError) as problem:
            raise BotFailed(f"choose() gave {move!r}, which is no move: {problem}") from None
        if mistake is not None:
            where = f"at {position.text()}"
            raise BotFailed(f"choose() gave {move.text()}: {mistake.explanation} ({where})")
        return move

    def _returned(self, verb: str, answer: Callable[[], Any]) -> Any:
        try:
            return answer()
        except Exception as problem:
            where = f" at {self._position.text()}" if self._position is not None else ""
            name = type(self._bot).__name__
            raise BotFailed(f"{name}.{verb}() raised {problem!r}{where}") from problem

    def _report(self) -> GameReport:
        season, position, seat = self._season, self._position, self._seat
        if self._result is None or season is None or seat is None or position is None:
            said = f"; its last complaint: {self._complaint}" if self._complaint else ""
            raise LostConnection(f"the server ended the game without a result{said}")
        outcome = outcome_of(self._result)
        self._thinker.ask_last(
            BotCall(
                lambda: self._bot.end(position, outcome),
                ENDING,
                lambda answer: self._returned("end", answer),
                lambda late: self._warn(f"{self._bot.name}.end is too slow: {late}"),
                binding=False,
            )
        )
        told = (self._result, position, outcome, self._moves, tuple(self._troubles))
        return GameReport(season, seat, *told)


def outcome_of(result: Result) -> Outcome:
    """What a result says about the outcome."""
    return Outcome(result.ranks, result.points, result.reason)
