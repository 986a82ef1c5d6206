"""The check that nothing stands twice finds copies, and only copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.duplicates import copies

BODY = [f"value_{n} = compute({n});" for n in range(12)]


def files(*texts: list[str], suffix: str = ".cpp") -> list[tuple[Path, str]]:
    return [(Path(f"file{n}{suffix}"), "\n".join(text)) for n, text in enumerate(texts)]


@pytest.mark.parametrize("length", [9, 12])
def test_more_than_eight_equal_lines_are_a_copy(length: int) -> None:
    (copy,) = copies(files(["one();", *BODY[:length]], ["other();", *BODY[:length], "end();"]))
    assert str(copy) == f"file0.cpp:2 = file1.cpp:2 ({length} lines)"


def test_eight_equal_lines_are_not() -> None:
    assert not copies(files(BODY[:8], BODY[:8]))


def test_a_file_can_repeat_itself() -> None:
    (copy,) = copies(files([*BODY, "between();", *BODY]))
    assert (copy.first.number, copy.second.number, copy.length) == (1, 14, 12)


def test_comments_white_space_and_bare_punctuation_do_not_count() -> None:
    spaced = [line for body in BODY for line in (f"    {body}  // why {body}", "", "}")]
    assert copies(files(BODY, spaced))
    commented = [f"// {line}" for line in BODY]
    assert not copies(files(commented, commented))


def test_text_in_quotes_is_no_comment() -> None:
    quoted = [f'print("https://{n}");' for n in range(9)]
    assert copies(files(quoted, quoted))
    assert not copies(files(quoted, [line.replace("https", "http") for line in quoted]))


def test_docstrings_and_imports_of_python_do_not_count() -> None:
    imports = [f"import module_{n}" for n in range(9)]
    docstring = ['"""Said', *(f"line {n}" for n in range(9)), '"""']
    assert not copies(files(docstring, docstring, suffix=".py"))
    assert not copies(files(imports, imports, suffix=".py"))
    code = [f"value_{n} = {n}" for n in range(9)]
    assert copies(files(code, code, suffix=".py"))


def test_parameters_do_not_count_but_bodies_do() -> None:
    header = ["def answer(", *(f"    value_{n}: int," for n in range(9)), ") -> int:"]
    assert not copies(files([*header, "    return 1"], [*header, "    return 2"], suffix=".py"))
    body = [f"    call_{n}()" for n in range(9)]
    assert copies(files([*header, *body], [*header, *body], suffix=".py"))
