"""Everything a participant needs: connect to a contest server, play, prepare and watch games.

from spielleiter import Bot, run

class Mine(Bot):
    def choose(self, position, clock):
        return max(position.legal_moves(), key=...)

run(Mine())

`client.binary` does the same on the course's binary protocol.
"""

from spielleiter.client.admin import Administrator, ObservedMessage
from spielleiter.client.connection import LostConnection, Refused, Session
from spielleiter.client.player import BotFailed, GameReport, join, play, run
from spielleiter.client.seasons import Season

__all__ = [
    "Administrator",
    "BotFailed",
    "GameReport",
    "LostConnection",
    "ObservedMessage",
    "Refused",
    "Season",
    "Session",
    "join",
    "play",
    "run",
]
