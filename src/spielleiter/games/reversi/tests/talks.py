"""Recorded conversations with the course's own server, and their replay against ours.

A record has what every client sent and received, the server's output, its log and its result file.
The replay gives every client the recorded reactions: what it did between its n-th request and the
next. The server's clock is a number that the replay moves: an answer takes as long as the record's
log says, so accounts come out the same to the millisecond and nothing here waits. Where the real
server waited, ours goes on when what the record says has happened meanwhile.

Long stretches of ordinary play were cut out of some records. The moves in them stand in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from spielleiter.games.reversi import wire
from spielleiter.games.reversi.commands._console import Console
from spielleiter.games.reversi.commands._game_log import CourseLog
from spielleiter.match import Ended, Event, Played, Violated
from spielleiter.protocol.binary import Disqualified, Move, Moved, MoveRequest, encode
from spielleiter.server import Timekeeper
from spielleiter.server.binary import BinarySettings, Board, Host, Notice
from spielleiter.server.binary.connection import BinaryConnection

FACTS = Path(__file__).parent.parent / "facts" / "talks"
PATIENCE = 60.0
"""Real seconds after which a replay that hangs is given up."""
_NEVER = 3600.0
"""Seconds of waiting that the replay ends itself."""
_REQUEST = encode(MoveRequest(0, 0))[0]
_TOLD = (encode(Moved(0, 0, 0, 0))[0], encode(Disqualified(0))[0])
_CUT = re.compile(r"\[\.\.\. .*cut \.\.\.\]")
_SAID = re.compile(r"^ +([0-9.]+) (?:(C\d)>S|S>(C\d)) +([0-9a-f |]+?)(?: +;.*)?$")
_DID = re.compile(r"^ +([0-9.]+) (C\d) +-- (.*)$")
_LOGGED = re.compile(r"move \d+: player (\d) moved \((\d+),(\d+),(\d+)\)\. time left: (\d+) msecs")


# ------------------------------------------------------------------------------------ the records


@dataclass(frozen=True, slots=True)
class Act:
    """Something a client did."""

    kind: str
    """send, close, shut (the sending half only)."""
    data: bytes = b""


@dataclass(slots=True)
class Client:
    """What one client did and received."""

    connected: bool = False
    opening: list[Act] = field(default_factory=list)
    reactions: list[list[Act]] = field(default_factory=list)
    """After each request that is not cut out."""
    before: bytes = b""
    """What it received, up to the cut."""
    after: bytes = b""
    whole: bool = False
    """Its end was recorded before the cut."""
    closes_behind: int | None = None
    """It closes with the first message behind so many bytes, without having read it."""
    reset: bool = False
    """It ended with a reset, which takes with it what was sent last."""

    @property
    def told_before_closing(self) -> int | None:
        """Of how many moves and disqualifications it heard before it closed unread."""
        if self.closes_behind is None:
            return None
        data, kinds = self.before[: self.closes_behind], []
        while data:
            kinds.append(data[0])
            data = data[5 + struct.unpack(">BI", data[:5])[1] :]
        return sum(kind in _TOLD for kind in kinds)


@dataclass(slots=True)
class Talk:
    """One record."""

    name: str
    command: str
    status: int
    clients: dict[str, Client]
    cut: bool
    output: str
    log: str
    result: str

    @property
    def moves(self) -> list[tuple[int, Move, int]]:
        """Player (from 1), move and account left, from the log."""
        found = (tuple(map(int, each)) for each in _LOGGED.findall(self.log))
        return [(player, Move(x, y, choice), left) for player, x, y, choice, left in found]

    def option(self, flag: str) -> float | None:
        """The number behind an option of the server's command."""
        found = re.search(rf" {flag} ([0-9.]+)", self.command)
        return float(found[1]) if found else None

    @property
    def board(self) -> Board:
        """The map it was played on."""
        found = re.search(r"-m (\S+)", self.command)
        assert found is not None
        return Board(found[1], (FACTS / "maps" / found[1]).read_bytes(), wire)


def names() -> list[str]:
    """All records."""
    return sorted(path.name.removesuffix(".txt.gz") for path in FACTS.glob("*.txt.gz"))


def read(name: str) -> Talk:
    """One record."""
    text = gzip.decompress((FACTS / f"{name}.txt.gz").read_bytes()).decode()
    said, *parts = re.split(r"^===== ", text, flags=re.M)
    sections = {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}
    clients, cut = _clients(said)
    head = re.search(r"# server command: server_nogl(.*)\n# server exit: (\d+)", said)
    assert head is not None
    return Talk(
        name,
        head[1],
        int(head[2]),
        clients,
        cut,
        _section(sections, "server stdout").removesuffix("\n"),
        _section(sections, "server log").removesuffix("\n"),
        _section(sections, "results").replace("\\t", "\t"),
    )


