"""How Sphinx builds these pages; run it with `make docs`."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs import reference_pages

reference_pages.write()

project = "Spielleiter"
author = "the Spielleiter maintainers"
copyright = "the Spielleiter maintainers"  # noqa: A001  (Sphinx wants this name)
try:
    release = metadata.version("spielleiter")
except metadata.PackageNotFoundError:
    release = "development"

extensions = ["sphinx.ext.autodoc", "myst_parser", "breathe"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "Spielleiter"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"ignore-module-all": True}  # a thing is documented where it is defined
autodoc_mock_imports = [  # optional extras
    *("gymnasium", "open_spiel", "pettingzoo", "psycopg", "pyspiel", "ray", "torch"),
]
python_display_short_literal_types = True

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

breathe_projects = {"core": "_build/doxygen/xml"}
breathe_default_project = "core"
breathe_default_members = ("members", "undoc-members")
breathe_domain_by_extension = {"hpp": "cpp"}
suppress_warnings = [
    "duplicate_declaration.cpp",  # a namespace is opened in every header
    "source_code_parser.cpp",  # Sphinx does not read lambdas
]


def setup(app):  # type: ignore[no-untyped-def]
    """Sphinx calls this."""
    app.connect("autodoc-process-docstring", _set_off_blocks)


def _set_off_blocks(*event):  # type: ignore[no-untyped-def]
    """An indented block below a line of text is code, unless the line is a field or an item."""
    lines = event[-1]
    shown: list[str] = []
    text = " "
    for line in lines:
        if line.startswith("    ") and not text.startswith((" ", ":", "-", "*", "..")):
            shown += ["", "::", ""]
        shown.append(line)
        text = line or text
    lines[:] = shown
