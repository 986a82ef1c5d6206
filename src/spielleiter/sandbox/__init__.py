"""Runs programs of strangers at one of several levels of isolation that this machine offers.

found = probe()                     # what this machine can do, tried and not assumed
box = found.box(Level.ISOLATED)     # raises Unreachable with the reason and the remedy
with box.start(Order(["./bot", "--port", "13050"], folder=Path("bots/red"))) as running: ...
"""

from spielleiter.sandbox.box import Box, Order, Running, environment
from spielleiter.sandbox.forkserver import Forkserver
from spielleiter.sandbox.level import Bounds, Level
from spielleiter.sandbox.probe import Found, Unreachable, probe

__all__ = [
    "Bounds",
    "Box",
    "Forkserver",
    "Found",
    "Level",
    "Order",
    "Running",
    "Unreachable",
    "environment",
    "probe",
]
