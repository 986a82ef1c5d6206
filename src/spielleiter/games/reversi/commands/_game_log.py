"""The log file of the course's server, written while the game goes on."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TextIO

from spielleiter.errors import StoreError
from spielleiter.game import Seat
from spielleiter.games.reversi import course
from spielleiter.games.reversi.commands._match_writer import MatchWriter
from spielleiter.match import Ended, Violated
from spielleiter.server.binary import BinarySettings, Board


class CourseLog(MatchWriter):
    """One log file."""

    def __init__(self, board: Board, settings: BinarySettings, port: int, folder: Path) -> None:
        super().__init__(board, settings, port)
        self._file = _new_log(folder)

    @property
    def path(self) -> Path:
        """Where it is written."""
        return Path(self._file.name)

    def write_began(self) -> None:
        text, given = self.board.text, self.settings
        self._append(
            course.log_head(
                self.board.path, self.port, text, self.match.names, given.limit, given.depth
            )
        )

    def write_moved(self, seat: Seat, move: str) -> None:
        self._append(course.log_move(self.number, seat, move, self.left(seat)))

    def write_out(self, violated: Violated, reason: str) -> None:
        self._append(course.log_disqualified(violated.seat, reason, self.position))

    def write_ended(self, ended: Ended) -> None:
        self._append(course.log_end(ended.outcome.scores, self.out))
        self._file.close()

    def _append(self, text: str) -> None:
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as problem:
            raise StoreError(f"the log cannot be written: {problem.strerror}") from problem


def _new_log(folder: Path) -> TextIO:
    """A file of its own, named by the moment; never one that is there already."""
    now = time()
    while True:
        path = folder / f"log_game_{now:.6f}.txt"
        try:
            return path.open("x", encoding="utf-8", newline="\n")
        except FileExistsError:
            now += 1e-6
        except OSError as problem:
            raise StoreError(f"the log {path} cannot be written: {problem.strerror}") from problem
