"""Boards are written letter by letter: natively as in Python, and what has no words is refused."""

from __future__ import annotations

import random
from functools import partial

import pytest

from spielleiter.protocol import spelling
from spielleiter.protocol.spelling import Places, spelt

LETTERS = "ab./"


def places(lot: random.Random) -> Places:
    """A few places, each with words for some letters; words may be empty or long."""
    return [
        {each: each * lot.choice([0, 1, 60]) + "é" for each in LETTERS if lot.random() < 0.9}
        for _ in range(lot.randint(1, 5))
    ]


@pytest.mark.native
def test_native_code_writes_what_python_writes() -> None:
    lot, refused = random.Random(1), 0
    for _ in range(300):
        table = places(lot)
        text = "".join(lot.choices(LETTERS, k=lot.randint(0, 12)))
        natively, slowly = spelling.spelling(table), partial(spelt, table)
        try:
            expected = slowly(text)
        except KeyError as unknown:
            refused += 1
            with pytest.raises(KeyError, match=repr(unknown.args[0])):
                natively(text)
        else:
            assert natively(text) == expected
    assert 50 < refused < 250


def test_without_native_code_the_same_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "_NATIVE", None)
    write = spelling.spelling([{"a": "<a/>", ".": ""}, {"a": "<b/>", ".": ""}])
    assert write("aa.a") == "<a/><b/><b/>"


@pytest.mark.native
@pytest.mark.parametrize("wrong", [[{"ab": "x"}], [{"é": "x"}], []])
def test_only_letters_of_ascii_at_some_place_can_be_written(wrong: Places) -> None:
    with pytest.raises((ValueError, TypeError)):
        spelling.spelling(wrong)
    with pytest.raises(KeyError):
        spelling.spelling([{"a": "x"}])("é")
