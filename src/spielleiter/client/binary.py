"""A player on the course's binary protocol: the same `Bot`, another wire.

`run` is the whole main program of a participant, `join` plays one game and reports. The game is
passed in; its `wire.py` reads the map and writes moves.

A disqualification costs the whole game, so the player protects its bot from one: a bot that fails,
chooses an illegal move or does not answer in time is replaced by another legal move, and the
problem is reported.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from spielleiter import games
from spielleiter.client.annotation_printer import AnnotationPrinter
from spielleiter.client.budget import Budget
from spielleiter.client.connection import LostConnection
from spielleiter.client.incoming import Incoming
from spielleiter.client.promptness import prompt_answers
from spielleiter.client.side_channel import VARIABLE
from spielleiter.client.thinking import BEGINNING, ENDING, BotCall, Thinker, after
from spielleiter.errors import PeerError, SpielleiterError
from spielleiter.game import Bot, Game, Outcome, Position, can_disqualify
from spielleiter.game import Move as GameMove
from spielleiter.protocol.binary import (
    GROUPS,
    BoardWire,
    Connection,
    Disqualified,
    EndOfGame,
    Group,
    Map,
    Message,
    Move,
    Moved,
    MoveRequest,
    Player,
    Side,
)

HOST, PORT = "127.0.0.1", 7777


@dataclass(frozen=True, slots=True)
class BinaryReport:
    """The result of a game, seen from one seat."""

    seat: int
    position: Position
    """The last one seen."""
    outcome: Outcome | None
    """None if we were disqualified."""
    moves: int
    """How many of them were ours."""
    troubles: tuple[str, ...]
    """Mistakes of the bot that were replaced by legal moves."""

    @property
    def disqualified(self) -> bool:
        """Whether the server disqualified us."""
        return self.outcome is None


# ------------------------------------------------------------------------------------ the program


def run(bot: Bot, game: Game, arguments: Sequence[str] | None = None) -> None:
    """Play one game as the command line says (-i ADDRESS -p PORT -g GROUP -q), then return."""
    options = _options(bot).parse_args(arguments)
    if options.show:
        os.environ[VARIABLE] = options.show
    if missing := games.notice():
        print(f"Note: {missing}", file=sys.stderr)
    try:
        report = join(bot, game, options.ip, options.port, options.group)
    except (SpielleiterError, OSError) as failure:
        print(f"Error: {failure}", file=sys.stderr)
        sys.exit(1)
    if not options.quiet:
        print(summary(report))


def _options(bot: Bot) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=f"{bot.name}: plays one game on a course server.", add_help=False
    )
    add = parser.add_argument
    add("-i", "--ip", default=HOST, help="address of the server (%(default)s)")
    add("-p", "--port", type=int, default=PORT, help="its port (%(default)s)")
    add("-g", "--group", type=int, default=0, choices=GROUPS, metavar="N", help="0 to 98")
    add("-q", "--quiet", action="store_true", help="say nothing")
    add("--show", metavar="URL", help="where the arena takes what the bot shows")
    add("-h", "-help", "--help", action="help", help="show this and stop")
    return parser


def summary(report: BinaryReport) -> str:
    """One line about the game's end."""
    who = f"player {report.seat + 1}"
    if report.outcome is None:
        return f"{who}: disqualified after {report.moves} moves"
    rank, score = report.outcome.ranks[report.seat], report.outcome.scores[report.seat]
    return f"{who}: rank {rank} with {score} points after {report.moves} moves"


def _warn(trouble: str) -> None:
    print(f"Warning: {trouble}", file=sys.stderr)


# ---------------------------------------------------------------------------------------- playing


def join(
    bot: Bot,
    game: Game,
    host: str = HOST,
    port: int = PORT,
    group: int = 0,
    *,
    warn: Callable[[str], None] = _warn,
) -> BinaryReport:
    """Connect, take the next seat and play one game."""
    bot.prepare(game.start(0))
    try:
        sock = socket.create_connection((host, port), 10.0)
    except OSError as problem:
        raise LostConnection(f"no server answers at {host}:{port}: {problem}") from problem
    with sock:
        sock.settimeout(None)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return play(bot, game, sock, group, warn=warn)


def play(
    bot: Bot,
    game: Game,
    sock: socket.socket,
    group: int = 0,
    *,
    warn: Callable[[str], None] = _warn,
) -> BinaryReport:
    """Play one game on an open connection."""
    return _Seat(bot, game.part("wire"), sock, warn).play(group)


