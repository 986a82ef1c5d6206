"""How requests are spelt: client → server. Read as strictly as the official servers read them.

Java class names are those of the public sources of the contest's server
(software-challenge/backend). Its reader accepts them instead of aliases and prints them in error
texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from spielleiter.protocol.dialect import Dialect
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import LeaveCause, XmlError
from spielleiter.protocol.lobby import (
    Authenticate,
    Cancel,
    Close,
    FreeReservation,
    Join,
    JoinPrepared,
    JoinRoom,
    Observe,
    Pause,
    Prepare,
    Request,
    RoomData,
    ScoreForPlayer,
    SetTimeout,
    Slot,
    Step,
    TestMode,
)

Spelling = Mapping[str, str | None]
"""Attributes in the order they are written; None is left out."""

_PACKAGE = "sc.protocol.requests."
_JAVA_NAMES = {
    "join": _PACKAGE + "JoinGameRequest",
    "joinRoom": _PACKAGE + "JoinRoomRequest",
    "joinPrepared": _PACKAGE + "JoinPreparedRoomRequest",
    "authenticate": _PACKAGE + "AuthenticateRequest",
    "prepare": _PACKAGE + "PrepareGameRequest",
    "observe": _PACKAGE + "ObservationRequest",
    "pause": _PACKAGE + "PauseGameRequest",
    "step": _PACKAGE + "StepRequest",
    "cancel": _PACKAGE + "CancelRequest",
    "timeout": _PACKAGE + "ControlTimeoutRequest",
    "freeReservation": _PACKAGE + "FreeReservationRequest",
    "testMode": _PACKAGE + "TestModeRequest",
    "scoreForPlayer": _PACKAGE + "PlayerScoreRequest",
    "room": "sc.protocol.room.RoomPacket",
}
_ALIASES = {java: alias for alias, java in _JAVA_NAMES.items()}


# ----------------------------------------------------------------------------------------- reading


def read(element: Element, dialect: Dialect) -> Request | None:
    """The request that an element spells; None if no request has such a name in this season."""
    if element.name in dialect.close_elements:
        return Close()
    name = _ALIASES.get(element.name, element.name)
    if name in _SOME_SEASONS and name not in dialect.also_requests:
        return None
    reader = _READERS.get(name)
    return reader(element, dialect) if reader else None


def only(element: Element, *attributes: str, children: tuple[str, ...] = ()) -> Element:
    """The element, if no child has another name or comes twice: the official reader's rule.

    What is written as attribute may also come as child; what is written as child may not come as
    attribute: that one is unknown, and ignored like any unknown attribute.
    """
    seen = {name for name in attributes if name in element.attributes}
    for child in element.children:
        if child.name not in attributes and child.name not in children:
            raise XmlError(f"unknown element <{child.name}> in <{element.name}>")
        if child.name in seen:
            raise XmlError(f"<{child.name}> given twice in <{element.name}>")
        seen.add(child.name)
    return element


def truth(text: str | None) -> bool:
    """A truth value: only `true`, in any case, is true."""
    return text is not None and text.lower() == "true"


def number(text: str | None, what: str) -> int:
    """A Java int: decimal, octal or hexadecimal, no blanks around it; missing is 0."""
    if text is None:
        return 0
    if text in _USUAL:
        return _USUAL[text]
    found = _JAVA_INT.fullmatch(text)
    try:
        value = int(found[1] + found[3], _BASES.get(found[2], 16)) if found else _NO_INT
    except ValueError:  # a digit that its base does not have
        value = _NO_INT
    if not -(2**31) <= value < 2**31:
        raise XmlError(f"{what} is no number: {text[:40]!r}")
    return value


_JAVA_INT = re.compile(r"([+-]?)(0[xX]|#|0(?=.)|)([0-9a-fA-F]+)")
_BASES = {"": 10, "0": 8}
_USUAL = {str(value): value for value in range(100)}
_NO_INT = 2**31


def _read_join(element: Element, _: Dialect) -> Join:
    return Join(only(element, "gameType").get("gameType"))


def _read_join_room(element: Element, _: Dialect) -> JoinRoom:
    return JoinRoom(only(element, "roomId").get("roomId"))


def _read_join_prepared(element: Element, _: Dialect) -> JoinPrepared:
    return JoinPrepared(only(element, "reservationCode").get("reservationCode"))


def _read_authenticate(element: Element, dialect: Dialect) -> Authenticate:
    only(element, *dialect.password_attributes)
    said = (element.get(name) for name in dialect.password_attributes)
    return Authenticate(next((password for password in said if password is not None), None))


def _read_prepare(element: Element, _: Dialect) -> Prepare:
    fields = Element(
        element.name,
        element.attributes,
        tuple(child for child in element.children if child.name != "slot"),
    )
    only(fields, "gameType", "pause")
    slots = tuple(_read_slot(slot) for slot in element.all("slot"))
    return Prepare(fields.get("gameType"), slots, truth(fields.get("pause")))


def _read_slot(slot: Element) -> Slot:
    only(slot, "displayName", "canTimeout", "reserved", "shouldBePaused")
    if (name := slot.get("displayName")) is None:
        raise XmlError("a slot without displayName", cause=LeaveCause.UNKNOWN)
    flags = (truth(slot.get(key)) for key in ("canTimeout", "reserved", "shouldBePaused"))
    return Slot(name, *flags)


def _read_observe(element: Element, _: Dialect) -> Observe:
    return Observe(only(element, "roomId").get("roomId"))


def _read_pause(element: Element, _: Dialect) -> Pause:
    only(element, "roomId", "pause")
    return Pause(element.get("roomId"), truth(element.get("pause")))


def _read_step(element: Element, _: Dialect) -> Step:
    only(element, "roomId", "forced")
    return Step(element.get("roomId"), truth(element.get("forced")))


def _read_cancel(element: Element, _: Dialect) -> Cancel:
    if (room := only(element, "roomId").get("roomId")) is None:
        raise XmlError("cancel without roomId", cause=LeaveCause.UNKNOWN)
    return Cancel(room)


def _read_timeout(element: Element, _: Dialect) -> SetTimeout:
    only(element, "roomId", "slot", "activate")
    slot = number(element.get("slot"), "slot")
    return SetTimeout(element.get("roomId"), slot, truth(element.get("activate")))


def _read_free_reservation(element: Element, _: Dialect) -> FreeReservation:
    return FreeReservation(only(element, "reservation").get("reservation"))


def _read_test_mode(element: Element, _: Dialect) -> TestMode:
    return TestMode(truth(only(element, "testMode").get("testMode")))


def _read_score_for_player(element: Element, _: Dialect) -> ScoreForPlayer:
    return ScoreForPlayer(only(element, "displayName").get("displayName"))


def only_data(children: tuple[Element, ...]) -> Element | None:
    """The data of a room message whose children these are, if it has nothing else in it."""
    if len(children) == 1 and children[0].name == "data" and "class" in children[0].attributes:
        return children[0]
    return None


def _read_room(element: Element, _: Dialect) -> RoomData:
    if (data := only(element, "roomId", children=("data",)).child("data")) is None:
        raise XmlError("a room message without data", cause=LeaveCause.UNKNOWN)
    if "class" not in data.attributes:
        raise XmlError("data without class")
    return RoomData(element.get("roomId"), data)


_SOME_SEASONS = {"joinRoom", "timeout", "freeReservation", "testMode", "scoreForPlayer"}

_READERS: dict[str, Callable[[Element, Dialect], Request]] = {
    "join": _read_join,
    "joinRoom": _read_join_room,
    "joinPrepared": _read_join_prepared,
    "authenticate": _read_authenticate,
    "prepare": _read_prepare,
    "observe": _read_observe,
    "pause": _read_pause,
    "step": _read_step,
    "cancel": _read_cancel,
    "timeout": _read_timeout,
    "freeReservation": _read_free_reservation,
    "testMode": _read_test_mode,
    "scoreForPlayer": _read_score_for_player,
    "room": _read_room,
}


# ----------------------------------------------------------------------------------------- writing


def write(request: Request, dialect: Dialect) -> Element:
    """The element that spells a request in this season."""
    name, attributes = spelt(request, dialect)
    said = {key: value for key, value in attributes.items() if value is not None}
    return Element(name, said, _children(request, dialect))


def describe(request: Request, dialect: Dialect) -> str:
    """A request as the official servers print it, such as `StepRequest(roomId=x, forced=false)`."""
    name, attributes = spelt(request, dialect)
    printed = [f"{key}={'null' if value is None else value}" for key, value in attributes.items()]
    if isinstance(request, Prepare):
        slots = (spelt_slot(slot, dialect) for slot in request.slots)
        told = (", ".join(f"{key}={value}" for key, value in slot.items()) for slot in slots)
        printed.insert(1, f"slotDescriptors=[{', '.join(f'SlotDescriptor({s})' for s in told)}]")
    return f"{_JAVA_NAMES[name].rpartition('.')[2]}({', '.join(printed)})"


def spelt(request: Request, dialect: Dialect) -> tuple[str, Spelling]:
    """Element name and attributes of a request."""
    match request:
        case Join(game_type):
            return "join", {"gameType": game_type}
        case JoinRoom(room):
            return "joinRoom", {"roomId": room}
        case JoinPrepared(code):
            return "joinPrepared", {"reservationCode": code}
        case Authenticate(password):
            return "authenticate", {dialect.password_attributes[0]: password}
        case Prepare(game_type, _, pause):
            paused = {} if dialect.pause_in_slots else {"pause": _said(pause)}
            return "prepare", {"gameType": game_type, **paused}
        case RoomData(room, _):
            return "room", {"roomId": room}
        case Close():
            return dialect.close_elements[0], {}
    return _spelt_by_administrators(request)


def _spelt_by_administrators(request: Request) -> tuple[str, Spelling]:
    match request:
        case Observe(room):
            return "observe", {"roomId": room}
        case Pause(room, pause):
            return "pause", {"roomId": room, "pause": _said(pause)}
        case Step(room, forced):
            return "step", {"roomId": room, "forced": _said(forced)}
        case Cancel(room):
            return "cancel", {"roomId": room}
        case SetTimeout(room, slot, activate):
            return "timeout", {"roomId": room, "slot": str(slot), "activate": _said(activate)}
        case FreeReservation(code):
            return "freeReservation", {"reservation": code}
        case TestMode(on):
            return "testMode", {"testMode": _said(on)}
        case ScoreForPlayer(name):
            return "scoreForPlayer", {"displayName": name}
    raise TypeError(f"{type(request).__name__} is no request")


def spelt_slot(slot: Slot, dialect: Dialect) -> dict[str, str]:
    """The attributes of a slot."""
    said = {"displayName": slot.name or "", "canTimeout": _said(slot.can_timeout)}
    if dialect.pause_in_slots:
        return {**said, "shouldBePaused": _said(slot.paused)}
    return {**said, "reserved": _said(slot.reserved)}


def _children(request: Request, dialect: Dialect) -> tuple[Element, ...]:
    if isinstance(request, RoomData):
        return (request.data,)
    if isinstance(request, Prepare):
        return tuple(Element("slot", spelt_slot(slot, dialect)) for slot in request.slots)
    return ()


def _said(value: Any) -> str:
    return "true" if value else "false"
