"""Our players as an engine of the Universal Game Interface (docs/reference/ugi.md).

Commands are read by the caller's thread, a search runs in another one, so that `stop` and `isready`
are answered while the player thinks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, pairwise

from spielleiter.errors import SpielleiterError, TextError
from spielleiter.game import Bot, Clock, Game, Move, Position, Report, Seat, certain_end

_AT_ONCE = 0.05
"""Seconds for the move of a search that is stopped."""
_SLICES = (0.1, 0.2, 0.5, 1.0)
"""Seconds of successive searches without a limit; the last value repeats."""


@dataclass(slots=True)
class _Search:
    """One `go`: it is answered once, by the player or by `stop`."""

    position: Position
    endless: bool
    answered: bool = False
    best: str | None = None
    """The move of the last search that ended; one without a limit consists of several."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, move: Callable[[], str], write: Callable[[str], None]) -> bool:
        """Send the move once; a second caller waits until it is sent."""
        with self.lock:
            if self.answered:
                return False
            self.answered = True  # the thread that still thinks need not begin again
            write(f"bestmove {move()}")
            return True

    def tell(self, move: Move, inform: Callable[[], None]) -> None:
        """Keep the move and tell about it, unless the answer is sent or being sent."""
        with self.lock:
            if not self.answered:
                self.best = move.text()
                inform()


class UgiServer:
    """One session: reads lines, writes lines."""

    def __init__(
        self,
        game: Game,
        player: Callable[[int], Bot],
        write: Callable[[str], None],
        *,
        name: str,
        seed: int = 0,
        options: dict[str, str] | None = None,
    ) -> None:
        self._game, self._player, self._name, self._seed = game, player, name, seed
        self._lock = threading.Lock()
        self._write_line = write
        self._set_up = dict(options or {})
        self._start = game.start(seed, **self._set_up)
        self._position = self._start.copy()
        self._bot: Bot | None = None
        self._search: _Search | None = None
        self._thread: threading.Thread | None = None

    def run(self, lines: Iterable[str]) -> None:
        """Answer until `quit` or the end of the lines; a search that runs is finished first."""
        for line in lines:
            if line.strip() == "quit":
                self._answer_now()
                return
            try:
                self._obey(line.split())
            except (SpielleiterError, ValueError) as problem:
                self._write(f"info string error: {problem}")
        if self._search is not None and self._search.endless:
            self._answer_now()
        elif self._thread is not None:
            self._thread.join()

    def _obey(self, words: list[str]) -> None:
        match words:
            case ["ugi"]:
                self._greet()
            case ["isready"]:
                self._ready_bot()
                self._write("readyok")
            case ["uginewgame"]:
                self._answer_now()
                self._bot, self._position = None, self._start.copy()
            case ["setoption", "name", *rest]:
                self._set_option(rest)
            case ["position", *rest]:
                self._position = self._read_position(rest)
            case ["go", *rest]:
                self._go(rest)
            case ["stop"]:
                self._answer_now()
            case ["query", question]:
                self._write(f"response {self._response(question)}")
            case []:
                pass
            case _:
                self._write(f"info string error: unknown command {' '.join(words)[:80]!r}")

    # -------------------------------------------------------------------------------- the session

    def _greet(self) -> None:
        self._write(f"id name {self._name}")
        self._write("id author Spielleiter")
        self._write(f"option name Seed type spin default {self._seed} min 0 max {2**63 - 1}")
        for option in self._game.options:
            default = self._set_up.get(option.name, option.default) or "<empty>"
            self._write(f"option name {option.name} type string default {default}")
        self._write("ugiok")

    def _set_option(self, words: list[str]) -> None:
        at = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[:at]), " ".join(words[at + 1 :])
        if name == "Seed":
            self._seed = int(value)
        else:
            self._set_up[name] = value
        self._start = self._game.start(self._seed, **self._set_up)
        self._position, self._bot = self._start.copy(), None

    def _read_position(self, words: list[str]) -> Position:
        at = words.index("moves") if "moves" in words else len(words)
        match words[:at]:
            case ["startpos"]:
                position = self._start.copy()
            case ["fen", *text] if text:
                position = self._game.parse(" ".join(text))
            case _:
                raise TextError("expected `position startpos` or `position fen …`")
        for move in words[at + 1 :]:
            position.play(move)
        return position

    def _response(self, question: str) -> str:
        position, outcome = self._position, self._position.outcome()
        match question:
            case "gameover":
                return _truth(outcome is not None)
            case "p1turn":
                return _truth(outcome is None and position.to_move() == 0)
            case "turn":
                return "none" if outcome is not None else f"p{position.to_move() + 1}"
            case "result":
                if outcome is None:
                    return "none"
                return "draw" if outcome.winner is None else f"p{outcome.winner + 1}win"
            case "scores":
                return " ".join(map(str, position.scores()))
            case "fen":
                return position.text()
            case "moves":
                return " ".join(move.text() for move in position.legal_moves())
        raise TextError(f"unknown question {question!r}")

    # --------------------------------------------------------------------------------- the search

    def _ready_bot(self) -> Bot:
        if self._bot is None:
            self._bot = self._player(self._seed)
            if self._position.outcome() is None:
                self._bot.begin(self._position.copy(), self._position.to_move())
        return self._bot

    def _go(self, words: list[str]) -> None:
        self._answer_now()
        position = self._position.copy()
        if position.outcome() is not None or not position.legal_moves():
            self._write("bestmove none")
            return
        limits = _numbers(words)
        endless = "infinite" in words or not limits
        clocks = _slices() if endless else iter([_clock(limits, position.to_move())])
        search = self._search = _Search(position, endless)
        bot = self._ready_bot()
        self._thread = threading.Thread(target=self._think, args=(search, bot, clocks), daemon=True)
        self._thread.start()

    def _think(self, search: _Search, bot: Bot, clocks: Iterator[Clock]) -> None:
        for clock in clocks:
            if search.answered:
                return
            try:
                move = bot.choose(search.position.copy(), clock)
            except Exception as problem:  # whatever a player does, the tool gets an answer
                self._write(f"info string error: {type(problem).__name__}: {problem}")
                break
            search.tell(move, lambda: self._inform(getattr(bot, "report", None)))
        search.answer(lambda: search.best or "none", self._write)

    def _answer_now(self) -> None:
        """End the running search by what it has found; else another player answers at once."""
        search = self._search
        if search is None:
            return
        if search.answer(lambda: search.best or self._quick(search.position), self._write):
            self._bot = None

    def _quick(self, position: Position) -> str:
        bot = self._player(self._seed)
        bot.begin(position.copy(), position.to_move())
        return bot.choose(position.copy(), Clock(per_move=_AT_ONCE)).text()

    def _inform(self, report: Report | None) -> None:
        if report is None:
            return
        moves = " ".join(move.text() for move in report.lines[0].moves)
        self._write(
            f"info depth {report.depth} score {_score(report.score)} nodes {report.nodes} "
            f"time {round(1000 * report.seconds)} nps {round(report.speed)} "
            f"hashfull {report.fill} pv {moves}"
        )

    def _write(self, line: str) -> None:
        with self._lock:
            self._write_line(line)


