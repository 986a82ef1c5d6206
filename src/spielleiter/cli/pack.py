"""`spielleiter pack [FOLDER]`: the ZIP that is handed in."""

from __future__ import annotations

from pathlib import Path

import click

from spielleiter.handin import package, project
from spielleiter.handin.target import named


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "folder", metavar="[FOLDER]", default=".", type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.  [default: NAME.zip in the folder]",
)
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Take packages from the wheels in this folder, and from nowhere else.",
)
@click.option(
    "--most",
    type=click.FloatRange(0, min_open=True),
    default=package.LARGEST / 2**20,
    show_default=True,
    metavar="MB",
    help="Refuse to build a larger ZIP.",
)
@click.option(
    "--for",
    "target",
    metavar="TARGET",
    help="The target: software-challenge (3.12), arena, ladder, here, or a version such as 3.11."
    "  [default: what the project says]",
)
def command(
    folder: Path, output: Path | None, wheels: Path | None, most: float, target: str | None
) -> None:
    """Build the contest's ZIP of the bot in FOLDER.

    It has the start script and all that the bot needs. The contest's machine has no network, so
    packages that `pyproject.toml` names are put into the ZIP, unpacked from wheels for 64-bit
    Linux and the Python of the target. Where no native wheel of spielleiter fits, its rules go
    along in plain Python. The same files give the same ZIP, byte by byte. Look at the result
    with `spielleiter check`.
    """
    own = project.read(folder)
    goal = None if target is None else named(target)
    file = output or folder / f"{own.name}.zip"
    packed = package.pack(own, file, wheels, int(most * 2**20), goal)
    for line in packed.notes:
        click.echo(line)
    click.echo(f"{packed.file}: {packed.files} files, {packed.size / 2**20:.2f} MB")
    click.echo(f"main file {own.start}; sha256 {packed.digest}")