class _Seat:
    """One seat in one game."""

    def __init__(
        self, bot: Bot, wire: BoardWire, sock: socket.socket, warn: Callable[[str], None]
    ) -> None:
        self._bot, self._wire, self._socket, self._warn = bot, wire, sock, warn
        self._troubles: list[str] = []
        self._connection, self._incoming = Connection(Side.CLIENT), Incoming(sock)
        self._thinker = Thinker()
        self._budget = Budget()
        self._seen: Position | None = None
        self._seat = -1
        self._moves = 0
        self._showing = AnnotationPrinter(bot)
        self._over = self._thrown_out = False

    def play(self, group: int) -> BinaryReport:
        with prompt_answers():
            self._send(Group(group))
            return self._thinker.play(self._go_on)

    def _go_on(self) -> BinaryReport:
        while not self._over:
            self._hear(self._receive())
        outcome, position = self._outcome(), self._position
        if outcome is not None:
            self._thinker.ask_last(
                BotCall(
                    partial(self._bot.end, position.copy(), outcome),
                    ENDING,
                    partial(self._told, "end"),
                    lambda late: self._trouble(f"{self._bot.name}.end is too slow: {late}"),
                    binding=False,
                )
            )
        return BinaryReport(self._seat, position, outcome, self._moves, tuple(self._troubles))

    @property
    def _position(self) -> Position:
        """The position as the server reported it."""
        if self._seen is None:
            raise PeerError("the server plays without having sent a map")
        return self._seen

    def _hear(self, message: Message) -> None:
        match message:
            case Map(text):
                self._seen = self._wire.start(text)
            case Player(player):
                self._take_seat(player - 1)
            case MoveRequest():
                self._answer(message)
            case Moved():
                self._see(message)
            case Disqualified(player):
                if can_disqualify(self._position):
                    self._position.disqualify(player - 1)
                self._over = self._thrown_out = player - 1 == self._seat
            case EndOfGame():
                self._over = True

    def _take_seat(self, seat: int) -> None:
        if not 0 <= seat < self._position.seats:
            raise PeerError(f"the server calls us player {seat + 1} of {self._position.seats}")
        self._seat, position = seat, self._position.copy()
        self._thinker.ask(
            BotCall(
                lambda: self._bot.begin(position, seat),
                BEGINNING,
                partial(self._told, "begin"),
                lambda _: None,
                binding=False,
            )
        )

    def _see(self, moved: Moved) -> None:
        try:
            self._seen = self._wire.follow(self._position, moved.player)
            sent = Move(moved.x, moved.y, moved.choice)
            move = self._wire.read_move(self._position, sent).move
            if move is None:
                raise PeerError("this is no move of the game")
            self._position.play(move)
        except (SpielleiterError, TypeError) as problem:
            raise PeerError(f"the server sent an impossible move: {problem}") from problem

    # -------------------------------------------------------------------------------- answering

    def _answer(self, request: MoveRequest) -> None:
        self._seen = self._wire.follow(self._position, self._seat + 1)
        if self._position.to_move() != self._seat or not self._position.legal_moves():
            raise PeerError(f"the server asks for a move where there is none: {self._position}")
        self._thinker.learn(self._incoming.delay)
        account, delay = request.time / 1000, self._thinker.delay
        left = self._wire.moves_left(self._position)
        clock, position = self._budget.clock(account, request.depth, left, delay), self._position
        patience = self._budget.last_moment(account, delay) - self._incoming.awake()
        self._thinker.ask(
            BotCall(
                lambda: self._bot.choose(position.copy(), after(clock, self._incoming.awake())),
                patience if account else None,
                lambda answer: self._play(self._checked(answer)),
                lambda problem: self._play(self._cover(f"{self._bot.name} is too slow: {problem}")),
            )
        )

    def _play(self, move: GameMove) -> None:
        self._showing.moved()
        self._send(self._wire.write_move(self._position, move))
        self._moves += 1

    def _checked(self, answer: Callable[[], GameMove | str]) -> GameMove:
        try:
            return self._legal(answer())
        except (Exception, SystemExit) as problem:
            return self._cover(f"{self._bot.name}.choose failed: {problem!r}")

    def _told(self, verb: str, answer: Callable[[], None]) -> None:
        """Report what failed in a call that has no answer."""
        try:
            answer()
        except (Exception, SystemExit) as problem:
            self._trouble(f"{self._bot.name}.{verb} failed: {problem!r}")

    def _legal(self, move: GameMove | str) -> GameMove:
        move = self._position.move(move) if isinstance(move, str) else move
        mistake = self._position.why_illegal(move)
        if mistake is not None:
            raise ValueError(f"{move.text()}: {mistake.explanation}")
        return move

    def _cover(self, trouble: str) -> GameMove:
        """The first legal move, instead of the bot's missing one."""
        self._trouble(f"{trouble} (at {self._position.text()})")
        return self._position.legal_moves()[0]

    def _trouble(self, trouble: str) -> None:
        self._troubles.append(trouble)
        self._warn(trouble)

    def _outcome(self) -> Outcome | None:
        if self._thrown_out:
            return None
        outcome = self._position.outcome()
        return outcome or _by_scores(self._position)

    # --------------------------------------------------------------------------------- the socket

    def _send(self, message: Message) -> None:
        data = self._connection.send(message)
        self._incoming.sent()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)  # why the server hung up stands in what is left to read

    def _receive(self) -> Message:
        while (message := self._connection.next()) is None:
            try:
                data = self._incoming.receive()
            except OSError as problem:
                raise LostConnection(f"the connection broke: {problem}") from problem
            if not data:
                raise LostConnection("the server ended the connection before the game was over")
            self._connection.feed(data)
        return message


def _by_scores(position: Position) -> Outcome:
    """The outcome of a game that the server ended early: by the scores so far."""
    scores = tuple(position.scores())
    ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
    return Outcome(ranks, scores, "ended by the server")
