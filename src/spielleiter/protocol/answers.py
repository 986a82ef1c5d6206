"""How answers are spelt: server → client. Read as tolerantly as a client must, in all seasons."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from spielleiter.errors import UsageError
from spielleiter.protocol import requests
from spielleiter.protocol.dialect import ANY, Dialect, Results
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.lobby import (
    Answer,
    Close,
    Error,
    ErrorPacket,
    Fragment,
    Joined,
    JoinedGameRoom,
    Left,
    Memento,
    MoveRequest,
    Number,
    Observed,
    Paused,
    PlayerScore,
    Prepared,
    Request,
    Result,
    RoomData,
    Score,
    Testing,
    Unknown,
    Welcome,
    Winner,
)
from spielleiter.protocol.requests import truth

_JAVA_NAMES = {
    "joined": "sc.protocol.responses.JoinedRoomResponse",
    "joinedGameRoom": "sc.protocol.responses.RoomWasJoinedEvent",
    "prepared": "sc.protocol.responses.GamePreparedResponse",
    "observed": "sc.protocol.responses.ObservationResponse",
    "errorpacket": "sc.protocol.responses.ErrorPacket",
    "testing": "sc.protocol.responses.TestModeResponse",
    "playerScore": "sc.protocol.responses.PlayerScoreResponse",
    "left": "sc.protocol.RemovedFromGame",
}
_ALIASES = {java: alias for alias, java in _JAVA_NAMES.items()}

_ROOM_CLASSES = {
    "welcomeMessage": "sc.protocol.room.WelcomeMessage",
    "memento": "sc.protocol.room.MementoMessage",
    "moveRequest": "sc.protocol.room.MoveRequest",
    "paused": "sc.protocol.room.GamePaused",
    "error": "sc.protocol.room.ErrorMessage",
    "result": "sc.shared.GameResult",
}
_ROOM_ALIASES = {java: alias for alias, java in _ROOM_CLASSES.items()} | {
    "sc.framework.plugins.protocol.MoveRequest": "moveRequest"
}


# ------------------------------------------------------------------------------------- what it was


def lobby_class(data: Element) -> str | None:
    """The full Java name if a room's data is a message of the lobby, and so never a move."""
    said = data.attributes.get("class", "")
    return said if said in _ROOM_ALIASES else _ROOM_CLASSES.get(said)


def java_name(answer: Answer) -> str:
    """The Java class that the official servers know a server's message by."""
    return _JAVA_NAMES.get(write(answer, ANY).name, "sc.protocol.room.RoomPacket")


# ----------------------------------------------------------------------------------------- reading


def read(element: Element) -> Answer | Unknown:
    """The answer that an element spells; Unknown for whatever a client need not understand."""
    name = _ALIASES.get(element.name, element.name)
    if name in ANY.close_elements:
        return Close()
    if name in ("room", "sc.protocol.room.RoomPacket"):
        return _read_room(element)
    reader = _READERS.get(name)
    return reader(element) if reader else Unknown(element)


def _read_room(element: Element) -> Answer | Unknown:
    room = element.get("roomId")
    if (data := element.child("data")) is None:
        if error := element.child("error"):  # as the document of 2019 has it
            return _read_error(room, error)
        return Unknown(element)
    said = data.attributes.get("class", "")
    reader = _ROOM_READERS.get(_ROOM_ALIASES.get(said, said))
    return reader(room, data) if reader else RoomData(room, data)


def _read_welcome(room: str | None, data: Element) -> Welcome:
    return Welcome(room, data.get("color") or "")


def _read_memento(room: str | None, data: Element) -> Memento:
    if (state := data.child("state")) is None:
        raise XmlError("a memento without state")
    return Memento(room, state)


def _read_move_request(room: str | None, _: Element) -> MoveRequest:
    return MoveRequest(room)


def _read_paused(room: str | None, data: Element) -> Paused:
    return Paused(room, truth(data.get("paused")))


def _read_error(room: str | None, data: Element) -> Error:
    original = data.child("originalMessage") or data.child("originalRequest")
    if original is not None:  # the document of 2019 wraps the request instead of renaming it
        original = original.child("data") or original.named("data")
    return Error(room, data.get("message") or "", original)


def _read_result(room: str | None, data: Element) -> Result:
    definition = data.child("definition") or Element("definition")
    fragments = tuple(_read_fragment(fragment) for fragment in definition.all("fragment"))
    listed = data.child("scores") or data
    scores = [_read_entry(entry) for entry in listed.all("entry")]
    scores += [_read_score(score) for score in listed.all("score")]
    winners = tuple(_read_winner(winner) for winner in data.all("winner"))
    return Result(room, fragments, tuple(scores), winners)


