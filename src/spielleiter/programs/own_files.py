"""Which files belong to a player, and which files beside them it must not see."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spielleiter.programs.settings import Setting


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """What a player sees besides the system's files."""

    folder: Path | None = None
    """A folder that belongs to the player."""
    files: tuple[Path, ...] = ()
    """Single files, if their folder does not belong to it."""
    hidden: tuple[Path, ...] = ()
    """Files in its folder that do not belong to it."""


def own_files(file: Path, setting: Setting) -> OwnFiles:
    """What the player of a file sees: its folder, or the file alone.

    The folder belongs to the player if nothing foreign is in it: no file of another player, no
    contest. A home folder, or one above it, never does.
    """
    path = file.resolve()
    folder = path if path.is_dir() else path.parent
    foreign = {each.resolve() for each in setting.foreign} - {path}
    shared = (each for each in (Path.home().resolve(), *foreign) if each.is_relative_to(folder))
    if any(shared):
        return OwnFiles(files=() if path.is_dir() else (path,))
    hidden = (each.resolve() for each in setting.hidden)
    return OwnFiles(folder, hidden=tuple(each for each in hidden if each.is_relative_to(folder)))
