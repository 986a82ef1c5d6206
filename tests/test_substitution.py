"""Characters are replaced natively as in Python; one without a replacement is refused."""

from __future__ import annotations

import random
from functools import partial

import pytest

from spielleiter.protocol import substitution
from spielleiter.protocol.substitution import Places, substituted

LETTERS = "ab./"


def places(lot: random.Random) -> Places:
    """A few places, each with replacements of some letters, empty ones and long ones."""
    return [
        {each: each * lot.choice([0, 1, 60]) + "é" for each in LETTERS if lot.random() < 0.9}
        for _ in range(lot.randint(1, 5))
    ]


@pytest.mark.native
def test_native_code_replaces_as_python_does() -> None:
    lot, refused = random.Random(1), 0
    for _ in range(300):
        table = places(lot)
        text = "".join(lot.choices(LETTERS, k=lot.randint(0, 12)))
        natively, slowly = substitution.substitution(table), partial(substituted, table)
        try:
            expected = slowly(text)
        except KeyError as unknown:
            refused += 1
            with pytest.raises(KeyError, match=repr(unknown.args[0])):
                natively(text)
        else:
            assert natively(text) == expected
    assert 50 < refused < 250


def test_without_native_code_the_same_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(substitution, "_NATIVE", None)
    write = substitution.substitution([{"a": "<a/>", ".": ""}, {"a": "<b/>", ".": ""}])
    assert write("aa.a") == "<a/><b/><b/>"


@pytest.mark.native
@pytest.mark.parametrize("wrong", [[{"ab": "x"}], [{"é": "x"}], []])
def test_only_single_characters_of_ascii_can_be_replaced(wrong: Places) -> None:
    with pytest.raises((ValueError, TypeError)):
        substitution.substitution(wrong)
    with pytest.raises(KeyError, match="é"):
        substitution.substitution([{"a": "x"}])("é")
