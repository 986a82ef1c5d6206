"""Engines in lines play Reversi: UGI on every kind of map, GTP and NBoard on the classic board."""

from __future__ import annotations

import queue

import pytest

from spielleiter import bots, games
from spielleiter.engines.ugi_server import UgiServer
from tests.test_engines import engine, played


@pytest.mark.parametrize("name", ["p3_09x09_hexagon", "p4_08x08_tight", "p3_two_players_blocked"])
def test_an_engine_plays_on_maps_for_several_players_and_with_passes(name: str) -> None:
    assert played(engine("ugi", "ugi_engine"), "reversi", map=name).outcome() is not None


def test_a_map_is_an_option_of_our_engine() -> None:
    game, heard = games.load("reversi"), queue.SimpleQueue[str]()
    server = UgiServer(game, bots.factory("greedy"), heard.put, name="us")
    name = "p2_06x06_classic"
    server.run([f"setoption name map value {name}", "position startpos", "query fen"])
    assert heard.get() == f"response {game.start(map=name).text()}"
