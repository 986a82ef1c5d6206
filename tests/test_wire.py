"""What the games say on the contest's wire, against everything the official servers said."""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spielleiter
from spielleiter.client import seasons
from spielleiter.client.seasons import Season
from spielleiter.errors import TextError
from spielleiter.protocol import conversation
from spielleiter.protocol.dialect import ANY, Results
from spielleiter.protocol.element import Element, indented, markup
from spielleiter.protocol.fault import LeaveCause, NoMove, XmlError
from spielleiter.protocol.lobby import (
    Cancel,
    Error,
    Memento,
    Message,
    Prepare,
    Prepared,
    Result,
    RoomData,
)
from spielleiter.protocol.wire import STREAM_LEVEL, Cause, End, Refusal, Sent
from spielleiter.protocol.xml import Connection, Side
from tests.conftest import in_turns
from tests.walks import positions

TALKS = sorted((Path(spielleiter.__file__).parent / "games").glob("*/facts/talks/*/*.txt.gz"))
SEASONS = [
    *seasons.seasons("document", "document"),
    *seasons.seasons("server", "real"),
]


def talk_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.split('.')[0]}"


def season_name(season: Season) -> str:
    return f"{season.game.name}/{season.game.authority}"


pytestmark = pytest.mark.skipif(not SEASONS, reason="no game installed speaks XML")
each_season = pytest.mark.parametrize(
    "season", in_turns(SEASONS, lambda season: season.game.name), ids=season_name
)
each_talk = pytest.mark.parametrize("path", TALKS, ids=talk_name, scope="module")
"""All tests of a recording run one after the other: it is read once."""


# -------------------------------------------------------------------------------------- recordings


@dataclass
class Rooms:
    """What a recording has told so far about its rooms."""

    season: Season
    positions: dict[str | None, Any] = field(default_factory=dict)
    cancelled: set[str | None] = field(default_factory=set)
    _names: dict[str | None, tuple[str, ...]] = field(default_factory=dict)
    _wanted: tuple[str, ...] = ("", "")

    def named(self, room: str | None) -> tuple[str, ...]:
        return self._names.get(room, ("", ""))

    def hear(self, message: Message) -> None:
        match message:
            case Prepare(_, slots):
                self._wanted = tuple(slot.name or "" for slot in slots)
            case Prepared(room):
                self._names[room] = self._wanted
            case Cancel(room):
                self.cancelled.add(room)
            case Memento(room, Element() as state):
                text = self.season.wire.read_state(state).position
                self.positions[room] = self.season.game.parse(text)


@lru_cache(maxsize=1)
def heard(path: Path) -> tuple[tuple[str, bool, Message], ...]:
    """All messages of a recording in time order: connection, whether by the client, message."""
    return tuple(_heard(path))


def _heard(path: Path) -> Iterator[tuple[str, bool, Message]]:
    readers: dict[tuple[str, bool], Connection] = {}
    for said in conversation.read(gzip.decompress(path.read_bytes())):
        key = (said.connection, said.by_client)
        side = Side.SERVER if said.by_client else Side.CLIENT
        reader = readers.setdefault(key, Connection(side, ANY))
        try:
            messages: tuple[Message, ...] = tuple(reader.receive(said.data))
        except XmlError as fault:
            messages = fault.before
        for message in messages:
            yield said.connection, said.by_client, message


def season_of(path: Path) -> Season:
    """The season of a recording, by the year of its folder; skips if its game is not there."""
    year = f"swc_{path.parent.name}_"
    for season in seasons.seasons("server"):
        if season.wire.game_type.startswith(year):
            return season
    pytest.skip(f"no game of {path.parent.name} installed")


def states(path: Path) -> Iterator[Element]:
    """Every state of a recording; players and observers hear the same one after the other."""
    before = None
    for _, _, message in heard(path):
        if isinstance(message, Memento):
            assert isinstance(message.state, Element)
            if message.state != before:
                yield message.state
            before = message.state


