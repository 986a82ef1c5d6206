"""Prints reviews as text or JSON, or writes them as a page."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from spielleiter.cli._reviews import Reviewed, Reviews
from spielleiter.review.summary import summarise, summary_head, summary_json, summary_text
from spielleiter.review.views import Translate, habits_json, to_json, to_text


@dataclass(frozen=True, slots=True)
class ReviewOutput:
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
            self._json({} if reviewed is None else self._object(reviewed), reviews)
        if reviewed is not None and self.html is not None:
            self._page(reviewed, self.html)
        elif reviewed is not None and not self.as_json and reviewed.review.turns:
            click.echo(self._text(reviewed))

    def _object(self, reviewed: Reviewed) -> dict[str, Any]:
        key, review = reviewed.named
        found = [habits_json(review.habits(seat, key), self.say) for seat in range(review.seats)]
        return {**to_json(review, self.say), "habits": found}

    def _text(self, reviewed: Reviewed) -> str:
        review, record, edition = reviewed.review, reviewed.game.record, reviewed.edition
        colour = sys.stdout.isatty()
        return to_text(review, record, edition, self.lang, colour=colour, player=self.player)

    def _page(self, reviewed: Reviewed, file: Path) -> None:
        from spielleiter.review.page import page  # the templates' library is needed only here

        review, record, edition = reviewed.review, reviewed.game.record, reviewed.edition
        self._write(page(review, record, edition, self.lang), file)

    def many(self, reviews: Reviews, repeated: int) -> None:
        """The summary of several games."""
        found = summarise(reviews.named, self.say)
        summaries = [each for each in found if self.player in (None, each.name)]
        games = len(reviews.done)
        note = reviews.interruption if reviews.is_interrupted else ""
        if self.as_json:
            told = summary_json(summaries, games, self.say)
            self._json({**told, "repeated": repeated}, reviews)
        if games and self.html is not None:
            from spielleiter.review.page import summary_page  # see above

            head = summary_head(games, self.say, repeated=repeated, note=note)
            self._write(summary_page(summaries, head, self.say, self.lang), self.html)
        elif games and not self.as_json:
            click.echo(summary_text(summaries, games, self.say, repeated=repeated, note=note))

    def _write(self, page: str, file: Path) -> None:
        file.write_text(page, "utf-8")
        click.echo(f"wrote {file}", err=self.as_json)

    def _json(self, told: dict[str, Any], reviews: Reviews) -> None:
        click.echo(json.dumps({**told, "partial": reviews.partial}, ensure_ascii=False))