def _slices() -> Iterator[Clock]:
    """Clocks for a search without a limit, one after the other."""
    return (Clock(per_move=_SLICES[min(at, len(_SLICES) - 1)]) for at in count())


def _clock(limits: dict[str, int], seat: Seat) -> Clock:
    """What the player may use."""
    account = limits.get(f"p{seat + 1}time", limits.get("account"))
    increment = limits.get(f"p{seat + 1}inc", 0)
    return Clock(
        per_move=limits["movetime"] / 1000 if "movetime" in limits else None,
        depth=limits.get("depth"),
        nodes=limits.get("nodes"),
        account=None if account is None else (account + increment) / 1000,
        moves_left=limits.get("movestogo"),
        is_strict=False,
    )


def _numbers(words: list[str]) -> dict[str, int]:
    """The limits of a `go`, by name; what comes after an unknown word is ignored."""
    names = {"movetime", "depth", "nodes", "account", "movestogo"}
    names |= {f"p{seat}{what}" for seat in range(1, 5) for what in ("time", "inc")}
    return {name: int(value) for name, value in pairwise(words) if name in names}


def _score(score: int) -> str:
    end = certain_end(score)
    if end is None or end.plies is None:
        return f"cp {score}"
    return f"mate {end.plies if end.won else -end.plies}"


def _truth(value: bool) -> str:
    return "true" if value else "false"
