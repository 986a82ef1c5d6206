"""Every message of docs/protocol.md is one of a recorded conversation, and our parts read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.game import Game
from spielleiter.protocol import xml
from spielleiter.protocol.lobby import Message, RoomData, Unknown
from spielleiter.protocol.wire import Wire
from tests import talks

PAGE = Path(__file__).parents[1] / "docs" / "protocol.md"
BLOCK = re.compile(r"<!-- (server|client) (\d{4}) -->\n```xml\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as the page shows it."""

    by_client: bool
    season: str
    text: str

    def __str__(self) -> str:
        return f"{'client' if self.by_client else 'server'}-{self.season}-{_first_line(self.text)}"


def _first_line(text: str) -> str:
    return re.sub(r"\W+", "-", text.strip()[:60]).strip("-")


SHOWN = [
    Shown(who == "client", season, text)
    for who, season, text in BLOCK.findall(PAGE.read_text("utf-8"))
]
WHOLE = [
    shown
    for shown in SHOWN
    if "…" not in shown.text and not shown.text.startswith(("    ", "\n</protocol>"))
]
"""Messages from begin to end, without what is left out or stands around them."""


def _pattern(text: str) -> re.Pattern[str]:
    """`…` stands for whole lines that are left out."""
    parts = re.split(r" *…\n", text)
    return re.compile(r"[\S\s]*?".join(re.escape(part) for part in parts))


def _recorded(shown: Shown) -> list[talks.Stream]:
    streams = talks.streams(by_client=shown.by_client)
    return [stream for stream in streams if stream.name.startswith(f"{shown.season}/")]


def _read(shown: Shown) -> list[Message]:
    side = xml.Side.SERVER if shown.by_client else xml.Side.CLIENT
    opening = "" if shown.text.startswith("<protocol>") else "<protocol>"
    connection = xml.Connection(side, _recorded(shown)[0].dialect)
    return connection.receive((opening + shown.text).encode())


def test_all_xml_of_the_page_says_who_sent_it_and_when() -> None:
    assert PAGE.read_text("utf-8").count("```xml") == len(SHOWN) > 25


@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_a_message_of_the_page_was_recorded_in_its_season(shown: Shown) -> None:
    pattern = _pattern(shown.text)
    assert any(pattern.search(stream.data.decode()) for stream in _recorded(shown))


@pytest.mark.parametrize("shown", WHOLE, ids=str)
def test_our_reader_understands_a_message_of_the_page(shown: Shown) -> None:
    messages = _read(shown)
    assert messages
    assert not any(isinstance(message, Unknown) for message in messages)


@pytest.mark.parametrize("shown", [s for s in WHOLE if not s.by_client], ids=str)
def test_our_server_writes_a_message_of_the_page_byte_by_byte(shown: Shown) -> None:
    ours = xml.Connection(xml.Side.SERVER, _recorded(shown)[0].dialect).send(*_read(shown))
    assert ours.decode().removeprefix("<protocol>\n") == shown.text.removeprefix("<protocol>\n")


@pytest.mark.parametrize("shown", [s for s in WHOLE if s.by_client and "<data" in s.text], ids=str)
def test_a_move_of_the_page_is_one_of_its_game(shown: Shown) -> None:
    wire, game = _wire_of(shown.season)
    (message,) = _read(shown)
    assert isinstance(message, RoomData)
    assert wire.read_move(game.start(1), message.data).element == message.data


def _wire_of(season: str) -> tuple[Wire, Game]:
    for name in games.names():
        game = games.load(name, authority="server")
        if name.endswith(season):
            return game.part("wire").wire(game), game
    pytest.skip(f"no game of {season} installed")
