"""Converts values of `match` and `game` into API models, in a language."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import replace

from spielleiter import game as contract
from spielleiter.game import Gesture, Move, Outcome, Position, Seat, mistake_text, reason_text
from spielleiter.match import (
    Accounts,
    Ended,
    Fault,
    Kind,
    MatchClock,
    Played,
    Receipt,
    TakenBack,
    Violated,
)
from spielleiter.match.match import NOT_CONNECTED, RESIGNED
from spielleiter.match.record import Turn, TurnEvent
from spielleiter.web import models
from spielleiter.web.game_state import GameState
from spielleiter.web.language import Translate, messages, translator
from spielleiter.web.models import Language

_LEFT = {NOT_CONNECTED: "absent", RESIGNED: "resigned"}
_TOKENS = 20_000
"""Cached translated tokens, for all games and languages together."""
_OURS = ("arena", "demo")
LEVEL = "level"
"""A level of the ladder is called `level 4` in records."""
_PLAYERS = ("random", "greedy", "alphabeta", "mcts", "best")


class GameSerialiser:
    """Serialises the state of one game in one language."""

    def __init__(self, state: GameState, language: Language) -> None:
        self.state = state
        self.language = language
        self.translate: Translate = translator(state.game, language)

    # -------------------------------------------------------------------------------------- scenes

    def scene(self, position: Position, last: Move | None) -> models.SceneView:
        """What lies where."""
        return scene_of(self.state.game.scene(position, last), self.translate)

    def look(self) -> models.Look:
        """What is the same in all scenes."""
        return look_of(self.state.game, self.state.match.position)

    # ------------------------------------------------------------------------------------- results

    def fault(self, fault: Fault) -> models.FaultView:
        """What a seat did wrong, in words."""
        return models.FaultView(
            kind=fault.kind.value,
            detail=fault.detail,
            explanation=explained(fault, self.state.game, self.translate),
            move=fault.move,
        )

    def result(self, ended: Ended) -> models.ResultView:
        """How it ended, in words."""
        outcome, cancelled = ended.outcome, self._was_cancelled(ended)
        return models.ResultView(
            ranks=outcome.ranks,
            scores=outcome.scores,
            winners=() if cancelled else outcome.winners,
            reason=self._reason(ended),
            headline=self._headline(outcome, cancelled=cancelled),
            faults=tuple(None if each is None else self.fault(each) for each in ended.faults),
            cancelled=cancelled,
        )

    def _was_cancelled(self, ended: Ended) -> bool:
        """Whether the game was cancelled or, in this arena, never began."""
        never_came = any(fault and fault.detail == NOT_CONNECTED for fault in ended.faults)
        return ended.cancelled or (never_came and self.state.info.source in _OURS)

    def _reason(self, ended: Ended) -> str:
        if ended.outcome.reason:
            return self.translate(reason_text(ended.outcome.reason))
        told = [
            f"{self.seat_name(seat)} {explained_of_seat(fault, self.state.game, self.translate)}"
            for seat, fault in enumerate(ended.faults)
            if fault is not None
        ]
        return "; ".join(told) or (self.translate(messages("cancelled")) if ended.cancelled else "")

    def _headline(self, outcome: Outcome, *, cancelled: bool) -> str:
        if cancelled:
            return self.translate(messages("cancelled"))
        if outcome.is_draw and len(outcome.winners) == len(outcome.ranks):
            return self.translate(messages("draw"))
        winners = outcome.winners
        plural = len(winners) == 1 and self._is_plural(winners[0])
        names = [self.player_name(seat) for seat in winners]
        return winners_text(names, self.translate, plural=plural)

    def _is_plural(self, seat: Seat) -> bool:
        """Whether a seat goes by its own name, and that name is plural."""
        return self.state.game.seats_are_plural and self.name(seat) == self.seat_name(seat)

    def seat_name(self, seat: Seat) -> str:
        """What a seat is called."""
        names = self.state.game.seat_names
        return self.translate(names[seat]) if seat < len(names) else str(seat + 1)

    def name(self, seat: Seat) -> str:
        """Who sits there, or what the seat is called."""
        return translated_name(self.state.opened.names[seat], self.translate) or self.seat_name(
            seat
        )

    def player_name(self, seat: Seat) -> str:
        """Who sits there, and what the seat is called."""
        name, place = self.name(seat), self.seat_name(seat)
        return name if name == place else f"{name} ({place})"

    # --------------------------------------------------------------------------------------- games

    def turn(self, turn: Turn) -> models.TurnView:
        """One line of the move list."""
        event = turn.event
        played = event if isinstance(event, Played) else None
        return models.TurnView(
            turn=turn.number,
            ply=turn.ply,
            seat=turn.seat or 0,
            move=turn.move,
            spent=0.0 if played is None else round(played.spent, 6),
            hints=turn.hints,
            at=self.state.wall(event.at),
            receipt=None if played is None else self._receipt(played.receipt),
            note=self._note(event),
            gesture=translated_gesture(self.state.gestures[turn.number - 1], self.translate),
        )

    def _note(self, event: TurnEvent) -> str | None:
        if isinstance(event, TakenBack):
            return taken_back_text(event, self.seat_name(event.seat), self.translate)
        if not isinstance(event, Violated):
            return None
        words = self.fault(event.fault).explanation
        return self.translate(messages("is-out", seat=self.seat_name(event.seat), reason=words))

    def _receipt(self, receipt: Receipt) -> Receipt:
        """In seconds since the game began."""
        begin, asked = self.state.opened.at, receipt.asked
        return Receipt(
            None if asked is None else round(asked - begin, 6),
            round(receipt.first_byte - begin, 6),
            round(receipt.last_byte - begin, 6),
            round(receipt.judged - begin, 6),
            round(receipt.lag, 6),
            round(receipt.gap, 6),
        )

    def clocks(self) -> models.Clocks:
        """How long everybody may think now."""
        state, match = self.state, self.state.match
        clock = match.clock
        asked = None if state.is_over else state.asked
        left = (clock.allowed(seat) if timed else None for seat, timed in enumerate(match.timed))
        return models.Clocks(
            kind="account" if isinstance(clock, Accounts) else "per move",
            per_move=clock.limit if isinstance(clock, Accounts) else clock.soft,
            left=tuple(None if each is None else round(each, 3) for each in left),
            grace=_grace(clock),
            running=None if asked is None else asked.seat,
            since=None if asked is None else state.wall(asked.at),
            now=time.time(),
        )

    def summary(self) -> models.GameSummary:
        """The line of the lobby."""
        return summary_of(self.state, self)

    def detail(self, downloads: tuple[str, ...], speaks: models.Speech | None) -> models.GameDetail:
        """All there is to know."""
        state = self.state
        return models.GameDetail(
            summary=self.summary(),
            turns=tuple(map(self.turn, state.turns)),
            scene=self.scene(state.match.position, state.match.last_move),
            look=self.look(),
            clocks=self.clocks(),
            event=state.last,
            position=state.match.position.text(),
            speaks=speaks,
            downloads=downloads,
        )


def _grace(clock: MatchClock) -> float:
    if isinstance(clock, Accounts):
        return clock.grace
    return 0.0 if clock.soft is None or clock.hard is None else clock.hard - clock.soft


def translated_name(name: str, translate: Translate) -> str:
    """A player's name, translated if we chose it."""
    player, _, level = name.partition(" ")
    if name in ("person", "external"):
        return translate(messages(name))
    if player == LEVEL and level.isdecimal():
        return translate(messages("player-level", level=level))
    if player not in _PLAYERS or not (level.isdecimal() or not level):
        return name
    if level:
        return translate(messages("player-level", level=level))
    return translate(messages(f"player.{player}"))


