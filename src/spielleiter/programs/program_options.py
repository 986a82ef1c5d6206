"""How programs are run, from the options of a command and the file of a contest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spielleiter.errors import UsageError
from spielleiter.game import WireForm
from spielleiter.programs.program import is_apart, is_program
from spielleiter.programs.settings import Isolation, Setting
from spielleiter.sandbox import Bounds, Level, probe

BEST = "best"
LEVELS = (BEST, *(level.text for level in Level))


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """What the command line says about programs."""

    level: str | None
    freeze: bool
    warm: bool
    host: str
    wire: WireForm | None = None
    """None: as the contest's file says, or as real servers write."""
    trust_files: bool = False

    def setting(
        self,
        texts: list[str],
        rules: Mapping[str, Any] | None = None,
        wire: WireForm = "real",
    ) -> Setting:
        """How these players are run; raises Unreachable if the demanded level is not available.

        `rules` and `wire` come from the contest's file; the command line overrides them. If neither
        names a level, foreign players run at the best level of this machine.
        """
        rules, wire = rules or {}, self.wire or wire
        minimum = Level.named(rules["minimum"]) if "minimum" in rules else None
        held = [text for text in texts if is_program(text) or self._is_strange(text)]
        if not held and self.level is None and minimum is None:
            return Setting(wire=wire, trust_files=self.trust_files)
        level = _level(self.level or BEST, minimum)
        names = set(Bounds.__dataclass_fields__) & rules.keys()
        bounds = Bounds(**{name: rules[name] for name in names})
        freeze = self.freeze or bool(rules.get("freeze", False))
        if freeze and level is Level.NONE:
            raise UsageError("only a program in a sandbox can be frozen: --sandbox limits at least")
        box = probe().box(level, bounds)
        return Setting(box, freeze, self.warm, self.host, wire=wire, trust_files=self.trust_files)

    def _is_strange(self, text: str) -> bool:
        return is_apart(text) and not self.trust_files


def _level(text: str, minimum: Level | None) -> Level:
    """The level to use; raises UsageError below the minimum."""
    level = probe().best if text == BEST else Level.named(text)
    if minimum is not None and level < minimum:
        if text == BEST:
            probe().box(minimum)  # says what is missing
        raise UsageError(f"this contest demands the sandbox level {minimum.text}, not {text}")
    return level


def sandbox_line(setting: Setting, holding: Isolation) -> str:
    """One line about the level in use."""
    if holding is Isolation.OURS:
        return "sandbox: none (these players are ours)"
    if holding is Isolation.TRUSTED:
        return "sandbox: none (players' files are trusted: they run in processes of ours)"
    level = setting.box.level
    frozen = ", the idle player is frozen" if setting.freeze else ""
    missing = [f"{each.text} is out of reach" for each, _ in probe().missing]
    better = [each.text for each in Level if level < each <= probe().best]
    more = missing + [f"possible: {', '.join(better)}"] * bool(better)
    return f"sandbox: {level.text}{frozen}" + (f" ({'; '.join(more)})" if more else "")
