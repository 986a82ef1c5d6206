"""`spielleiter report FILE`: a match or contest on one page."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from spielleiter.cli._pictures import write_png
from spielleiter.cli._progress import Progress
from spielleiter.errors import UsageError
from spielleiter.games import load
from spielleiter.programs.contest_store import contest_state, read_file, store_of
from spielleiter.programs.result_store import results_in
from spielleiter.store import open_store
from spielleiter.text import languages
from spielleiter.tournament.charts import rating_chart
from spielleiter.tournament.head_to_head import KEY, HeadToHead
from spielleiter.tournament.pairing import GameResult
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.recorded_game import RecordedGame
from spielleiter.tournament.report import ContestReport, Sheet, game_sheet, page
from spielleiter.tournament.report_picture import picture
from spielleiter.tournament.rulings import played_only

if TYPE_CHECKING:
    from spielleiter.web.library import Origin
    from spielleiter.web.models import Language

_FORMATS = (".html", ".svg", ".png")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write: .html, .svg or .png.  [default: FILE with .html]",
)
@click.option("--chart", is_flag=True, help="Only the chart of ratings, as .svg or .png.")
@click.option("--scale", type=float, default=2.0, show_default=True, help="How large a .png is.")
@click.option("--no-games", is_flag=True, help="A .html alone, without the pages of its games.")
@click.option(
    "--lang",
    type=click.Choice(languages("spielleiter")),
    default="en",
    show_default=True,
    help="The language that a .html begins with; its reader can choose another.",
)
def command(
    file: Path, output: Path | None, chart: bool, scale: float, no_games: bool, lang: Language
) -> None:
    """Write a report on a contest or a match.

    FILE is a contest (.toml) or the store of a match (.db). Tables, a chart of ratings with
    their 95 % intervals, a crosstable, time and failures, on one page or as one picture. The
    page links every game: a folder beside it has a page for each, which works in any browser
    without a server. Share both together.
    """
    report = _report(file)
    if not report.results:
        raise UsageError(f"{file}: nothing has been played yet")
    output = output or file.with_suffix(".svg" if chart else ".html")
    if output.suffix not in _FORMATS:
        raise UsageError(f"{output}: a report is written as {', '.join(_FORMATS)}")
    if output.suffix == ".html" and chart:
        raise UsageError("a chart is written as .svg or .png")
    if output.suffix == ".html":
        games, packages = (None, []) if no_games else _games(file, output, lang)
        text = page(report, games, packages, lang)
    else:
        text = rating_chart(rate(report.results)) if chart else picture(report)
    if output.suffix == ".png":
        write_png(output, text, scale)
        return
    output.write_text(text, "utf-8")
    click.echo(f"wrote {output}")


def _games(file: Path, output: Path, lang: Language) -> tuple[Sheet, list[str]]:
    """Write a page for each game, and list them; also who has the texts of their games."""
    from spielleiter.service.game_pages import write_game_pages  # a picture takes less without it
    from spielleiter.service.recorded_games import recorded_games

    folder, is_contest = output.with_name(f"{output.stem}-games"), file.suffix == ".toml"
    store = str(store_of(file, read_file(file)).where if is_contest else file)
    pages: list[tuple[RecordedGame, str]] = []
    source: Origin = "contest" if is_contest else "store"
    with Progress() as progress:
        for game, name in write_game_pages(folder, recorded_games(store), source, lang):
            pages.append((game, quote(f"{folder.name}/{name}")))
            progress.show(lambda: f"{len(pages)} games")
    played = {load(game.record.opened.edition).folder for game, _ in pages}
    return game_sheet(pages), sorted(played)


def _report(file: Path) -> ContestReport:
    if not file.is_file():
        raise UsageError(f"there is no file {str(file)!r}")
    if file.suffix == ".toml":
        return _contest(file)
    with closing(open_store(file)) as store:
        return _match(file.stem, results_in(store))


def _contest(file: Path) -> ContestReport:
    definition, state = contest_state(file)
    phases = tuple(definition.schedule(state).phases(state.results))
    notes = (definition.notice,) if definition.notice else ()
    results = tuple(played_only(state.results.values()))
    return ContestReport(definition.name, phases, results, notes, tuple(state.rulings))


def _match(name: str, known: dict[str, GameResult]) -> ContestReport:
    """A match has one table, of the games of its complete blocks."""
    results = tuple(known.values())
    first = known.get(f"{KEY}/0")
    if first is None:
        return ContestReport(name, (), results)
    players = first.pairing.players
    whole = HeadToHead(
        players, first.pairing.opening.seed, len(results) // len(players) * len(players)
    )
    return ContestReport(" – ".join(players), tuple(whole.phases(known)), results)
