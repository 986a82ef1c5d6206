"""A ladder for tests: teams and versions in memory, and players who are only numbers."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from spielleiter import bots, games
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.marks import mark_elo
from spielleiter.ladder.roster import Roster, is_mark, level_of
from spielleiter.store import open_store
from spielleiter.store.address import StoreAddress
from spielleiter.store.retry import opened
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.record import to_text
from spielleiter.tournament.time_control import TimeControl

EDITION = games.names()[0]


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A version whose strength is known."""

    id: str
    team: str
    edition: str = EDITION
    elo: float = 1500.0
    path: Path = Path(__file__)
    hash: str = ""

    @property
    def name(self) -> str:
        return f"bot {self.id}"

    @property
    def team_name(self) -> str:
        return f"Team {self.team}"


@dataclass(slots=True)
class RosterInMemory:
    """Versions in memory; what was said about them."""

    known: dict[str, KnownVersion] = field(default_factory=dict)
    parked: dict[str, str] = field(default_factory=dict)
    told: list[tuple[str, str]] = field(default_factory=list)

    def add(self, *versions: KnownVersion) -> None:
        self.known |= {each.id: each for each in versions}

    def released_versions(self, edition: str) -> Sequence[KnownVersion]:
        free = (each for each in self.known.values() if each.id not in self.parked)
        return [each for each in free if each.edition == edition]

    def version(self, version: str, /) -> KnownVersion | None:
        return self.known.get(version)

    def versions(self, versions: Sequence[str], /) -> Sequence[KnownVersion]:
        return [self.known[each] for each in versions if each in self.known]

    def park(self, version: str, reason: str, /) -> None:
        self.parked[version] = reason

    def tell(self, team: str, version: str, failures: int, fault: str, /) -> None:
        self.told.append((team, f"{version}: {failures} by {fault}"))


def roster(count: int, teams: int | None = None, spread: float = 200.0) -> RosterInMemory:
    """So many versions of so many teams, their strengths drawn by lot."""
    lot, found = random.Random(count), RosterInMemory()
    for number in range(count):
        team = f"team{number % (teams or count)}"
        found.add(KnownVersion(f"v{number}", team, elo=lot.gauss(1500, spread)))
    return found


@contextmanager
def ladder_in(
    where: Path | str, roster: Roster, settings: LadderSettings | None = None
) -> Iterator[Ladder]:
    """A ladder over a store in a file, or at a URL."""
    settings = settings or LadderSettings((EDITION,), levels=(3, 5, 7))
    address = StoreAddress.of(where)
    with (
        closing(opened(address, open_store)) as record,
        closing(opened(address, LadderDatabase)) as database,
    ):
        yield Ladder(record, database, roster, settings)


def entry_text(
    game: QueuedGame, ranks: tuple[int, ...], faults: tuple[str | None, ...] = ()
) -> str:
    """An entry of a game with that result, as if it had been played."""
    data = json.loads(_real_entry())
    pairing = game.pairing
    data |= {
        "key": game.id,
        "players": pairing.players,
        "seed": pairing.opening.seed,
        "options": pairing.opening.options,
        "edition": game.edition,
        "ranks": ranks,
        "faults": [
            [seat, "LEFT", f"CRASHED: {fault}", "", 0]
            for seat, fault in enumerate(faults)
            if fault is not None
        ],
    }
    return json.dumps(data)


@functools.cache
def _real_entry() -> str:
    game = games.load(EDITION)
    executor = InProcessExecutor(
        lambda opening: game.start(opening.seed),
        {"one": bots.factory("random"), "other": bots.factory("random")},
        TimeControl(),
        lambda: 0.0,
    )
    return to_text(executor.play(Pairing("key", ("one", "other"), Opening(1))))


def strength(roster: RosterInMemory, player: str) -> float:
    """The true strength of somebody, in Elo."""
    if is_mark(player):
        return mark_elo(EDITION, level_of(player))
    return roster.known[player].elo


def simulated(roster: RosterInMemory, game: QueuedGame) -> str:
    """The entry of a game between players who are only numbers: it depends on its id alone."""
    one, other = (strength(roster, each) for each in game.pairing.players)
    chance = 1 / (1 + 10 ** ((other - one) / 400))
    won = drawn(game.id) / 2**64 < chance
    return entry_text(game, (1, 2) if won else (2, 1))


def play(ladder: Ladder, roster: RosterInMemory, games: int, at_once: int = 1) -> list[QueuedGame]:
    """Play so many games, several of them at the same time."""
    done: list[QueuedGame] = []
    running: list[QueuedGame] = []
    while len(done) < games:
        while len(running) < at_once:
            game = ladder.claim(f"request {len(done) + len(running)} {random.random()}")
            if game is None:
                break
            running.append(game)
        assert running, "nothing can be played"
        game = running.pop(0)
        ladder.finish(game, simulated(roster, game))
        done.append(game)
    return done