@each_talk
def test_states_become_positions_and_the_same_bytes_again(path: Path) -> None:
    season = season_of(path)
    for state in states(path):
        assert season.wire.recognises(state)
        seen = season.wire.read_state(state)
        last = None if seen.last is None else Sent(None, seen.last, "")
        position = season.game.parse(seen.position)
        names = tuple(name or "" for name in seen.names)
        assert season.wire.state(position, last, names) == markup(state)
        streamed = indented(markup(state), STREAM_LEVEL)
        assert season.wire.streamed(position, last, names) == streamed


@each_talk
def test_a_state_is_recognised_as_the_game_it_belongs_to(path: Path) -> None:
    season = season_of(path)
    for state in states(path):
        assert seasons.recognised(state, "server") == season


@each_talk
def test_moves_lead_to_the_states_that_followed(path: Path) -> None:
    """Every accepted move is read, played, and gives the next state byte by byte."""
    season, rooms = season_of(path), dict[str | None, Any]()
    sent: dict[str | None, Sent] = {}
    for _, by_client, message in heard(path):
        if by_client and isinstance(message, RoomData) and message.room in rooms:
            sent = _read(season, rooms[message.room], message) | sent  # the first one counts
        if isinstance(message, Memento) and isinstance(message.state, Element):
            seen = season.wire.read_state(message.state)
            now = season.game.parse(seen.position)
            before, last = rooms.get(message.room), sent.get(message.room)
            if before is not None and last is not None and before.ply < now.ply:
                before.play(last.move)
                names = tuple(name or "" for name in seen.names)
                assert season.wire.state(before, last, names) == markup(message.state)
                assert season.wire.last_move(rooms[message.room], last.element) is not None
                del sent[message.room]
            rooms[message.room] = now


def _read(season: Season, position: Any, message: RoomData) -> dict[str | None, Sent]:
    try:
        return {message.room: season.wire.read_move(position, message.data)}
    except (XmlError, NoMove):
        return {}


@each_talk
def test_refusals_are_told_in_the_words_of_the_official_server(path: Path) -> None:
    rooms, moves = Rooms(season_of(path)), dict[str, tuple[Any, Element]]()
    for connection, by_client, message in heard(path):
        rooms.hear(message)
        if by_client and isinstance(message, RoomData) and message.room in rooms.positions:
            moves[connection] = rooms.positions[message.room], message.data
        if isinstance(message, Error) and connection in moves:
            position, data = moves[connection]
            _check_error(rooms.season, position, data, rooms.named(message.room), message)


def _check_error(
    season: Season, position: Any, data: Element, names: tuple[str, ...], error: Error
) -> None:
    wire = season.wire
    sent = wire.read_move(position, data)
    if error.original is not None:
        assert error.original == sent.element
    refusal = wire.why_refused(position, sent)
    if error.message.startswith("Ungueltiger Zug"):
        assert isinstance(refusal, Refusal)
        assert error.message == refusal.error(names[position.to_move()])
        return
    on_turn = position.to_move()
    expected = {
        wire.disorder(1 - on_turn, on_turn, names, sent.text),
        wire.disorder(on_turn, 1 - on_turn, names, sent.text),  # after the first of two moves
        wire.disorder(0, None, names, sent.text),
    }
    assert error.message in expected


@each_talk
def test_results_are_told_in_the_words_of_the_official_server(path: Path) -> None:
    rooms = Rooms(season_of(path))
    for _, _, message in heard(path):
        rooms.hear(message)
        if isinstance(message, Result) and message.room in rooms.positions:
            end = _end_of(rooms.season, message, message.room in rooms.cancelled)
            position, names = rooms.positions[message.room], rooms.named(message.room)
            told = rooms.season.wire.result(message.room or "", position, names, end)
            assert _shown(rooms.season, told) == _shown(rooms.season, message)


def _shown(season: Season, result: Result) -> bytes:
    return Connection(Side.SERVER, season.wire.dialect).send(result)


