"""A server with the wire of the 2019 document, beside the one that the real programs expect."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    EndOfDocument,
    Error,
    Left,
    Memento,
    Message,
    MoveRequest,
    Pause,
    Result,
    RoomData,
    Welcome,
)
from spielleiter.server import Server, Settings
from tests.peers import Peer, prepared, seated, serving

DOCUMENTED = games.load("piranhas-2019", wire="document")
REAL = games.load("piranhas-2019")


def kinds(messages: Sequence[Message]) -> list[type[Any]]:
    return [type(message) for message in messages]


async def two(server: Server) -> list[Peer]:
    players = [await Peer.at(server) for _ in range(2)]
    for player in players:
        player.join()
    return players


def test_a_client_that_names_no_wire_gets_what_the_real_programs_read() -> None:
    async def scene(game: Game) -> str:
        async with serving([game]) as server:
            first, _ = await two(server)
            state = (await first.hear(Memento)).state
            assert isinstance(state, Element)
            return state.attributes["class"]

    assert asyncio.run(scene(REAL)) == "sc.plugin2019.GameState"
    assert asyncio.run(scene(DOCUMENTED)) == "state"
    assert REAL.authority == DOCUMENTED.authority == "document"


@pytest.mark.parametrize("by_properties", [True, False])
def test_players_of_a_paused_game_get_the_first_state_and_later_the_request_alone(
    by_properties: bool,
) -> None:
    async def scene() -> None:
        async with serving([DOCUMENTED], Settings(paused=by_properties)) as server:
            admin = await Peer.admin_at(server)
            if by_properties:
                players = await two(server)
            else:
                players = await seated(server, await prepared(admin, pause=True))
            for player in players:
                await player.hear(Memento)
                assert kinds(player.heard[-2:]) == [Welcome, Memento]
            (room,) = server.lobby.rooms
            admin.say(Pause(room, pause=False))
            await players[0].hear(MoveRequest)
            assert kinds(players[0].heard).count(Memento) == 1
            memento = next(each for each in players[0].heard if isinstance(each, Memento))
            position = players[0].position(memento)
            players[0].play((room, position), next(iter(position.legal_moves())))
            await players[1].hear(MoveRequest)
            assert kinds(players[1].heard).count(Memento) == 2

    asyncio.run(scene())


@pytest.mark.parametrize(
    "attributes",
    [
        {"x": "0", "y": "1", "direction": "SIDEWAYS"},
        {"x": "0", "y": "1"},
        {"x": "0", "direction": "RIGHT"},
        {"y": "1", "direction": "RIGHT"},
        {"x": "zero", "y": "1", "direction": "RIGHT"},
    ],
)
def test_a_faulty_move_ends_the_game_and_the_next_state_says_so(attributes: dict[str, str]) -> None:
    async def scene() -> None:
        async with serving([DOCUMENTED]) as server:
            first, second = await two(server)
            asked = await first.hear(MoveRequest)
            data = Element("data", {"class": "move", **attributes})
            first.say(RoomData(asked.room, data))
            told = await first.hear_end()
            assert kinds(told) == [Error, Memento, Result, Left, EndOfDocument]
            error, memento, result, *_ = told
            assert isinstance(error, Error)
            assert isinstance(error.original, Element)
            assert error.original.attributes.items() >= attributes.items()
            assert isinstance(memento, Memento)
            assert isinstance(memento.state, Element)
            assert memento.state.child("condition") is not None
            assert isinstance(result, Result)
            assert [score.cause for score in result.scores] == ["RULE_VIOLATION", "REGULAR"]
            assert result.scores[0].reason
            assert result.scores[0].reason == result.scores[1].reason
            assert Result in kinds(await second.hear_end())

    asyncio.run(scene())


def test_both_scores_say_why_when_a_player_leaves() -> None:
    async def scene() -> None:
        async with serving([DOCUMENTED]) as server:
            first, second = await two(server)
            await first.hear(MoveRequest)
            first.close()
            result = await second.hear(Result)
            assert [score.cause for score in result.scores] == ["LEFT", "REGULAR"]
            assert {score.reason for score in result.scores} == {
                "Der Spieler hat das Spiel verlassen"
            }

    asyncio.run(scene())


def test_the_last_move_is_absent_in_the_whole_first_round() -> None:
    wire = DOCUMENTED.part("wire").wire(DOCUMENTED)
    position = DOCUMENTED.start(1)
    shown = []
    for _ in range(3):
        sent = wire.sent(position, next(iter(position.legal_moves())))
        position.play(sent.move)
        state = wire.state(position, sent)
        shown.append("<lastMove>" in state)
    assert shown == [False, True, True]


def test_two_editions_with_one_game_type_are_not_served_together() -> None:
    with pytest.raises(UsageError, match="piranhas-2019-draft and piranhas-2019 are both swc_2019"):
        Server([games.load("piranhas-2019-draft"), REAL])


def test_replays_of_2019_are_named_as_its_server_named_them(tmp_path: Path) -> None:
    async def scene() -> None:
        settings = Settings(replays=tmp_path)
        async with serving([REAL], settings) as server:
            admin = await Peer.admin_at(server)
            first, second = await seated(server, await prepared(admin, ("Rot 1", "Blau")))
            await first.hear(MoveRequest)
            second.close()
            await first.hear(Result)

    asyncio.run(scene())
    (path,) = tmp_path.iterdir()
    name = r"replay_swc_2019_piranhas_Rot_1_Blau_\d{4}\.\d\d\.\d\d_\d\d_\d\d_\d\d\.xml"
    assert re.fullmatch(name, path.name)
