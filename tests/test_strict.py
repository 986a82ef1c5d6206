"""The strict server: our own client stands everything, a careless one is told what it does not."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from spielleiter import client
from spielleiter.game import Bot, Clock
from spielleiter.match import PerMove
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import Memento, RoomData
from spielleiter.protocol.xml import Connection, Side, encode
from spielleiter.server import ServedGame, Settings, strict
from spielleiter.server.strict import ALL, Scenario, Stage
from tests.peers import UNHURRIED, spoken

BRIEF = max(spoken(), key=lambda game: (-len(game.start(1).text()), game.name, game.authority))
"""The newest edition of the game with the smallest board: messages are shortest, and rules do not
matter here."""


class Plain(Bot):
    name = "plain"

    def choose(self, position: Any, clock: Clock) -> Any:
        return position.legal_moves()[0]


async def play(scenario: Scenario, player: Any, clock: PerMove | None = None) -> str | None:
    """What the scenario found out about a client."""
    settings = Settings(port=0, seed=1, clock=clock or UNHURRIED)
    stage = Stage(BRIEF, settings, lambda _: None)
    await stage.open()
    try:
        playing = asyncio.create_task(player(stage.port))
        weakness = await asyncio.wait_for(stage.play(scenario), 300)
        await asyncio.wait_for(asyncio.gather(playing, return_exceptions=True), 60)
    finally:
        await stage.close()
    return weakness


async def our_client(port: int) -> None:
    await asyncio.to_thread(
        client.join, Plain(), "127.0.0.1", port, game=BRIEF.name, authority=BRIEF.authority
    )


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_our_own_client_stands_every_scenario(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict, "_PATIENCE", 60.0)  # a busy machine may take long to say goodbye
    assert asyncio.run(play(scenario, our_client)) is None


# ------------------------------------------------------------------------------- a careless client


async def careless(port: int) -> None:
    """Believes that a packet is a message, and looks for the last element by its layout."""
    table = ServedGame.of(BRIEF)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f'<protocol><join gameType="{table.wire.game_type}"/>'.encode())
    position: Any = None
    try:
        while packet := await reader.read(65536):
            if packet.endswith(b"\n  </room>") and b"memento" in packet[:120]:
                position = _position(table, packet)
            if position and packet.startswith(b"\n  <room") and b"moveRequest" in packet[:150]:
                room = re.findall(rb'roomId="([^"]*)"', packet)[0].decode()
                _answer(table, writer, room, position)
            if b"<left" in packet:
                return
    finally:
        writer.close()


def _position(table: ServedGame, packet: bytes) -> Any:
    for message in Connection(Side.CLIENT).receive(b"<protocol>" + packet):
        if isinstance(message, Memento) and isinstance(message.state, Element):
            return table.game.parse(table.wire.read_state(message.state).position)
    return None


def _answer(table: ServedGame, writer: asyncio.StreamWriter, room: str, position: Any) -> None:
    sent = table.wire.sent(position, position.legal_moves()[0])
    writer.write(encode(RoomData(room, sent.element), table.wire.dialect))


def test_a_client_that_takes_packets_for_messages_is_found_out() -> None:
    scenario = next(scenario for scenario in ALL if scenario.name == "bytes")
    weakness = asyncio.run(play(scenario, careless, PerMove(0.5, 0.5)))
    assert weakness is not None
    assert "did not answer" in weakness


async def deserter(port: int) -> None:
    """Hangs up after the first request."""
    table = ServedGame.of(BRIEF)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f'<protocol><join gameType="{table.wire.game_type}"/>'.encode())
    await reader.readuntil(b"oveRequest")
    writer.close()


def test_a_client_that_hangs_up_is_found_out() -> None:
    weakness = asyncio.run(play(ALL[0], deserter))
    assert weakness is not None
    assert "disconnected in the middle" in weakness
