"""Plays games between versions in a worker, after checking their files against the hashes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from spielleiter.errors import MachineError
from spielleiter.game import Authority
from spielleiter.programs.players import Players
from spielleiter.programs.settings import Isolation, Setting
from spielleiter.tournament import cluster_files
from spielleiter.tournament.executor import Executor, InterruptedGame, Watcher
from spielleiter.tournament.pairing import Pairing
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import TimeControl, time_control


@dataclass(frozen=True, slots=True)
class SeatedVersion:
    """The version on a seat, with all that a worker needs to start it."""

    id: str
    text: str
    """The text of the player: a file, or a built-in one."""
    hash: str = ""
    """The SHA-256 of the file; empty for a built-in player."""
    edition: str = ""

    def packed(self) -> str:
        """As one text that replaces the player's id on the way to the worker."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def unpacked(cls, text: str) -> SeatedVersion:
        """The inverse of `packed`."""
        return cls(**json.loads(text))


def ordered(pairing: Pairing, seats: Sequence[SeatedVersion]) -> Pairing:
    """The pairing as a worker gets it."""
    return replace(pairing, players=tuple(each.packed() for each in seats))


@dataclass(frozen=True, slots=True)
class VersionMaker:
    """Makes the executor in each worker; survives pickling."""

    limits: TimeControl = field(default_factory=lambda: time_control(None, None, None))
    setting: Setting = field(default_factory=Setting)
    authority: Authority = "server"
    """The authority on the rules."""

    def __call__(self) -> VersionExecutor:
        """An executor for games of any versions."""
        return VersionExecutor(self.limits, self.setting, self.authority)


class VersionExecutor:
    """Plays games of any edition between any versions; each pairing names them."""

    def __init__(
        self, limits: TimeControl, setting: Setting, authority: Authority = "server"
    ) -> None:
        self._limits, self._setting, self._authority = limits, setting, authority
        self._servers: dict[str, Any] = {}
        """A server for each edition, if programs have played it here."""

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        return time.monotonic

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game; its entry names the players by their ids."""
        seats = [_located(SeatedVersion.unpacked(each)) for each in pairing.players]
        for seat in seats:
            _check_file(seat)
        plain = replace(pairing, players=tuple(_names(seats)))
        place = self._place(seats, plain)
        try:
            entry = place.play(plain, watcher, past)
        finally:
            if (close := getattr(place, "close", None)) is not None:
                close()
        named = replace(pairing, players=tuple(each.id for each in seats))
        return replace(entry, pairing=named, events=_renamed(entry, named))

    def _place(self, seats: Sequence[SeatedVersion], pairing: Pairing) -> Executor:
        texts: dict[str, str | None] = {
            name: seat.text for name, seat in zip(pairing.players, seats, strict=True)
        }
        edition, own = seats[0].edition, self._own(seats)
        players = Players(edition, self._authority, texts, self._limits, own)
        if players.isolation is Isolation.SERVED:
            return self._served(players)
        return players()

    def _own(self, seats: Sequence[SeatedVersion]) -> Setting:
        """Show a version only its own file, though uploads share a folder."""
        folders = {Path(seat.text).parent for seat in seats if seat.hash}
        return self._setting.with_foreign(folder / "others" for folder in sorted(folders))

    def _served(self, players: Players) -> Executor:
        from spielleiter.programs.game_server import game_server  # most workers need none
        from spielleiter.programs.server_executor import ServerExecutor

        game, setting = players.game, replace(players.setting, warm=False)
        if players.edition not in self._servers:
            self._servers[players.edition] = game_server(
                game.speaking(setting.wire), players.limits, players.start, setting.host
            )
        server = self._servers[players.edition]
        return ServerExecutor(game, players.players, players.limits, players.start, setting, server)


def _names(seats: Sequence[SeatedVersion]) -> list[str]:
    """Unique names for one game, also if a version plays itself."""
    ids = [seat.id for seat in seats]
    return [f"{each} ({at})" if ids.count(each) > 1 else each for at, each in enumerate(ids)]


def _renamed(entry: ContestEntry, pairing: Pairing) -> Any:
    return replace(entry.events, opened=replace(entry.events.opened, names=pairing.players))


def wanted_files(seats: Iterable[SeatedVersion]) -> dict[str, Path]:
    """The files that other machines need for these players, by their names there."""
    paths = {seat.hash: Path(seat.text) for seat in seats if seat.hash}
    return {cluster_files.name_of(hash_, path): path for hash_, path in paths.items()}


def _located(seat: SeatedVersion) -> SeatedVersion:
    """The path of the file on this machine."""
    if not seat.hash:
        return seat
    return replace(seat, text=str(cluster_files.located(Path(seat.text), seat.hash)))


def _check_file(seat: SeatedVersion) -> None:
    """Raise MachineError if the file differs from the upload: never the team's fault."""
    if not seat.hash:
        return
    if not Path(seat.text).is_file():
        raise MachineError(f"the file of {seat.id} cannot be read here: there is none")
    if not cluster_files.is_file_of(Path(seat.text), seat.hash):
        raise MachineError(f"the file of {seat.id} is not what was uploaded")