def _read_fragment(fragment: Element) -> Fragment:
    relevant = fragment.get("relevantForRanking")
    return Fragment(
        fragment.get("name") or "",
        fragment.get("aggregation") or "SUM",
        relevant is None or truth(relevant),
    )


def _read_entry(entry: Element) -> Score:
    player = entry.child("player") or Element("player")
    parts = _read_parts(entry.child("score") or Element("score"))
    return Score(parts, player.get("team"), player.get("name"))


def _read_score(score: Element) -> Score:
    return Score(_read_parts(score), cause=score.get("cause"), reason=score.get("reason"))


def _read_parts(score: Element) -> tuple[Number, ...]:
    return tuple(_read_number(part.text.strip()) for part in score.all("part"))


def _read_number(text: str) -> Number:
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise XmlError(f"no number: {text[:40]!r}")
    return value


def _read_winner(winner: Element) -> Winner:
    regular = winner.get("regular")
    return Winner(
        winner.get("team") or winner.get("color"),
        winner.get("displayName"),
        regular is None or truth(regular),
        winner.get("reason"),
    )


def _read_joined_game_room(element: Element) -> JoinedGameRoom:
    if (players := element.get("playerCount")) is not None:
        return JoinedGameRoom(element.get("roomId"), int(_read_number(players)))
    return JoinedGameRoom(element.get("roomId"), 2 if truth(element.get("existing")) else 1)


def _read_prepared(element: Element) -> Prepared:
    codes = tuple(code.text.strip() for code in element.all("reservation"))
    return Prepared(element.get("roomId"), codes)


def _read_error_packet(element: Element) -> ErrorPacket:
    return ErrorPacket(element.get("message") or "", element.child("originalRequest"))


def _read_player_score(element: Element) -> PlayerScore | Unknown:
    if (score := element.child("score")) is None:
        return Unknown(element)
    values = tuple(
        (_read_fragment(value.child("fragment") or Element("fragment")), value.get("value") or "")
        for value in score.all("values")
    )
    tests = int(_read_number(score.get("numberOfTests") or "0"))
    return PlayerScore(score.get("displayName") or "", tests, values)


_READERS: dict[str, Callable[[Element], Answer | Unknown]] = {
    "joined": lambda element: Joined(element.get("roomId")),
    "joinedGameRoom": _read_joined_game_room,
    "prepared": _read_prepared,
    "observed": lambda element: Observed(element.get("roomId")),
    "left": lambda element: Left(element.get("roomId")),
    "errorpacket": _read_error_packet,
    "testing": lambda element: Testing(truth(element.get("testMode"))),
    "playerScore": _read_player_score,
}

_ROOM_READERS: dict[str, Callable[[str | None, Element], Answer]] = {
    "welcomeMessage": _read_welcome,
    "memento": _read_memento,
    "moveRequest": _read_move_request,
    "paused": _read_paused,
    "error": _read_error,
    "result": _read_result,
}


# ----------------------------------------------------------------------------------------- writing


def write(answer: Answer, dialect: Dialect) -> Element:
    """The element that spells an answer in this season."""
    match answer:
        case Joined(room):
            return _element("joined", roomId=room)
        case JoinedGameRoom(room, players):
            if dialect.existing_attribute:
                return _element("joinedGameRoom", roomId=room, existing=_said(players > 1))
            return _element("joinedGameRoom", roomId=room, playerCount=str(players))
        case Prepared(room, codes):
            children = tuple(Element("reservation", text=code) for code in codes)
            return _element("prepared", *children, roomId=room)
        case Observed(room):
            return _element("observed", roomId=room)
        case Left(room):
            return _element("left", roomId=room)
        case ErrorPacket(message, request):
            original = () if request is None else (_original_request(request, dialect),)
            return _element("errorpacket", *original, message=message)
        case Testing(on):
            return _element("testing", testMode=_said(on))
        case PlayerScore():
            return _write_player_score(answer)
        case Close():
            return Element(dialect.close_elements[0])
        case RoomData(room, data):
            return _element("room", data, roomId=room)
    return _element("room", _write_data(answer, dialect), roomId=answer.room)


