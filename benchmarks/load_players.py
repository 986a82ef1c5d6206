"""Clients in Python that play both seats of many games with random legal moves.

Each keeps one position per game and looks in the server's bytes only for the request and the
result. Where clients must cost next to nothing, `load_client.cc` plays scripts instead.
"""

from __future__ import annotations

import random
import re
import selectors
import socket
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from spielleiter import games
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import Memento, RoomData
from spielleiter.protocol.xml import Connection, Side, encode
from spielleiter.server import EXAMPLE_PASSWORD, ServedGame

HOST = "127.0.0.1"
GAME = "piranhas-2026"


@dataclass(slots=True)
class Seat:
    game: PlayedGame
    number: int
    link: socket.socket
    seen: bytes = b""


@dataclass(slots=True)
class PlayedGame:
    seats: list[Seat] = field(default_factory=list)
    position: Any = None
    room: str = ""
    sent_at: float = 0.0
    results: int = 0


@dataclass(slots=True)
class Report:
    games: int = 0
    moves: int = 0
    irregular: int = 0
    delays: list[float] = field(default_factory=list)
    seconds: float = 0.0


class Player:
    """Plays many games at the same time, both seats of each."""

    password = EXAMPLE_PASSWORD
    timed = "true"

    def __init__(self, port: int, seed: int) -> None:
        self._port = port
        self._table = ServedGame.of(games.load(GAME, "server"))
        self._random = random.Random(seed)
        self._selector = selectors.DefaultSelector()
        self._admin = self._connect()
        login = f'<protocol><authenticate password="{self.password}"/>'
        self._admin.sendall(login.encode())
        self._selector.register(self._admin, selectors.EVENT_READ, None)
        self._preparing: deque[PlayedGame] = deque()
        self._answers = b""
        self._games_to_play = 0
        self._running = 0
        self.report = Report()

    def open(self, count: int) -> list[PlayedGame]:
        """Games with two connected players each, not yet joined."""
        opened = []
        for _ in range(count):
            game = PlayedGame()
            for number in (0, 1):
                link = self._connect()
                link.sendall(b"<protocol>")
                seat = Seat(game, number, link)
                game.seats.append(seat)
                link.setblocking(False)
                self._selector.register(link, selectors.EVENT_READ, seat)
            opened.append(game)
        return opened

    def play(self, tables: list[PlayedGame], count: int) -> Report:
        """Play that many games on those tables."""
        self.report = Report()
        self._games_to_play = count
        began = time.perf_counter()
        for game in tables:
            self.begin(game)
        while self._running:
            self.read(30.0)
        self.report.seconds = time.perf_counter() - began
        return self.report

    def read(self, timeout: float) -> None:
        """Do whatever the server's bytes ask for."""
        ready = self._selector.select(timeout)
        assert ready, f"the server is silent with {self._running} games open"
        for key, _ in ready:
            if key.data is None:
                self._read_admin()
            else:
                self._read(key.data)

    def begin(self, game: PlayedGame) -> None:
        """Ask for a room; both players join it when it is there."""
        if not self._games_to_play:
            return
        self._games_to_play -= 1
        self._running += 1
        slots = "".join(
            f'<slot displayName="{name}" canTimeout="{self.timed}" reserved="true"/>'
            for name in "AB"
        )
        request = f'<prepare gameType="{self._table.wire.game_type}">{slots}</prepare>'
        self._admin.sendall(request.encode())
        self._preparing.append(game)

    def _read_admin(self) -> None:
        self._answers += self._admin.recv(262144)
        *whole, self._answers = self._answers.split(b"</prepared>")
        for answer in whole:
            game = self._preparing.popleft()
            game.room = re.findall(rb'roomId="([^"]*)"', answer)[-1].decode()
            game.position, game.results, game.sent_at = None, 0, 0.0
            codes = re.findall(rb"<reservation>(.*?)</reservation>", answer)
            for seat, code in zip(game.seats, codes, strict=True):
                seat.seen = b""
                seat.link.sendall(b'<joinPrepared reservationCode="' + code + b'"/>')

    def _connect(self) -> socket.socket:
        link = socket.create_connection((HOST, self._port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link

    def _read(self, seat: Seat) -> None:
        data = seat.link.recv(262144)
        assert data, "the server hung up"
        now = time.perf_counter()
        seat.seen += data
        game = seat.game
        if b'class="moveRequest"/>\n  </room>' in seat.seen:
            if game.position is None:
                game.position = self._start(seat.seen)
            elif game.sent_at:
                self.report.delays.append(now - game.sent_at)
            seat.seen = b""
            self._move(seat)
        elif b"<left " in seat.seen and seat.seen.rstrip().endswith(b"/>"):
            self._over(seat)
        elif len(seat.seen) > 20_000 and game.position is not None:
            seat.seen = seat.seen[-5_000:]

    def _start(self, seen: bytes) -> Any:
        stream = seen if b"<protocol>" in seen else b"<protocol>" + seen
        for message in Connection(Side.CLIENT).receive(stream):
            if isinstance(message, Memento) and isinstance(message.state, Element):
                text = self._table.wire.read_state(message.state).position
                return self._table.game.parse(text)
        raise AssertionError("a request without a state")

    def _move(self, seat: Seat) -> None:
        game = seat.game
        move = self._random.choice(game.position.legal_moves())
        data = self._table.wire.sent(game.position, move).element
        game.position.play(move)
        message = encode(RoomData(game.room, data), self._table.wire.dialect)
        self.report.moves += 1
        game.sent_at = time.perf_counter()
        seat.link.send(message)

    def _over(self, seat: Seat) -> None:
        game = seat.game
        if b'regular="true"' not in seat.seen:
            self.report.irregular += 1
        seat.seen = b""
        game.results += 1
        if game.results == 2:
            self._running -= 1
            self.report.games += 1
            self.begin(game)
