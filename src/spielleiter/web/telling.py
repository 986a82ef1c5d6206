"""Stories in the words of the API: values of `match` and `game` become models, in a language."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spielleiter import game as contract
from spielleiter.game import Outcome, Seat, mistake_text, reason_text
from spielleiter.match import Accounts, Ended, Kind
from spielleiter.match import Fault as MatchFault
from spielleiter.match import Receipt as MatchReceipt
from spielleiter.web import models
from spielleiter.web.language import Translate, messages, translator
from spielleiter.web.models import Language
from spielleiter.web.story import Stage, Story

_NEVER_CAME = "NOT_CONNECTED"


class Telling:
    """Tells one story in one language."""

    def __init__(self, story: Story, language: Language) -> None:
        self.story = story
        self.language = language
        self.said: Translate = translator(story.game, language)

    # -------------------------------------------------------------------------------------- scenes

    def scene(self, position: Any, last: Any) -> models.Scene:
        """What lies where."""
        return scene_of(self.story.game.scene(position, last), self.said)

    def look(self) -> models.Look:
        """What is the same in all scenes."""
        return look_of(self.story.game, self.story.match.position)

    # ------------------------------------------------------------------------------------- results

    def fault(self, fault: MatchFault) -> models.Fault:
        """What a seat did wrong, in words."""
        return models.Fault(
            kind=fault.kind.value,
            detail=fault.detail,
            explanation=explained(fault, self.story.game, self.said),
            move=fault.move,
        )

    def result(self, ended: Ended) -> models.Result:
        """How it ended, in words."""
        outcome = ended.outcome
        return models.Result(
            ranks=outcome.ranks,
            scores=outcome.scores,
            winners=outcome.winners,
            reason=self._reason(ended),
            headline=self._headline(outcome, cancelled=ended.cancelled),
            faults=tuple(None if each is None else self.fault(each) for each in ended.faults),
            cancelled=ended.cancelled,
        )

    def _reason(self, ended: Ended) -> str:
        if ended.outcome.reason:
            return self.said(reason_text(ended.outcome.reason))
        told = [
            f"{self.seat_name(seat)}: {self.fault(fault).explanation}"
            for seat, fault in enumerate(ended.faults)
            if fault is not None
        ]
        return "; ".join(told) or (self.said(messages("cancelled")) if ended.cancelled else "")

    def _headline(self, outcome: Outcome, *, cancelled: bool) -> str:
        if cancelled:
            return self.said(messages("cancelled"))
        if outcome.is_draw and len(outcome.winners) == len(outcome.ranks):
            return self.said(messages("draw"))
        return winners_said([self.player_name(seat) for seat in outcome.winners], self.said)

    def seat_name(self, seat: Seat) -> str:
        """What a seat is called."""
        names = self.story.game.seat_names
        return self.said(names[seat]) if seat < len(names) else str(seat + 1)

    def player_name(self, seat: Seat) -> str:
        """Who sits there, and what the seat is called."""
        name = self.story.opened.names[seat]
        return f"{name} ({self.seat_name(seat)})" if name else self.seat_name(seat)

    # --------------------------------------------------------------------------------------- games

    def turn(self, stage: Stage) -> models.Turn:
        """One line of the move list."""
        return models.Turn(
            turn=stage.number,
            ply=stage.ply,
            seat=stage.seat,
            move=stage.move,
            spent=round(stage.spent, 6),
            hints=stage.hints,
            at=self.story.wall(stage.at),
            receipt=None if stage.receipt is None else self._receipt(stage.receipt),
            note=None if stage.fault is None else self._note(stage.seat, stage.fault),
        )

    def _note(self, seat: Seat, fault: MatchFault) -> str:
        words = self.fault(fault).explanation
        return self.said(messages("is-out", seat=self.seat_name(seat), reason=words))

    def _receipt(self, receipt: MatchReceipt) -> models.Receipt:
        begin = self.story.opened.at
        return models.Receipt(
            asked=None if receipt.asked is None else round(receipt.asked - begin, 6),
            first_byte=round(receipt.first_byte - begin, 6),
            last_byte=round(receipt.last_byte - begin, 6),
            judged=round(receipt.judged - begin, 6),
            lag=round(receipt.lag, 6),
        )

    def clocks(self) -> models.Clocks:
        """How long everybody may think now."""
        story, match = self.story, self.story.match
        clock = match.clock
        asked = None if story.is_over else story.asked
        left = (clock.allowed(seat) if timed else None for seat, timed in enumerate(match.timed))
        return models.Clocks(
            kind="account" if isinstance(clock, Accounts) else "per move",
            per_move=clock.limit if isinstance(clock, Accounts) else clock.soft,
            left=tuple(None if each is None else round(each, 3) for each in left),
            running=None if asked is None else asked.seat,
            since=None if asked is None else story.wall(asked.at),
            now=time.time(),
        )

    def summary(self) -> models.GameSummary:
        """The line of the lobby."""
        return summary_of(self.story, self)

    def detail(self, downloads: tuple[str, ...], speaks: models.Speech | None) -> models.GameDetail:
        """All there is to know."""
        story = self.story
        return models.GameDetail(
            summary=self.summary(),
            turns=tuple(map(self.turn, story.stages)),
            scene=self.scene(story.match.position, story.match.last_move),
            look=self.look(),
            clocks=self.clocks(),
            event=story.last,
            position=story.match.position.text(),
            speaks=speaks,
            downloads=downloads,
        )


def explained(fault: MatchFault, game: contract.Game, said: Translate) -> str:
    """What a seat did wrong, for people."""
    if fault.kind is Kind.LEFT and fault.detail == _NEVER_CAME:
        return said(messages("fault.absent"))
    words = said(messages(f"fault.{fault.kind.value}"))
    mistake = getattr(game.native.Mistake, fault.detail, None)
    if fault.kind is not Kind.ILLEGAL or mistake is None:
        return words
    return f"{words}: {said(mistake_text(mistake))}"


def winners_said(names: Sequence[str], said: Translate) -> str:
    """Who won, alone or together."""
    if len(names) == 1:
        return said(messages("wins", name=names[0]))
    who = messages("and", first=", ".join(names[:-1]), second=names[-1])
    return said(messages("win", names=who))


def state_of(story: Story) -> models.State:
    """Where a game stands."""
    if story.ended is not None:
        return "finished"
    if story.broken:
        return "broken off"
    return "running" if story.match.began else "waiting"


def summary_of(story: Story, telling: Telling) -> models.GameSummary:
    """The line of the lobby."""
    ended, seats = story.ended, len(story.opened.names)
    return models.GameSummary(
        id=story.id,
        edition=story.opened.edition,
        title=telling.said(story.game.title),
        authority=story.game.authority,
        names=story.opened.names,
        seat_names=tuple(map(telling.seat_name, range(seats))),
        kinds=story.facts.kinds,
        present=tuple(seat in story.match.present for seat in range(seats)),
        state=state_of(story),
        paused=story.match.paused,
        turn=story.turn,
        ply=story.match.position.ply,
        to_move=story.to_move,
        created=story.facts.created,
        ended=None if ended is None else story.wall(ended.at),
        result=None if ended is None else telling.result(ended),
        source=story.facts.source,
    )


def translated(scene: contract.Scene, said: Translate) -> contract.Scene:
    """The same scene with its texts in a language."""

    def spoken(token: contract.Token) -> contract.Token:
        return replace(token, label=said(token.label))

    return replace(
        scene,
        tokens=tuple(map(spoken, scene.tokens)),
        trays=tuple(
            replace(tray, title=said(tray.title), tokens=tuple(map(spoken, tray.tokens)))
            for tray in scene.trays
        ),
        status=tuple(map(said, scene.status)),
        title=said(scene.title),
    )


def look_of(game: contract.Game, position: Any) -> models.Look:
    """Palette, glyphs, and the colours that a seat's name speaks of: `blue and red` of two."""
    drawn = game.scene(position, None)
    palette = dict(drawn.palette)
    seats = tuple(
        (name,) if name in palette else tuple(word for word in name.split() if word in palette)
        for name in game.seat_names
    )
    return models.Look(palette=palette, glyphs=dict(drawn.glyphs), seats=seats)


def scene_of(scene: contract.Scene, said: Translate) -> models.Scene:
    """A scene as it is sent, in a language."""
    scene, grid = translated(scene, said), scene.grid
    return models.Scene(
        grid=models.Grid(
            columns=grid.columns,
            rows=grid.rows,
            upwards=grid.upwards,
            column_labels=grid.column_labels,
            row_labels=grid.row_labels,
        ),
        tokens=tuple(map(_token, scene.tokens)),
        marks=tuple(models.Mark(kind=m.kind, cells=m.cells, colour=m.colour) for m in scene.marks),
        trays=tuple(
            models.Tray(
                title=tray.title, tokens=tuple(map(_token, tray.tokens)), colour=tray.colour
            )
            for tray in scene.trays
        ),
        holes=scene.holes,
        status=scene.status,
        title=scene.title,
    )


def _token(token: contract.Token) -> models.Token:
    return models.Token(
        id=token.id,
        cells=token.cells,
        glyph=token.glyph,
        colour=token.colour,
        text=token.text,
        label=token.label,
    )