def _write_data(answer: Answer, dialect: Dialect) -> Element:
    match answer:
        case Welcome(_, colour):
            return _data("welcomeMessage", color=colour)
        case Memento(_, state):
            if not isinstance(state, Element):
                raise UsageError("a state that is already written has no element; use xml.encode")
            return _data("memento", state)
        case MoveRequest():
            return _data(dialect.move_request_class)
        case Paused(_, paused):
            return _data("paused", paused=_said(paused))
        case Error():
            return _write_error(answer, dialect)
        case Result():
            return Element("data", {"class": "result"}, result_children(answer, dialect))
    raise TypeError(f"{type(answer).__name__} is no answer")


def _write_error(error: Error, dialect: Dialect) -> Element:
    attributes = {"message": error.message}
    children: tuple[Element, ...] = ()
    if error.original is not None:
        children = (error.original.named(dialect.original_child),)
    if dialect.error_as_data:
        return Element("data", {"class": "error", **attributes}, children)
    if error.original is not None:  # the document wraps the request instead of renaming it
        children = (Element(dialect.original_child, children=(error.original,)),)
    return Element("error", attributes, children)


def result_children(result: Result, dialect: Dialect) -> tuple[Element, ...]:
    """What stands inside a result; in 2019, to the letter, also inside a state's `condition`."""
    return (write_definition(result.fragments), *standings(result, dialect))


def standings(result: Result, dialect: Dialect) -> tuple[Element, ...]:
    """The scores and the winners of a result, without what the scores mean."""
    winners = tuple(_write_winner(winner, dialect) for winner in result.winners)
    if dialect.results is Results.BY_ENTRY:
        entries = tuple(_write_entry(score) for score in result.scores)
        return (Element("scores", children=entries), *winners)
    return (*(_write_score(score) for score in result.scores), *winners)


def write_definition(fragments: tuple[Fragment, ...]) -> Element:
    """What the scores of a result mean."""
    return Element("definition", children=tuple(map(_write_fragment, fragments)))


def _write_fragment(fragment: Fragment) -> Element:
    aggregation = Element("aggregation", text=fragment.aggregation)
    relevant = Element("relevantForRanking", text=_said(fragment.relevant))
    return Element("fragment", {"name": fragment.name}, (aggregation, relevant))


def _write_entry(score: Score) -> Element:
    player = _element("player", name=score.name or None, team=score.team)
    return Element("entry", children=(player, Element("score", children=_write_parts(score))))


def _write_score(score: Score) -> Element:
    return _element("score", *_write_parts(score), cause=score.cause, reason=score.reason)


def _write_parts(score: Score) -> tuple[Element, ...]:
    return tuple(Element("part", text=str(part)) for part in score.parts)


def _write_winner(winner: Winner, dialect: Dialect) -> Element:
    name, team = winner.name or "", winner.team
    if dialect.results is Results.BY_ENTRY:
        regular, reason = _said(winner.regular), winner.reason
        return _element("winner", team=team, regular=regular, reason=reason)
    if dialect.results is Results.BY_TEAM:
        colour = Element("color", {"class": "team"}, text=team or "")
        return _element("winner", colour, displayName=name)
    if dialect.winner_class is not None:
        said = {"class": dialect.winner_class, "displayName": name, "color": team or ""}
        return Element("winner", said)
    return _element("winner", color=team, displayName=name)


def _write_player_score(answer: PlayerScore) -> Element:
    values = tuple(
        Element("values", children=(_write_fragment(fragment), Element("value", text=value)))
        for fragment, value in answer.values
    )
    said = {"displayName": answer.name, "numberOfTests": str(answer.tests)}
    return Element("playerScore", children=(Element("score", said, values),))


def _original_request(request: object, dialect: Dialect) -> Element:
    if isinstance(request, Element):
        return request.named("originalRequest")
    spelt = spell(request, dialect)
    return Element("originalRequest", {"class": spelt.name, **spelt.attributes}, spelt.children)


def spell(message: object, dialect: Dialect) -> Element:
    """The element of any message, whichever side sends it."""
    if isinstance(message, Request):
        return requests.write(message, dialect)
    if isinstance(message, Answer):
        return write(message, dialect)
    if isinstance(message, Unknown):
        return message.element
    raise TypeError(f"{type(message).__name__} is no message")


def _data(kind: str, *children: Element, **attributes: str) -> Element:
    return Element("data", {"class": kind, **attributes}, children)


def _element(name: str, /, *children: Element, **attributes: str | None) -> Element:
    said = {key: value for key, value in attributes.items() if value is not None}
    return Element(name, said, children)


def _said(value: bool) -> str:
    return "true" if value else "false"
