"""`spielleiter report FILE`: a match or contest on one page."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from spielleiter.cli._tables import played
from spielleiter.cli.contest import opened_for_reading, read_file
from spielleiter.errors import UsageError
from spielleiter.store import open_store
from spielleiter.tournament.pairing import Result
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.report import page, rating_chart
from spielleiter.tournament.standings import Table


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to; `.svg` writes the chart of ratings only.  [default: FILE with .html]",
)
def command(file: Path, output: Path | None) -> None:
    """Write a report on FILE, a contest (.toml) or the store of a match (.db).

    Tables, a chart of ratings with their 95 % intervals, who beat whom, time and failures, on one
    page that needs nothing else.
    """
    title, tables, results = _content(file)
    if not results:
        raise UsageError(f"{file}: nothing has been played yet")
    output = output or file.with_suffix(".html")
    drawn = output.suffix == ".svg"
    text = rating_chart(rate(results)) if drawn else page(title, tables, results)
    output.write_text(text, "utf-8")
    click.echo(f"{output} is written")


def _content(file: Path) -> tuple[str, list[Table], list[Result]]:
    if not file.is_file():
        raise UsageError(f"there is no file {str(file)!r}")
    if file.suffix == ".toml":
        definition = read_file(file)
        with closing(opened_for_reading(file, definition)) as store:
            known = played(store)
        return definition.name, definition.schedule().tables(known), list(known.values())
    with closing(open_store(file)) as store:
        return file.stem, [], list(played(store).values())
