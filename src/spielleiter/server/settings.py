"""Settings of a server: the official server's options under their names, and ours."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path

from spielleiter.errors import TextError, UnknownName, UsageError
from spielleiter.match import PerMove
from spielleiter.server.admission import Quotas

EXAMPLE_PASSWORD = "examplepassword"
_FEW = 10
"""Below so many connections there is no limit per address."""


class OnStop(enum.Enum):
    """What happens to running games when the server is asked to stop."""

    FINISH = "finish"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits for clients."""

    connections: int = 5_000
    """In all, and as the system's limit of open files allows."""
    per_address: int | None = None
    """Connections of one address without a reservation; None: half of all."""
    strangers_per_address: int | None = None
    """Of them, those that have no seat, observe and administer nothing; None: as many."""
    greeting: float = 60.0
    """Seconds until the first whole message of a connection."""
    seats_per_hour: int | None = None
    """Seats that one address may take without a reservation in an hour; None: any number."""
    refusals: int = 100
    """Requests of a connection without a seat that are refused before it is closed."""
    rooms: int = 5_000
    seats: int = 100
    """Seats that one connection may have at the same time."""
    message: int = 64 * 1024
    """Bytes of one message."""
    idle: float = 600.0
    """Seconds that a connection without a seat, an observed room or administrator rights may stay
    silent; also seconds that a prepared room may wait for its first player."""
    observer_queue: int = 1024 * 1024
    """Bytes queued for an observer before it is dropped."""
    player_queue: int = 4 * 1024 * 1024
    """Bytes queued for a player before it counts as lost."""

    def quotas(self, files: int | None = None) -> Quotas:
        """How many connections there may be, if there are so many files for them."""
        connections = self.connections if files is None else min(self.connections, files)
        half = connections if connections < _FEW else connections // 2
        of_one = half if self.per_address is None else min(self.per_address, connections)
        strangers = of_one if self.strangers_per_address is None else self.strangers_per_address
        return Quotas(connections, half, min(strangers, half), of_one)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a server needs to know besides its games."""

    host: str = "127.0.0.1"
    port: int = 13050
    password: str = EXAMPLE_PASSWORD
    paused: bool = False
    """Games nobody prepared start paused."""
    timeouts: bool = True
    """Whether seats nobody prepared can run out of time."""
    clock: PerMove = field(default_factory=PerMove)
    seed: int | None = None
    """Whatever is drawn by lot comes from this number; None: from the system."""
    limits: ServerLimits = field(default_factory=ServerLimits)
    replays: Path | None = None
    """The folder replays are written to; None: they are not."""
    compressed: bool = False
    """Replays as `.xml.gz`."""
    on_stop: OnStop = OnStop.FINISH
    grace: float = 60.0
    """Seconds that running games get to finish when the server stops."""
    metrics_port: int | None = None

    def checked(self) -> Settings:
        """Raise UsageError if the settings would expose the example password to the network."""
        if self.password == EXAMPLE_PASSWORD and not _is_loopback(self.host):
            raise UsageError(
                f"refusing to listen on {self.host} with the example password: choose one with "
                "--password, or 'password = …' in server.properties"
            )
        return self


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


# ---------------------------------------------------------------------------- server.properties


def with_properties_file(settings: Settings, path: Path) -> Settings:
    """The settings changed by that file; unchanged if there is none."""
    if not path.is_file():
        return settings
    return with_properties(settings, read_properties(path.read_text("utf-8")))


def read_properties(text: str) -> dict[str, str]:
    """`name = value` lines; `#` and `!` begin remarks, as in every file of that kind."""
    lines = (line.strip() for line in text.splitlines())
    values = {}
    for line in lines:
        if not line or line[0] in "#!":
            continue
        name, separator, value = line.replace(":", "=", 1).partition("=")
        if not separator:
            raise TextError("expected 'name = value' in server.properties", line)
        values[name.strip()] = value.strip()
    return values


_PROPERTIES = ("port", "password", "paused", "timeout", "local")


def with_properties(settings: Settings, values: Mapping[str, str]) -> Settings:
    """The settings changed by what server.properties says."""
    for name, value in values.items():
        if name == "port":
            settings = replace(settings, port=_port(value))
        elif name == "password":
            settings = replace(settings, password=value)
        elif name == "paused":
            settings = replace(settings, paused=_truth(name, value))
        elif name == "timeout":
            settings = replace(settings, timeouts=_truth(name, value))
        elif name == "local":
            settings = replace(settings, host="127.0.0.1" if _truth(name, value) else "0.0.0.0")
        else:
            raise UnknownName("property in server.properties", name, _PROPERTIES)
    return settings


def _port(value: str) -> int:
    if not value.isdecimal() or int(value) > 65535:
        raise TextError("port in server.properties must be a number up to 65535", value)
    return int(value)


def _truth(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise TextError(f"{name} in server.properties must be true or false", value)
    return value.lower() == "true"
