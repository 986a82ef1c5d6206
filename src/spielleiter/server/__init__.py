"""The contest's server: asyncio round the referee and the protocol.

`Server` is all that others need; the games are handed in.
"""

from spielleiter.server.listener import Server, Sink
from spielleiter.server.room import Start, Table
from spielleiter.server.settings import EXAMPLE_PASSWORD, Limits, OnStop, Settings
from spielleiter.server.timekeeper import Timekeeper, event_loop

__all__ = [
    "EXAMPLE_PASSWORD",
    "Limits",
    "OnStop",
    "Server",
    "Settings",
    "Sink",
    "Start",
    "Table",
    "Timekeeper",
    "event_loop",
]
