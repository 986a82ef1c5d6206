"""Reviews of several games: which, with what progress, and their mistakes for the gym."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._progress import Progress
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.gym import GymPosition, GymSet
from spielleiter.gym.mining import mistakes
from spielleiter.match import Played
from spielleiter.review import GameReview, review_game
from spielleiter.tournament.recorded_game import RecordedGame


def different(games: list[RecordedGame]) -> Iterator[RecordedGame]:
    """The games without those that repeat another one move by move: they teach nothing new."""
    known = set[Hashable]()
    for game in games:
        played = (event.move for event in game.record.events if isinstance(event, Played))
        key = (game.players, game.record.opened.position, *played)
        if key not in known:
            known.add(key)
            yield game


def reviewed(
    game: RecordedGame, nodes: int | None, among: list[RecordedGame], progress: Progress
) -> tuple[Game, GameReview]:
    """The review of a game, one of several."""
    edition = game.record.game(games.load_recorded)
    number = among.index(game) + 1

    def tell(done: int, of: int) -> None:
        where = f"game {number} of {len(among)}, " if len(among) > 1 else ""
        progress.show(lambda: f"{where}{game.key}: {done} of {of} turns")

    return edition, review_game(game.record, edition, nodes, tell)


def write_gym(
    file: Path,
    games: list[RecordedGame],
    reviews: list[tuple[Game, GameReview]],
    player: str | None,
) -> None:
    """Every mistake, or those of one player, as a position; a file holds one game only."""
    if len({edition.name for edition, _ in reviews}) > 1:
        raise UsageError("these games are of several editions: a gym file holds one")
    found: list[GymPosition] = []
    for game, (edition, review) in zip(games, reviews, strict=True):
        found += mistakes(review, game.record, edition, game.key, player)
    file.write_text(GymSet(reviews[0][0].name, tuple(found)).text(), "utf-8")
    click.echo(f"wrote {file}: {len(found)} positions", err=True)
