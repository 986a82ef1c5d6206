"""What motifs say about moves of this game."""

from __future__ import annotations

import random

from spielleiter import games
from spielleiter.games.piranhas import Position
from spielleiter.games.piranhas.motifs import motifs


def test_every_motif_is_seen_in_games_by_chance_and_is_true() -> None:
    seen: set[str] = set()
    for seed in range(12):
        position = Position.start(seed, "", "piranhas-2026")
        lot = random.Random(seed)
        while position.outcome() is None:
            moves = list(position.legal_moves())
            seat, played = position.to_move(), lot.choice(moves)
            after = position.after(played)
            for each in motifs(position, played, lot.choice(moves)):
                seen.add(each.id)
                if "groups" in each.values and each.id != "motif.helped":
                    assert each.values["groups"] == len(after.swarms(seat))
            position.play(played)
    assert {"motif.cut-off", "motif.split", "motif.not-joined", "motif.helped"} <= seen


def test_a_union_that_was_missed_and_one_that_was_allowed_are_named() -> None:
    engine = games.load("piranhas-2026").native.Engine(table=8)
    seen: set[str] = set()
    for seed in range(40):
        if "motif.missed-union" in seen and seen & {"motif.allowed-union", "motif.lighter-swarm"}:
            break
        position = Position.start(seed, "", "piranhas-2026")
        before = position.copy()
        while position.outcome() is None:
            before = position.copy()
            position.play(engine.search(position, nodes=500).best)
        last = next(each for each in before.legal_moves() if before.after(each) == position)
        for other in before.legal_moves():
            seen |= {each.id for each in motifs(before, other, last)}
    assert "motif.missed-union" in seen
    assert seen & {"motif.allowed-union", "motif.lighter-swarm"}
