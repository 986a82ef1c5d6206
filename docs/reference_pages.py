"""Writes the reference: a page for every package of ours and one for every folder of headers.

Sphinx calls this before it reads the pages, so that the reference is never behind the tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "spielleiter"
TARGET = ROOT / "docs" / "reference" / "generated"
MODULE = """## {name}

```{{eval-rst}}
.. automodule:: {name}
   :members:
   :undoc-members:
   :show-inheritance:
```
"""
HEADER = """## {path}

```{{doxygenfile}} {path}
:sections: briefdescription detaileddescription innernamespace innerclass enum typedef var func
```
"""


def write() -> None:
    """Write all pages into docs/reference/generated; a page that has not changed is left alone."""
    TARGET.mkdir(exist_ok=True)
    pages = dict((*_python_pages(), *_cpp_pages()))
    for stale in set(TARGET.glob("*.md")) - {TARGET / name for name in pages}:
        stale.unlink()
    for name, text in pages.items():
        if not (TARGET / name).exists() or (TARGET / name).read_text("utf-8") != text:
            (TARGET / name).write_text(text, "utf-8")


def modules() -> Iterator[str]:
    """The dotted names of all public modules, games' own and tests left out."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        inner = parts[1:]
        if any(part.startswith("_") or part in {"tests", "migrations"} for part in inner):
            continue
        if inner[:1] != ("games",) or len(inner) == 1:
            yield ".".join(parts)


def _python_pages() -> Iterator[tuple[str, str]]:
    packages: dict[str, list[str]] = {}
    for name in modules():
        packages.setdefault([*name.split("."), ""][1], []).append(name)
    top = [name for package, names in packages.items() if len(names) == 1 for name in names]
    yield "spielleiter.md", _page("spielleiter", top)
    for package, names in packages.items():
        if len(names) > 1:
            yield f"{package}.md", _page(f"spielleiter.{package}", names)


def _page(title: str, names: list[str]) -> str:
    return f"# {title}\n\n" + "\n".join(MODULE.format(name=name) for name in names)


def _cpp_pages() -> Iterator[tuple[str, str]]:
    for folder, title in (("core", "core/"), ("core/search", "core/search/")):
        headers = sorted((ROOT / folder).glob("*.hpp"))
        shown = [path for path in headers if not path.name.startswith("bind")]
        parts = (HEADER.format(path=path.name) for path in shown)
        yield f"{folder.replace('/', '_')}.md", f"# {title}\n\n" + "\n".join(parts)


def undocumented() -> Iterator[str]:
    """Public modules whose file has no docstring."""
    for name in modules():
        path = PACKAGE.parent / Path(*name.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if ast.get_docstring(ast.parse(path.read_text("utf-8"))) is None:
            yield name


if __name__ == "__main__":
    write()