def _end_of(season: Season, result: Result, cancelled: bool) -> End:
    """What must have happened, by the recorded words."""
    if season.wire.dialect.results is Results.BY_ENTRY:
        return _end_by_reason(result, cancelled)
    for seat, score in enumerate(result.scores):
        if score.cause == "LEFT":
            return End(Cause.LEFT, (seat,))
        if score.cause == "RULE_VIOLATION":
            return End(Cause.RULE_VIOLATION, (seat,), score.reason or "")
        if score.cause in ("SOFT_TIMEOUT", "HARD_TIMEOUT"):
            hard = "10 Sekunden" in (score.reason or "")
            return End(Cause.HARD_TIMEOUT if hard else Cause.SOFT_TIMEOUT, (seat,))
    return End(Cause.CANCELLED if cancelled else Cause.REGULAR)


_REASONS = {
    Cause.LEFT: r".* hat das Spiel verlassen: (\w+)",
    Cause.RULE_VIOLATION: r"Regelverletzung von .*?: (.*)",
    Cause.DISORDER: r"Missachtung des Spielablaufs von .*?: (.*)",
    Cause.SOFT_TIMEOUT: r".*laenger als 2 Sekunden gebraucht.()",
    Cause.HARD_TIMEOUT: r".*innerhalb von 2 Sekunden.*()",
}


def _end_by_reason(result: Result, cancelled: bool) -> End:
    (winner,) = result.winners
    if winner.regular:
        return End(Cause.CANCELLED if cancelled else Cause.REGULAR)
    lost = tuple(seat for seat, score in enumerate(result.scores) if not any(score.parts))
    for cause, pattern in _REASONS.items():
        if found := re.fullmatch(pattern, winner.reason or ""):
            return End(cause, lost, found[1])
    raise AssertionError(f"an unknown reason: {winner.reason}")


# ------------------------------------------------------------------------------------ all positions


@each_season
def test_every_position_survives_the_wire(season: Season) -> None:
    for position in positions(season.game, 100, seed=3):
        state = _parsed(season.wire.state(position, None, ("Ä & <b>", "")))
        assert season.wire.recognises(state)
        assert season.wire.read_state(state).position == position.text()


@each_season
def test_every_legal_move_survives_the_wire(season: Season) -> None:
    for position in positions(season.game, 60, seed=4):
        for move in position.legal_moves():
            sent = season.wire.sent(position, move)
            again = season.wire.read_move(position, sent.element)
            assert again.move == move
            assert (again.element, again.text) == (sent.element, sent.text)
            assert season.wire.why_refused(position, again) is None


