"""A ladder on a Ray cluster whose machines are lost; run as a program of its own: FOLDER.

See `tests/clusters.py`: all machines are this one, but each keeps files in a folder of its own.
"""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ray.cluster_utils import Cluster

from spielleiter.errors import MachineError
from spielleiter.ladder.execution import SeatedVersion, ordered
from spielleiter.ladder.ladder import SPOILT, LadderSettings
from spielleiter.ladder.results import GAME, PlayedGame
from spielleiter.ladder.workers import LadderWorkers
from spielleiter.store import open_store
from spielleiter.tournament.cluster import RayGames
from spielleiter.tournament.cluster_files import name_of
from spielleiter.tournament.pairing import Opening, Pairing
from tests.clusters import SMALL
from tests.ladders import EDITION, RosterInMemory, ladder_in
from tests.test_ladder_games import BOT, BROKEN, MAKE, file_version, until

PATIENCE = 300.0


def main(folder: Path) -> None:
    head: dict[str, Any] = {"num_cpus": 0, "include_dashboard": False, **SMALL}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        caches = [folder / "cache 0", folder / "cache 1"]
        machines = [
            cluster.add_node(num_cpus=2, env_vars={"XDG_CACHE_HOME": str(each)}, **SMALL)
            for each in caches
        ]
        with closing(RayGames(MAKE, PATIENCE, cluster.address)) as there:
            check_files(folder, there, caches)
            play_ladder(folder, there, lambda: cluster.remove_node(machines[0]))
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call, unused-ignore]


def check_files(folder: Path, there: RayGames, caches: list[Path]) -> None:
    """A machine that lacks a file gets it by its hash, and plays nothing else."""
    version = file_version(folder, "sent", BOT)
    seat = SeatedVersion("sent", str(folder / "elsewhere" / "sent.py"), version.hash, EDITION)
    pairing = ordered(Pairing("key", ("sent", "sent"), Opening(1)), [seat, seat])
    name = name_of(version.hash, version.path)
    (done,) = there.play((pairing,), {name: version.path}, lambda: None)
    assert '"players":["sent","sent"]' in done.text.replace(" ", ""), done.text[:400]
    kept = [each / "spielleiter" / "versions" / name for each in caches]
    assert [each.read_text() for each in kept if each.exists()] == [BOT]
    other = file_version(folder, "other one", BROKEN)
    wrong = replace(seat, hash="0" * 64)
    try:
        there.play(
            (ordered(pairing, [wrong, wrong]),),
            {name_of(wrong.hash, other.path): other.path},
            lambda: None,
        )
    except MachineError as problem:
        assert "did not arrive as it was sent" in str(problem), problem
    else:
        raise AssertionError("a file that is not the one that was asked for has played")


def play_ladder(folder: Path, there: RayGames, lose_a_machine: Any) -> None:
    """A machine is lost in the middle: no game is lost, none counts twice."""
    players = RosterInMemory()
    players.add(*(file_version(folder, f"v{at}", f"{BOT}\n# {at}\n") for at in range(4)))
    settings, heard = LadderSettings((EDITION,), workers=4, levels=()), list[PlayedGame]()
    with ladder_in(folder / "ladder.db", players, settings) as ladder:
        ladder.on_game = heard.append
        workers = LadderWorkers(ladder, MAKE, 4, cluster=there)
        workers.start()
        until(lambda: len(heard) >= 3, PATIENCE)
        lose_a_machine()
        before = len(heard)
        until(lambda: len(heard) >= before + 6, PATIENCE)
        workers.stop()
        assert workers.failure is None, workers.failure
        counted = ladder.results.players_named(EDITION, list(players.known))
    with closing(open_store(folder / "ladder.db")) as record:
        keys = [entry.key for entry in record.read(GAME)]
        assert list(record.check()) == []
        spoilt = [entry.data for entry in record.read(SPOILT)]
    assert len(keys) == len(set(keys)) == len(heard)
    assert sum(each.games for each in counted.values()) == 2 * len(keys)
    assert sum(each.faults for each in counted.values()) == 0
    print(f"{len(keys)} games, spoilt: {spoilt}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
