"""A review as one self-contained HTML page: no script, no font, no picture from outside."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from spielleiter.draw import svg
from spielleiter.game import Game, Seat
from spielleiter.match import GameRecord
from spielleiter.review.game_review import GameReview, ReviewedTurn
from spielleiter.review.summary import (
    PlayerSummary,
    player_facts,
    player_sections,
    player_title,
)
from spielleiter.review.views import (
    Translate,
    grouped,
    habit_section,
    interrupted,
    messages,
    percent,
    player_name,
    seat_line,
    time_lines,
    title,
    translated_scene,
    translator,
    turn_lines,
)

_WIDTH, _HEIGHT, _BELOW = 720, 160, 18
_TICKS = 10
"""Turns between two numbers below the curves."""
_COLOURS = ("#b5432f", "#2f6fb5", "#3d8b4f", "#8a6d1f")
_SHOWN = 5
_TEMPLATES = Environment(
    loader=PackageLoader("spielleiter.review"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(review: GameReview, record: GameRecord, game: Game, language: str) -> str:
    """The review in HTML."""
    say = translator(game, language)
    boards = [
        (list(turn_lines(each, review, game, say)), _board(each, record, game, say))
        for each in _drawn(review)
    ]
    return _TEMPLATES.get_template("review.html").render(
        language=language,
        title=title(review, game, say),
        say=lambda key: say(messages(key)),
        grade=lambda turn: say(messages(f"grade.{turn.grade}")),
        searched=say(messages("searched", engine=review.engine, nodes=grouped(review.nodes))),
        interrupted=say(interrupted(review)) if review.unread else "",
        seats=[(seat_line(review, game, seat, say), _colour(seat)) for seat in range(review.seats)],
        habits=[
            found
            for seat in range(review.seats)
            if (found := habit_section(review, game, seat, say))
        ],
        times=time_lines(review, game, say),
        curves=Markup(_curves(review)),
        boards=boards,
        turns=review.turns,
        name=lambda turn: say(player_name(review, game, turn.seat)),
        percent=percent,
        motifs=lambda turn: "; ".join(say(each) for each in turn.motifs),
    )


def summary_page(
    summaries: Sequence[PlayerSummary], head: Sequence[str], say: Translate, language: str
) -> str:
    """What recurs in the games of each player, in HTML; `head` says which games these are."""
    return _TEMPLATES.get_template("summary.html").render(
        language=language,
        title=say(messages("recurring")),
        head=head,
        players=[
            (player_title(each, say), player_facts(each, say), player_sections(each, say))
            for each in summaries
        ],
    )


def _drawn(review: GameReview) -> list[ReviewedTurn]:
    """The last chances first, then the costliest moves."""
    last = [found for seat in range(review.seats) if (found := review.last_chance(seat))]
    others = [each for each in review.turning_points if each not in last]
    return [*last, *others][:_SHOWN]


def _board(turn: ReviewedTurn, record: GameRecord, game: Game, say: Translate) -> Markup:
    """The position after the better move, with that move marked."""
    before = record.frame(game, turn.turn - 1).position
    held = game.scene(before.after(turn.best), before.move(turn.best))
    return Markup(svg.render(translated_scene(held, say)))


def _curves(review: GameReview) -> str:
    """The chances of every seat over the game."""
    last = max((each.turn for each in review.turns), default=1)
    lines = "".join(_curve(review, seat, last) for seat in range(review.seats))
    middle = f'<path d="M0 {_HEIGHT / 2}H{_WIDTH}" stroke="#99a" stroke-dasharray="4"/>'
    view = f'viewBox="0 0 {_WIDTH} {_HEIGHT + _BELOW}"'
    drawn = f"{middle}{lines}{_ticks(last)}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view} class="curves">{drawn}</svg>'


def _ticks(last: int) -> str:
    """The numbers of every tenth turn below the curves."""
    return "".join(
        f'<path d="M{_WIDTH * turn / last:.1f} 0V{_HEIGHT}" stroke="#eef"/>'
        f'<text x="{_WIDTH * turn / last:.1f}" y="{_HEIGHT + _BELOW - 4}" font-size="12" '
        f'text-anchor="{"end" if turn == last else "middle"}">{turn}</text>'
        for turn in range(_TICKS, last + 1, _TICKS)
    )


def _curve(review: GameReview, seat: Seat, last: int) -> str:
    points = " ".join(
        f"{_WIDTH * each.turn / last:.1f},{_HEIGHT * (1 - each.chance_after):.1f}"
        for each in review.of(seat)
    )
    return f'<polyline points="{points}" fill="none" stroke="{_colour(seat)}" stroke-width="2"/>'


def _colour(seat: Seat) -> str:
    return _COLOURS[seat % len(_COLOURS)]
