"""A game without its native module: the rules of its `reference.py` behind the same contract.

`module` makes what the native module of a game's package offers, `Position`, `Move`, `Batch` and
engines, out of plain Python. It runs wherever Python runs, with the same positions, texts, keys and
outcomes; only speed, and therefore the strength of the engines, is missing. A game whose reference
is too slow for bots has a quicker subclass of it in its `plain.py`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from spielleiter.plain.alphabeta import PlainEngine
from spielleiter.plain.batch import PlainBatch
from spielleiter.plain.mcts import PlainMcts
from spielleiter.plain.position import (
    PlainDisqualifyingPosition,
    PlainLegalMoves,
    PlainPosition,
)

NAME = "_plain"
"""What the module is called in a game's package."""


def is_there(package: str) -> bool:
    """Whether a package has rules in plain Python."""
    return find_spec(f"{package}.reference") is not None


def module(package: str) -> ModuleType:
    """The module of a game's package; the same one for every call."""
    name = f"{package}.{NAME}"
    if name not in sys.modules:
        sys.modules[name] = _made(name, import_module(f"{package}.reference"), _rules(package))
    return sys.modules[name]


def _rules(package: str) -> type:
    """The game's `Position` in Python: of its `plain.py`, where the reference is too slow."""
    quick = find_spec(f"{package}.plain") is not None
    kind: type = import_module(f"{package}.{'plain' if quick else 'reference'}").Position
    return kind


def _made(name: str, reference: ModuleType, rules: type) -> ModuleType:
    made = ModuleType(name, f"The rules of {reference.__name__}, as the contract has them.")
    goes_on = hasattr(rules, "disqualify")
    face = PlainDisqualifyingPosition if goes_on else PlainPosition
    own = {"__module__": name, "of_game": reference.Move}
    position = type("Position", (face, rules), own)
    vars(made).update(
        Position=position,
        Move=reference.Move,
        Mistake=reference.Mistake,
        Occupant=reference.Occupant,
        LegalMoves=PlainLegalMoves,
        Batch=type("Batch", (PlainBatch,), {"__module__": name, "of_game": position}),
        Engine=type("Engine", (PlainEngine,), {"__module__": name}),
        Mcts=type("Mcts", (PlainMcts,), {"__module__": name}),
    )
    return made
