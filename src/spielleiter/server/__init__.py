"""The contest's server: asyncio around the referee and the protocol.

Other packages need only `Server`; they pass in the games.
"""

from spielleiter.server.listener import Server
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.settings import EXAMPLE_PASSWORD, OnStop, ServerLimits, Settings
from spielleiter.server.table import Sink, Table
from spielleiter.server.timekeeper import Timekeeper, event_loop

__all__ = [
    "EXAMPLE_PASSWORD",
    "OnStop",
    "ServedGame",
    "Server",
    "ServerLimits",
    "Settings",
    "Sink",
    "Start",
    "Table",
    "Timekeeper",
    "event_loop",
]