def taken_back_text(event: TakenBack, seat: str, translate: Translate) -> str:
    """Who took back what."""
    return translate(messages("taken-back", seat=seat, turn=str(event.turn)))


def translated_gesture(gesture: Gesture | None, translate: Translate) -> Gesture | None:
    """A gesture with its words in a language."""
    return None if gesture is None else replace(gesture, label=translate(gesture.label))


def explained(fault: Fault, game: contract.Game, translate: Translate) -> str:
    """What a seat did wrong, for people."""
    return _explained(fault, game, translate, "fault")


def explained_of_seat(fault: Fault, game: contract.Game, translate: Translate) -> str:
    """The same, to be read after the seat's own name, which may be plural."""
    return _explained(fault, game, translate, "faults" if game.seats_are_plural else "fault")


def _explained(fault: Fault, game: contract.Game, translate: Translate, form: str) -> str:
    if fault.kind is Kind.LEFT and fault.detail in _LEFT:
        return translate(messages(f"{form}.{_LEFT[fault.detail]}"))
    if fault.kind is Kind.REPORTED:
        return fault.detail
    words = translate(messages(f"{form}.{fault.kind.value}"))
    mistake = getattr(game.native.Mistake, fault.detail, None)
    if fault.kind is not Kind.ILLEGAL or mistake is None:
        return words
    return f"{words}: {translate(mistake_text(mistake))}"


