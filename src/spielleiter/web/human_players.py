"""Human players in the browser: keys to their seats, and their connections."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from spielleiter.errors import SpielleiterError, TextError
from spielleiter.game import Game, Gesture, Position, Seat, mistake_text
from spielleiter.match import Ended, Event, PauseChanged, Played, TurnBegan, Violated
from spielleiter.text import Text
from spielleiter.web import models
from spielleiter.web.game_state import GameState
from spielleiter.web.language import messages, translator
from spielleiter.web.models import Language
from spielleiter.web.serialisation import GameSerialiser

MOST_WINDOWS = 4
"""Browser windows that may be open for one seat."""
OPENER: Seat = -1
"""A pseudo seat: its key allows to pause, step and cancel the game."""
_BEHIND = 100
_MOST_KEYS = 20_000

Listener = Callable[[Event | models.Model], None]


class HumanPlayers:
    """The keys and connections of human players."""

    def __init__(self) -> None:
        self._keys: OrderedDict[tuple[str, Seat], str] = OrderedDict()
        """Kept after the end, for a rematch; the oldest are forgotten."""
        self._listeners: dict[str, list[Listener]] = {}
        self._visitors: dict[Listener, tuple[str, str]] = {}
        """Who listens to which game."""

    def key(self, game: str, seat: Seat) -> str:
        """A new key to a seat."""
        token = secrets.token_urlsafe(24)
        self._keep(game, seat, _digest(token))
        return token

    def hand_on(self, game: str, seat: Seat, to_game: str, to_seat: Seat) -> None:
        """Let the key to a seat also open a seat of another game."""
        if (game, seat) in self._keys:
            self._keep(to_game, to_seat, self._keys[game, seat])

    def _keep(self, game: str, seat: Seat, digest: str) -> None:
        self._keys[game, seat] = digest
        while len(self._keys) > _MOST_KEYS:
            self._keys.popitem(last=False)

    def opens(self, game: str, seat: Seat, token: str) -> bool:
        """Whether this key fits."""
        return hmac.compare_digest(self._keys.get((game, seat), ""), _digest(token))

    def on_event(self, state: GameState, event: Event) -> None:
        """Send an event to the people of a game."""
        for listener in list(self._listeners.get(state.id, ())):
            listener(event)

    def tell(self, game: str, message: models.Model) -> None:
        """Send a message to all people of a game."""
        for listener in list(self._listeners.get(game, ())):
            listener(message)

    def are_here(self, game: str) -> bool:
        """Whether anybody has a window open at a seat of that game."""
        return bool(self._listeners.get(game))

    def games_of(self, visitor: str) -> set[str]:
        """The games in which a visitor sits, with a window open."""
        return {game for who, game in self._visitors.values() if who == visitor}

    def subscribe(self, game: str, listener: Listener, visitor: str = "") -> bool:
        """Add a connection at a seat; False if there are too many."""
        listeners = self._listeners.setdefault(game, [])
        if len(listeners) >= MOST_WINDOWS * models.MOST_SEATS:
            return False
        listeners.append(listener)
        self._visitors[listener] = visitor, game
        return True

    def unsubscribe(self, game: str, listener: Listener) -> None:
        """Remove a connection."""
        self._visitors.pop(listener, None)
        listeners = self._listeners.get(game, [])
        if listener in listeners:
            listeners.remove(listener)
        if not listeners:
            self._listeners.pop(game, None)


class PlayerConnection:
    """One browser window at a seat: turns events into messages."""

    def __init__(self, state: GameState, seat: Seat, language: Language) -> None:
        self._state, self._seat, self._language = state, seat, language
        self._translate = translator(state.game, language)
        self.outbox: asyncio.Queue[models.Model] = asyncio.Queue(_BEHIND)

    def greet(self) -> None:
        """Send the current state."""
        asked, ended = self._state.asked, self._state.ended
        if ended is not None:
            self._put(models.Over(result=GameSerialiser(self._state, self._language).result(ended)))
        elif asked is not None and asked.seat == self._seat:
            self._put(self._ask(asked))
        else:
            self._put(models.Wait())

    def on_event(self, event: Event | models.Model) -> None:
        """Handle an event of the game or a message to its people."""
        if isinstance(event, models.Model):
            self._put(event)
        elif isinstance(event, TurnBegan):
            self._put(self._ask(event) if event.seat == self._seat else models.Wait())
        elif isinstance(event, Played) and event.seat == self._seat:
            self._put(models.Accepted(turn=self._state.turn, move=event.move))
        elif isinstance(event, Violated) and event.seat == self._seat:
            fault = GameSerialiser(self._state, self._language).fault(event.fault)
            self._put(models.MoveRefused(code=fault.kind, explanation=fault.explanation))
        elif isinstance(event, PauseChanged) and event.paused:
            if self._state.asked is None:
                self._put(models.Wait())
        elif isinstance(event, Ended):
            self._put(models.Over(result=GameSerialiser(self._state, self._language).result(event)))

    def _ask(self, asked: TurnBegan) -> models.Ask:
        position = self._state.match.position
        return models.Ask(
            turn=self._state.turn + 1,
            allowed=asked.allowed,
            gestures=gestures_of(self._state.game, position, self._language),
        )

    def _put(self, message: models.Model) -> None:
        if not self.outbox.full():
            self.outbox.put_nowait(message)

    # -------------------------------------------------------------------------------- questions

    def why(self, asked: models.WhyAsked) -> models.Because:
        """Explain why a gesture is not a legal move."""
        code, explanation = why_not(self._state.game, self._state.match.position, asked)
        return models.Because(id=asked.id, code=code, explanation=self._translate(explanation))

    def refused(self, code: str, why: Text) -> models.MoveRefused:
        """A refusal in the language of this window."""
        return models.MoveRefused(code=code, explanation=self._translate(why))

    def refusal(self, made: models.MoveMade) -> models.MoveRefused | None:
        """Why a move is refused before the referee; None: it is passed on."""
        asked = self._state.asked
        if self._state.is_over:
            return models.MoveRefused(
                code="over", explanation=self._translate(messages("game-over"))
            )
        mine = asked is not None and asked.seat == self._seat
        if not mine or made.turn not in (None, self._state.turn + 1):
            return models.MoveRefused(
                code="turn", explanation=self._translate(messages("not-your-turn"))
            )
        return self._rules_refusal(made.move)

    def _rules_refusal(self, text: str) -> models.MoveRefused | None:
        position = self._state.match.position
        try:
            mistake = position.why_illegal(position.move(text))
        except (SpielleiterError, ValueError) as problem:
            why = self._translate(messages("no-move", problem=str(problem)))
            return models.MoveRefused(code="text", explanation=why)
        if mistake is None:
            return None
        return models.MoveRefused(
            code=mistake.name, explanation=self._translate(mistake_text(mistake))
        )


def gestures_of(game: Game, position: Position, language: Language) -> tuple[Gesture, ...]:
    """Every legal move as a gesture."""
    translate = translator(game, language)
    return tuple(
        replace(gesture, label=translate(gesture.label))
        for gesture in game.part("gestures").gestures(position)
    )


def why_not(game: Game, position: Position, asked: models.WhyAsked) -> tuple[str, Text]:
    """The name of the mistake that a gesture would be, and its explanation."""
    try:
        move = game.part("gestures").interpret(position, asked.token, asked.cells)
    except TextError as problem:
        return "nowhere", Text(f"no-move.{problem.problem}", problem.problem)
    if move is None:
        return "nowhere", messages("nothing-there")
    mistake = position.why_illegal(move)
    if mistake is None:
        return "legal", messages("legal")
    return mistake.name, mistake_text(mistake)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