def _section(sections: dict[str, str], title: str) -> str:
    return next((text for name, text in sections.items() if name.startswith(title)), "")


def _clients(said: str) -> tuple[dict[str, Client], bool]:
    clients: dict[str, Client] = {}
    cut = False
    for line in said.splitlines():
        if found := _SAID.match(line):
            _, sender, receiver, data = found.groups()
            raw = bytes.fromhex(data.replace("|", ""))
            if sender and not cut:
                _did(clients[sender], Act("send", raw))
            elif receiver:
                _heard(clients[receiver], raw, cut)
        elif found := _DID.match(line):
            _remark(clients.setdefault(found[2], Client()), found[3], cut)
        cut = cut or bool(_CUT.search(line))
    return clients, cut


def _did(client: Client, act: Act) -> None:
    acts = client.reactions[-1] if client.reactions else client.opening
    acts.append(act)


def _heard(client: Client, data: bytes, cut: bool) -> None:
    if cut:
        client.after += data
        return
    client.before += data
    if data[0] == _REQUEST:
        client.reactions.append([])


def _remark(client: Client, remark: str, cut: bool) -> None:
    if remark.startswith("tcp connect"):
        client.connected = True
    elif remark == "client closes":
        _did(client, Act("close"))
    elif remark.startswith("shutdown"):
        _did(client, Act("shut"))
    elif remark.startswith("EOF"):
        client.whole = not cut
    elif remark.endswith("ConnectionResetError"):
        client.reset = True
    elif remark.endswith("OSError"):
        # The recorder closed a socket that it was reading; the system did when the read returned.
        client.reactions[-1].remove(Act("close"))
        client.closes_behind = len(client.before)


# ------------------------------------------------------------------------------------- the replay


class Clock(Timekeeper):
    """The server's time: a number."""

    def __init__(self) -> None:
        super().__init__(lambda: self.moment)
        self.moment = 1000.0


@dataclass(slots=True)
class Heard:
    """What a client of the replay received."""

    data: bytes = b""
    ended: bool = False


