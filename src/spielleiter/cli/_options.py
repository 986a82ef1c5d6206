"""Arguments and options that several commands share."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from spielleiter import bots, games
from spielleiter.errors import TextError, UnknownName, UsageError
from spielleiter.game import AUTHORITIES, WIRE_FORMS, Authority, Game, Position

EXTRA = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Context settings of commands that take set-up options of the game, such as `--map NAME`."""


class ClientCommand(click.Command):
    """A command where -h is the host, as for the contest's clients; -h alone shows the help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help"] if args[-1:] == ["-h"] else args)


class GameName(click.ParamType[str]):
    """The name of an edition, completed by the shell."""

    name = "game"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in games.names() if name.startswith(incomplete)]


class PlayerName(click.ParamType[str]):
    """A player for a seat, completed by the shell."""

    name = "player"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        known = ("human", *bots.names())
        return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def game_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """GAME, the name of an edition."""
    return click.argument("game", type=GameName(), metavar="GAME")(function)


def authority_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--authority document|server."""
    return click.option(
        "--authority",
        type=click.Choice(AUTHORITIES),
        default="document",
        show_default=True,
        help="Judge as the published rules say, or as the official server did.",
    )(function)


def wire_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--wire real|document."""
    return click.option(
        "--wire",
        type=click.Choice(WIRE_FORMS),
        default="real",
        show_default=True,
        help="Write messages as the real programs of a season do, or as its document says.",
    )(function)


def seed_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--seed N for everything random."""
    return click.option(
        "--seed",
        type=click.IntRange(0, 2**64 - 1),
        default=0,
        show_default=True,
        help="Random seed.",
    )(function)


def seal_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """--seal SEAL of a store."""
    return click.option(
        "--seal",
        metavar="SEAL",
        help="A seal that was printed earlier, to detect removed entries.",
    )(function)


def shown_command(*words: str) -> str:
    """A command as one types it."""
    return shlex.join(["spielleiter", *words])


def parted(players: tuple[str, ...], rest: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Players, and set-up options of the game that stand among them."""
    words = [*players, *rest]
    at = next((at for at, word in enumerate(words) if word.startswith("--")), len(words))
    return tuple(words[:at]), words[at:]


def check_seats(seats: int, players: tuple[str, ...]) -> None:
    """Raise UsageError unless there is a player for every seat."""
    if len(players) != seats:
        raise UsageError(f"this set-up has {seats} seats, not {len(players)}: name as many players")


def set_up(game: Game, extra: Sequence[str]) -> dict[str, str]:
    """The set-up options of a game out of the arguments no option of the command took."""
    known = {f"--{option.name.replace('_', '-')}": option.name for option in game.options}
    words = [part for word in extra for part in word.split("=", 1)]
    chosen = {}
    for flag, value in zip(words[::2], [*words[1::2], None], strict=False):
        if flag not in known:
            raise UnknownName(f"option of {game.name}", flag, sorted(known))
        if value is None:
            raise UsageError(f"{flag} needs a value")
        chosen[known[flag]] = value
    return chosen


def position_of(text: str, game: str | None, authority: Authority) -> tuple[Game, Position]:
    """The position of a text, and its game: the one named, or the newest that can parse it.

    `start` is the first position of the game that is named, `start:7` that of the seed 7.
    """
    first = re.fullmatch(r"start(?::(\d{1,19}))?", text)
    if game is not None:
        named = games.load(game, authority)
        return named, named.start(int(first[1] or 0)) if first else named.parse(text)
    if first:
        raise UsageError("every game has a start of its own: name the game, --game GAME")
    problems = []
    for name in reversed(games.names()):
        edition = games.load(name, authority)
        try:
            return edition, edition.parse(text)
        except TextError as error:
            problems.append((error.at, f"as {name}: {error}"))
    furthest = max(problems, default=(0, "there are no games"))
    raise UsageError(f"no game understands this position; {furthest[1]}")
