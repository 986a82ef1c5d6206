"""How programs are held, as the command line and a contest's file say."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from spielleiter.errors import UsageError
from spielleiter.game import WIRE_FORMS, WireForm
from spielleiter.programs.program import is_program
from spielleiter.programs.settings import HOST, Setting
from spielleiter.sandbox import Bounds, Level, probe

BEST = "best"
LEVELS = (BEST, *(level.text for level in Level))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line says about programs."""

    level: str | None
    freeze: bool
    warm: bool
    host: str
    wire: WireForm = "real"

    def setting(
        self,
        texts: list[str],
        default: str,
        rules: Mapping[str, Any] | None = None,
    ) -> Setting:
        """How these players are run; raises Unreachable if they cannot be held as is demanded."""
        rules = rules or {}
        minimum = Level.named(rules["minimum"]) if "minimum" in rules else None
        demanded = self.level is not None or minimum is not None
        if not demanded and not any(map(is_program, texts)):
            return Setting()
        level = _level(self.level or BEST, minimum) if demanded else _up_to(default)
        names = set(Bounds.__dataclass_fields__) & rules.keys()
        bounds = Bounds(**{name: rules[name] for name in names})
        freeze = self.freeze or bool(rules.get("freeze", False))
        if freeze and level is Level.NONE:
            raise UsageError("only a program in a sandbox can be frozen: --sandbox limits at least")
        box = probe().box(level, bounds)
        return Setting(box, freeze, self.warm, self.host, wire=self.wire, demanded=demanded)


def _up_to(text: str) -> Level:
    """What is used if nothing is said: that level, or what the machine has."""
    best = probe().best
    return best if text == BEST else min(best, Level.named(text))


def _level(text: str, minimum: Level | None) -> Level:
    """The level to use; below the minimum nothing is played."""
    level = probe().best if text == BEST else Level.named(text)
    if minimum is not None and level < minimum:
        if text == BEST:
            probe().box(minimum)  # says what is missing
        raise UsageError(f"this contest demands the sandbox level {minimum.text}, not {text}")
    return level


def program_options(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--sandbox, --freeze, --cold, --host and --wire, as one argument `programs`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def decorated(
            sandbox: str | None, freeze: bool, warm: bool, host: str, wire: WireForm, **others: Any
        ) -> Any:
            return function(programs=Wanted(sandbox, freeze, warm, host, wire), **others)

        options = [
            click.option(
                "--sandbox",
                type=click.Choice(LEVELS),
                help=f"How tightly programs are held; no less will do.  [default: {default}]",
            ),
            click.option("--freeze", is_flag=True, help="Who is not on move stands still."),
            click.option(
                "--warm/--cold",
                default=True,
                help="Start the next game's programs early, or only when it begins.  "
                "[default: warm]",
            ),
            click.option(
                "--host",
                default=HOST,
                show_default=True,
                help="Where to listen for players from outside.",
            ),
            click.option(
                "--wire",
                type=click.Choice(WIRE_FORMS),
                default="real",
                show_default=True,
                help="Messages to programs as the season's real servers write them, or as its "
                "document says.",
            ),
        ]
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def said(setting: Setting, are_programs: bool) -> str:
    """Which level is in force."""
    if not are_programs:
        return "sandbox: none (these players run in processes of ours)"
    level = setting.box.level
    frozen = ", the idle player is frozen" if setting.freeze else ""
    missing = [f"{each.text} is out of reach" for each, _ in probe().missing]
    better = [each.text for each in Level if level < each <= probe().best]
    more = missing + [f"possible: {', '.join(better)}"] * bool(better)
    return f"sandbox: {level.text}{frozen}" + (f" ({'; '.join(more)})" if more else "")
