"""Reviews of several games: which, with what progress, and their mistakes for the gym."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from spielleiter.cli._progress import Progress
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.games import load_recorded
from spielleiter.gym import GymPosition, GymSet
from spielleiter.gym.mining import mistakes
from spielleiter.match import Played
from spielleiter.review import GameReview, ReviewInterrupted, review_game
from spielleiter.review.views import messages
from spielleiter.text import Text
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


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A recorded game with its edition and its review."""

    game: RecordedGame
    edition: Game
    review: GameReview

    @property
    def named(self) -> tuple[str, GameReview]:
        """The review with the key of its game."""
        return self.game.key, self.review


@dataclass(frozen=True, slots=True)
class Reviews:
    """The reviews of one game or of several, as far as they came."""

    done: list[Reviewed]
    wanted: int
    """How many games were to be reviewed."""
    is_one: bool
    """Whether a single game is asked for, so that a part of it is told as well."""
    is_interrupted: bool = False

    @property
    def named(self) -> list[tuple[str, GameReview]]:
        """The reviews with the keys of their games."""
        return [each.named for each in self.done]

    @property
    def partial(self) -> dict[str, int] | None:
        """How many turns of one game, or how many games, are reviewed; None: all of them."""
        if not self.is_interrupted:
            return None
        if not self.is_one:
            return {"reviewed": len(self.done), "of": self.wanted}
        turns = sum(len(each.review.turns) for each in self.done)
        return {"reviewed": turns, "of": turns + sum(each.review.unread for each in self.done)}

    @property
    def interruption(self) -> Text:
        """The same in words."""
        covered = self.partial or {}
        return messages("interrupted-turns" if self.is_one else "interrupted-games", **covered)


def review_games(games: list[RecordedGame], nodes: int | None, *, is_one: bool) -> Reviews:
    """Review games until Ctrl-C.

    Of several games the one that was being reviewed then is left out: its last turns alone would
    make the end of the game weigh more than it does in the others.
    """
    done: list[Reviewed] = []
    try:
        with Progress() as progress:
            for game in games:
                finished = _reviewed(game, nodes, games, progress)
                done.append(finished)
    except ReviewInterrupted as stopped:
        if is_one:
            done.append(Reviewed(games[0], edition_of(games[0]), stopped.review))
    except KeyboardInterrupt:
        pass  # it came between two games
    else:
        return Reviews(done, len(games), is_one)
    return Reviews(done, len(games), is_one, is_interrupted=True)


def edition_of(game: RecordedGame) -> Game:
    """The edition that was played."""
    return game.record.game(load_recorded)


def _reviewed(
    game: RecordedGame, nodes: int | None, among: list[RecordedGame], progress: Progress
) -> Reviewed:
    """The review of a game, one of several."""
    edition, number = edition_of(game), among.index(game) + 1

    def tell(done: int, of: int) -> None:
        where = f"game {number} of {len(among)}, " if len(among) > 1 else ""
        progress.show(lambda: f"{where}{game.key}: {done} of {of} turns")

    return Reviewed(game, edition, review_game(game.record, edition, nodes, tell))


def write_gym(file: Path, reviews: list[Reviewed], player: str | None) -> None:
    """Every mistake, or those of one player, as a position; a file holds one game only."""
    if len({each.edition.name for each in reviews}) > 1:
        raise UsageError("these games are of several editions: a gym file holds one")
    found: list[GymPosition] = []
    for each in reviews:
        found += mistakes(each.review, each.game.record, each.edition, each.game.key, player)
    file.write_text(GymSet(reviews[0].edition.name, tuple(found)).text(), "utf-8")
    click.echo(f"wrote {file}: {len(found)} positions", err=True)