@each_season
def test_every_move_of_the_game_is_refused_with_words_or_legal(season: Season) -> None:
    for position in itertools.islice(positions(season.game, 1, seed=5), 0, None, 8):
        legal = {position.action(move) for move in position.legal_moves()}
        for action in range(0, position.actions, 1 + position.actions // 900):
            sent = season.wire.sent(position, position.move_at(action))
            refusal = season.wire.why_refused(position, sent)
            assert (refusal is None) == (action in legal)
            assert refusal is None or (refusal.bare and refusal.reason)


@each_season
def test_every_end_has_a_result_that_adds_up(season: Season) -> None:
    names = ("Alice", "")
    for position in positions(season.game, 120, seed=6):
        if position.outcome() is not None:
            result = season.wire.result("r", position, names, End())
            winner = position.outcome().winner
            assert [score.parts[0] for score in result.scores] == _win_points(winner)
            assert tuple(score.parts[1] for score in result.scores) == position.outcome().scores
    for cause in Cause:
        end = End(cause, () if cause in (Cause.REGULAR, Cause.CANCELLED) else (0,), "why")
        result = season.wire.result("r", position, names, end)
        if end.offenders:
            assert [score.parts[0] for score in result.scores] == [0, 2]
        nobody = dataclasses.replace(end, offenders=(0, 1), cause=Cause.LEFT)
        parts = [
            score.parts[0] for score in season.wire.result("r", position, names, nobody).scores
        ]
        assert parts == [0, 0]


def _win_points(winner: int | None) -> list[int]:
    return [1, 1] if winner is None else [2 * (seat == winner) for seat in range(2)]


@each_season
def test_a_message_of_the_lobby_is_no_move(season: Season) -> None:
    position = season.game.start(1)
    for kind in ("moveRequest", "sc.protocol.room.MoveRequest", "memento", "result"):
        with pytest.raises(NoMove):
            season.wire.read_move(position, Element("data", {"class": kind}))
    with pytest.raises(XmlError) as caught:
        season.wire.read_move(position, Element("data", {"class": "nothing"}))
    assert caught.value.cause is LeaveCause.PROTOCOL_ERROR


@each_season
def test_the_welcome_names_the_seat(season: Season) -> None:
    assert [season.wire.seat(colour) for colour in season.wire.colours] == [0, 1]
    with pytest.raises(XmlError):
        season.wire.seat("purple")


@each_season
def test_a_state_that_is_none_is_refused(season: Season) -> None:
    state = _parsed(season.wire.state(season.game.start(1)))
    broken = [
        Element("state"),
        dataclasses.replace(state, children=()),
        dataclasses.replace(state, attributes={**state.attributes, "turn": "soon"}),
    ]
    for each in broken:
        with pytest.raises(XmlError):
            season.wire.read_state(each)


TEXTS = st.sampled_from(
    ["", " ", "-1", "9" * 5000, "1f", "0", "19", "ONE", "BLUE", "RED", "UP", "MONO"]
)


def spoilt(element: Element, lot: random.Random, text: str) -> Element:
    """The element with one thing changed somewhere: an attribute, a text, a child."""
    if element.children and lot.random() < 0.8:
        at = lot.randrange(len(element.children))
        before, after = element.children[:at], element.children[at + 1 :]
        inner = () if lot.random() < 0.1 else (spoilt(element.children[at], lot, text),)
        return dataclasses.replace(element, children=(*before, *inner, *after))
    if element.attributes and lot.random() < 0.8:
        name = lot.choice(sorted(element.attributes))
        return dataclasses.replace(element, attributes={**element.attributes, name: text})
    return dataclasses.replace(element, text=text)


@lru_cache(maxsize=1)
def _game_of(season: Season) -> list[Any]:
    """The positions of one random game."""
    return list(positions(season.game, 1, seed=7))


@each_season
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), text=TEXTS | st.text(max_size=5))
def test_a_spoilt_state_is_read_or_refused_and_nothing_else(
    season: Season, seed: int, text: str
) -> None:
    lot = random.Random(seed)
    position = lot.choice(_game_of(season))
    last = season.wire.sent(position, lot.choice(position.legal_moves() or [position.move_at(0)]))
    state = spoilt(_parsed(season.wire.state(position, last)), lot, text)
    try:
        seen = season.wire.read_state(state)
        season.game.parse(seen.position)
    except (XmlError, TextError):
        return
    if seen.last is not None:
        season.wire.last_move(position, seen.last)


@each_season
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), text=TEXTS | st.text(max_size=5))
def test_a_spoilt_move_is_read_or_refused_and_nothing_else(
    season: Season, seed: int, text: str
) -> None:
    lot = random.Random(seed)
    position = season.game.start(seed % 100)
    move = lot.choice(position.legal_moves())
    data = spoilt(season.wire.sent(position, move).element, lot, text)
    try:
        sent = season.wire.read_move(position, data)
    except (XmlError, NoMove):
        return
    refusal = season.wire.why_refused(position, sent)
    assert refusal is not None or sent.move is not None


def _parsed(state: str) -> Element:
    stream = f'<p><room roomId="r"><data class="memento">{state}</data></room>'.encode()
    (message,) = Connection(Side.CLIENT).receive(stream)
    assert isinstance(message, Memento)
    assert isinstance(message.state, Element)
    return message.state