def winners_text(names: Sequence[str], translate: Translate, *, plural: bool) -> str:
    """Who won, alone or together; a single name may be plural."""
    if len(names) == 1:
        return translate(
            messages("win", names=names[0]) if plural else messages("wins", name=names[0])
        )
    who = messages("and", first=", ".join(names[:-1]), second=names[-1])
    return translate(messages("win", names=who))


def state_of(state: GameState) -> models.State:
    """The state of a game."""
    if state.ended is not None:
        return "finished"
    if state.broken:
        return "aborted"
    return "running" if state.match.began else "waiting"


def summary_of(state: GameState, serialiser: GameSerialiser) -> models.GameSummary:
    """The line of the lobby."""
    ended, seats = state.ended, len(state.opened.names)
    return models.GameSummary(
        id=state.id,
        edition=state.opened.edition,
        title=serialiser.translate(state.game.title),
        authority=state.game.authority,
        names=tuple(map(serialiser.name, range(seats))),
        seat_names=tuple(map(serialiser.seat_name, range(seats))),
        kinds=state.info.kinds,
        present=tuple(seat in state.match.present for seat in range(seats)),
        state=state_of(state),
        paused=state.match.paused,
        turn=state.turn,
        ply=state.match.position.ply,
        to_move=state.to_move,
        created=state.info.created,
        ended=None if ended is None else state.wall(ended.at),
        result=None if ended is None else serialiser.result(ended),
        source=state.info.source,
    )


def translated(scene: contract.Scene, translate: Translate) -> contract.Scene:
    """The same scene with its texts in a language."""
    return replace(
        scene,
        tokens=tuple(translated_token(token, translate) for token in scene.tokens),
        trays=tuple(_translated_tray(tray, translate) for tray in scene.trays),
        status=tuple(map(translate, scene.status)),
        title=translate(scene.title),
    )


@functools.lru_cache(maxsize=_TOKENS)
def translated_token(token: contract.Token, translate: Translate) -> contract.Token:
    """A token in a language, cached."""
    return replace(token, label=translate(token.label))


def _translated_tray(tray: contract.Tray, translate: Translate) -> contract.Tray:
    tokens = tuple(translated_token(token, translate) for token in tray.tokens)
    return replace(tray, title=translate(tray.title), tokens=tokens)


def look_of(game: contract.Game, position: Position) -> models.Look:
    """Palette, glyphs, and the colours in a seat's name, such as `blue and red`."""
    drawn = game.scene(position, None)
    palette = dict(drawn.palette)
    seats = tuple(
        (name,) if name in palette else tuple(word for word in name.split() if word in palette)
        for name in game.seat_names
    )
    return models.Look(palette=palette, glyphs=dict(drawn.glyphs), seats=seats)


def scene_of(scene: contract.Scene, translate: Translate) -> models.SceneView:
    """A scene as it is sent, in a language; palette and glyphs are sent once, as `Look`."""
    return models.SceneView.model_validate(translated(scene, translate))
