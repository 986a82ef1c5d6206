"""Which files are a player's own: what it may see, and what lies beside them and is not its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spielleiter.programs.settings import Setting


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """What a player sees besides the system's files."""

    folder: Path | None = None
    """A folder that is all its own."""
    files: tuple[Path, ...] = ()
    """Single files, if the folder they lie in is not its own."""
    hidden: tuple[Path, ...] = ()
    """What lies in its folder and is not its own."""


def own_files(file: Path, setting: Setting) -> OwnFiles:
    """What the player of a file sees: its folder, or the file alone.

    The folder is its own if nothing foreign lies in it: no file of another player, no contest. A
    home, or a folder above one, is nobody's own.
    """
    path = file.resolve()
    folder = path if path.is_dir() else path.parent
    foreign = {each.resolve() for each in setting.foreign} - {path}
    shared = (each for each in (Path.home().resolve(), *foreign) if each.is_relative_to(folder))
    if any(shared):
        return OwnFiles(files=() if path.is_dir() else (path,))
    hidden = (each.resolve() for each in setting.hidden)
    return OwnFiles(folder, hidden=tuple(each for each in hidden if each.is_relative_to(folder)))
