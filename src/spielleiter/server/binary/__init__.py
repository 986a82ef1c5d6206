"""The course's server: the same referee, clock and events behind the binary protocol.

A `Host` is one port with a queue of games on one map; several hosts share an event loop. The map's
game is passed in as a `Board`.
"""

from spielleiter.server.binary.host import Host
from spielleiter.server.binary.notices import (
    ClientRefused,
    GaveUp,
    Listening,
    LobbyChanged,
    Notice,
    SendFailed,
    Unreadable,
)
from spielleiter.server.binary.reserved import IsPlayer, Reserved
from spielleiter.server.binary.settings import Arranged, BinarySettings, Board
from spielleiter.server.binary.speaker import (
    INVALID_MESSAGE,
    RECEIVE_FAILED,
    SEND_FAILED,
    BinarySpeaker,
)

__all__ = [
    "INVALID_MESSAGE",
    "RECEIVE_FAILED",
    "SEND_FAILED",
    "Arranged",
    "BinarySettings",
    "BinarySpeaker",
    "Board",
    "ClientRefused",
    "GaveUp",
    "Host",
    "IsPlayer",
    "Listening",
    "LobbyChanged",
    "Notice",
    "Reserved",
    "SendFailed",
    "Unreadable",
]
