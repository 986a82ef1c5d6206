"""The template for a new contest's file."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader

from spielleiter.tournament import formats


def contest_template(file: str, name: str, game: str, form: str) -> str:
    """The text of a small contest with the settings of a format, explained by comments."""
    environment = Environment(
        loader=PackageLoader("spielleiter.tournament"), trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("contest.toml").render(
        file=file,
        name=name,
        game=game,
        format=form,
        formats=", ".join(formats.names()),
        chosen=formats.load(form),
    )
