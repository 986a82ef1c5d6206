"""Prints reviews as text or JSON, or writes them as a page."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from spielleiter.cli._reviews import Reviewed, Reviews
from spielleiter.review.summary import summarise, summary_json, summary_text
from spielleiter.review.views import Translate, to_json, to_text


@dataclass(frozen=True, slots=True)
class Output:
    """Where a review goes, and in which words."""

    say: Translate
    lang: str
    as_json: bool
    html: Path | None
    player: str | None

    def one(self, reviews: Reviews) -> None:
        """The review of a single game; if it was interrupted at once there is none."""
        reviewed = next(iter(reviews.done), None)
        if self.as_json:
            self._json({} if reviewed is None else to_json(reviewed.review, self.say), reviews)
        if reviewed is not None and self.html is not None:
            self._page(reviewed, self.html)
        elif reviewed is not None and not self.as_json and reviewed.review.turns:
            click.echo(self._text(reviewed))

    def _text(self, reviewed: Reviewed) -> str:
        review, record, edition = reviewed.review, reviewed.game.record, reviewed.edition
        colour = sys.stdout.isatty()
        return to_text(review, record, edition, self.lang, colour=colour, player=self.player)

    def _page(self, reviewed: Reviewed, file: Path) -> None:
        from spielleiter.review.page import page  # the templates' library is needed only here

        review, record, edition = reviewed.review, reviewed.game.record, reviewed.edition
        file.write_text(page(review, record, edition, self.lang), "utf-8")
        click.echo(f"wrote {file}", err=self.as_json)

    def many(self, reviews: Reviews, repeated: int) -> None:
        """The summary of several games."""
        found = summarise(reviews.named, self.say)
        summaries = [each for each in found if self.player in (None, each.name)]
        games = len(reviews.done)
        if self.as_json:
            told = summary_json(summaries, games, self.say)
            self._json({**told, "repeated": repeated}, reviews)
        elif games:
            note = reviews.interruption if reviews.is_interrupted else ""
            click.echo(summary_text(summaries, games, self.say, repeated=repeated, note=note))

    def _json(self, told: dict[str, Any], reviews: Reviews) -> None:
        click.echo(json.dumps({**told, "partial": reviews.partial}, ensure_ascii=False))
