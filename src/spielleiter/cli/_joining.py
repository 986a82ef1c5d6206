"""What `join` starts: a player of ours, or a program with a client of its own."""

from __future__ import annotations

from pathlib import Path

from spielleiter import bots


def main_of(bot: str) -> str:
    """The file to start in a folder: its `bot.py`, or else what a contest would start."""
    folder = Path(bot)
    if not folder.is_dir():
        return bot
    own = folder / "bot.py"
    if own.is_file():
        return str(own)
    from spielleiter.programs.program import main_file

    return str(main_file(folder, None, bot))


def is_program(bot: str) -> bool:
    """Whether it is a program with its own client: neither built in nor a file with a `Player`."""
    if bot.partition(":")[0] in bots.names() or bots.FILE in bot:
        return False
    from spielleiter.programs.program import is_file  # takes a while: only for who needs it

    return is_file(bot)
