"""Runs untrusted programs at one of several levels of isolation.

found = probe()                     # what this machine can do, tried and not assumed
box = found.box(Level.ISOLATED)     # raises Unreachable with the reason and the remedy
with box.start(LaunchRequest(["./bot", "--port", "13050"], folder=Path("bots/red"))) as running: ...
"""

from spielleiter.sandbox.box import Box, LaunchRequest, RunningProgram, environment
from spielleiter.sandbox.forkserver import Forkserver
from spielleiter.sandbox.level import Bounds, Level
from spielleiter.sandbox.probe import ProbeResult, Unreachable, probe

__all__ = [
    "Bounds",
    "Box",
    "Forkserver",
    "LaunchRequest",
    "Level",
    "ProbeResult",
    "RunningProgram",
    "Unreachable",
    "environment",
    "probe",
]
