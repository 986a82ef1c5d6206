"""How Sphinx builds these pages; run it with `make docs`."""

from importlib import metadata

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
python_display_short_literal_types = True

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

breathe_projects = {"core": "_build/doxygen/xml"}
breathe_default_project = "core"
breathe_default_members = ("members", "undoc-members")
breathe_domain_by_extension = {"hpp": "cpp"}
suppress_warnings = ["duplicate_declaration.cpp"]  # a namespace is opened in every header