class Replay:
    """A record played against our server."""

    def __init__(self, talk: Talk, folder: Path) -> None:
        self.talk = talk
        self.heard = {name: Heard() for name in talk.clients}
        self.output = io.StringIO()
        self.refused: list[str] = []
        self.events: list[Event] = []
        self.log = self.result = ""
        self._folder = folder
        self._clock = Clock()
        self._settings = _settings(talk)
        self._spent = _spent(talk)
        self._log: CourseLog | None = None
        self._notices = self._told = 0

    def run(self) -> None:
        """Play it to the end."""
        asyncio.run(asyncio.wait_for(self._run(), PATIENCE))
        if self._log is not None:
            self.log = self._log.path.read_text("utf-8")

    async def _run(self) -> None:
        board = self.talk.board
        marks, simple = " -M" not in self.talk.command, " -s" in self.talk.command
        console = Console(board, self._settings, self.output.write, marks=marks, simple=simple)
        self._console, self._board = console, board
        self._host = Host(
            board, self._settings, sinks=[self._hear], notify=self._notice, time=self._clock
        )
        await self._host.start()
        tasks = [asyncio.create_task(self._play(name)) for name in await self._connect()]
        if self._settings.give_up is not None:
            self._host._give_up()
        await asyncio.gather(*tasks, self._host.finished())

    def _notice(self, notice: Notice) -> None:
        self._notices += 1
        self._console.notice(notice)

    def _hear(self, room: str, event: Event) -> None:
        if self._log is None:
            self._log = CourseLog(self._board, self._settings, self._host.port, self._folder)
        self.events.append(event)
        self._console.follow(event)
        self._log.follow(event)
        if isinstance(event, Ended):
            self.result = self._log.result()
        elif isinstance(event, Played | Violated) and self._settings.after_move:
            self._told += 1
            self._resting = asyncio.create_task(self._rest())

    async def _rest(self) -> None:
        """The pause after a move: who closes when he is told of it has closed."""
        (room,) = self._host.rooms.values()
        told = [client.told_before_closing for client in self.talk.clients.values()]
        leaving = [room.clients[seat] for seat in range(len(told)) if told[seat] == self._told - 1]
        await _until(lambda: all(line.ended for line in leaving))
        if room._pause is not None:
            room._pause.cancel()
            room._rested()

    async def _connect(self) -> list[str]:
        """Everybody connects in the recorded order and says what it said before it was asked."""
        self._streams: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}
        for name, client in self.talk.clients.items():
            if not client.connected:
                await self._is_refused(name)
                continue
            known = self._notices
            self._streams[name] = await asyncio.open_connection("127.0.0.1", self._host.port)
            await self._noticed(known)
            for number, act in enumerate(client.opening):
                known = self._notices
                await self._do(name, act)
                if number == 0:  # nobody is told of what comes too early
                    await self._noticed(known)
        return list(self._streams)

    async def _noticed(self, known: int) -> None:
        await _until(lambda: self._notices > known)

    async def _is_refused(self, name: str) -> None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self._host.port)
            writer.close()
        except ConnectionRefusedError:
            self.refused.append(name)

    async def _play(self, name: str) -> None:
        heard, (reader, writer) = self.heard[name], self._streams[name]
        asked = 0
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readexactly(5)
                message = head + await reader.readexactly(struct.unpack(">BI", head)[1])
                if len(heard.data) == self.talk.clients[name].closes_behind:
                    break
                heard.data += message
                if message[0] == _REQUEST:
                    await self._react(name, asked)
                    asked += 1
        heard.ended = True
        writer.close()

    async def _react(self, name: str, asked: int) -> None:
        seat, client = int(name[1:]), self.talk.clients[name]
        spent = self._spent.get((seat, asked), 0.0)
        if spent is None:
            await self._let_time_run_out(name, client.reactions[asked])
            return
        self._clock.moment = round(self._clock.moment + spent, 6)
        for act in self._acts(client, seat, asked):
            await self._do(name, act)

    def _acts(self, client: Client, seat: int, asked: int) -> list[Act]:
        """What was recorded, or what the log says was played."""
        if asked < len(client.reactions) and client.reactions[asked]:
            return client.reactions[asked]
        moves = [move for player, move, _ in self.talk.moves if player == seat]
        return [Act("send", encode(moves[asked]))]

    async def _let_time_run_out(self, name: str, acts: list[Act]) -> None:
        (room,) = self._host.rooms.values()
        line, part = room.clients[int(name[1:]) - 1], [act for act in acts if len(act.data) < 10]
        assert isinstance(line, BinaryConnection)
        connection, size = line.connection, sum(len(act.data) for act in part)
        for act in part:
            await self._do(name, act)
        await _until(lambda: connection.waiting == size)
        assert room.match.deadline is not None
        self._clock.moment = room.match.deadline
        self._host.check_time()
        for act in (act for act in acts if len(act.data) == 10):
            await self._do(name, act)

    async def _do(self, name: str, act: Act) -> None:
        _, writer = self._streams[name]
        if act.kind == "send":
            with contextlib.suppress(ConnectionError):
                writer.write(act.data)
                await writer.drain()
        elif act.kind == "shut":
            writer.write_eof()
        else:
            writer.close()


async def _until(happened: Callable[[], bool]) -> None:
    """Let the server see what was sent: it runs in this very loop."""
    while not happened():
        await asyncio.sleep(0)


def _settings(talk: Talk) -> BinarySettings:
    given = talk.option("-z")
    needs_pause = any(client.closes_behind is not None for client in talk.clients.values())
    return BinarySettings(
        port=0,
        limit=talk.option("-t"),
        depth=int(talk.option("-d") or 1),
        give_up=None if given is None or talk.log else _NEVER,
        after_move=_NEVER if needs_pause else 0.0,
    )


def _spent(talk: Talk) -> dict[tuple[int, int], float | None]:
    """(player, number of the request) → what the answer took; None: none came in time."""
    spent: dict[tuple[int, int], float | None] = {}
    limit = round((talk.option("-t") or 0.0) * 1000)
    accounts: dict[int, int] = {}
    asked: dict[int, int] = {}
    for line in talk.log.splitlines():
        if found := _LOGGED.match(line):
            player, left = int(found[1]), int(found[5])
            number = asked.setdefault(player, 0)
            spent[player, number] = (accounts.get(player, 0) + limit - left) / 1000
            accounts[player], asked[player] = left, number + 1
        elif found := re.match(r"disqualified player (\d) \((.*)\)", line):
            player = int(found[1])
            account = accounts.get(player, 0) + limit
            spent[player, asked.get(player, 0)] = _spent_by_offender(talk, found[2], account)
    return spent


def _spent_by_offender(talk: Talk, reason: str, account: int) -> float | None:
    if found := re.search(r"time left: (\d+)", reason):
        return (account - int(found[1])) / 1000
    if found := re.search(r"dt=([0-9.]+)s", talk.output):
        return float(found[1])
    return None if reason.startswith("timeout") else 0.0
