"""Whatever a person reads in the browser is there in every language."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.errors import UnknownName
from spielleiter.game import Game, mistake_text, reason_text
from spielleiter.text import (
    ENGLISH,
    Text,
    catalogue,
    from_stored,
    languages,
    listed,
    stored,
    translate,
)
from spielleiter.web.language import LANGUAGES, known_texts, messages, translator
from tests.conftest import facts, game_of
from tests.test_gestures import walks

PLIES = 120
PROGRAM = "spielleiter"
FOLDERS = sorted({games.load(name).folder for name in games.names()})


def untranslated(text: str, folder: str | None) -> Iterator[tuple[str, str]]:
    """The messages in a text that some language lacks; words that are no message count as well."""
    if not isinstance(text, Text):
        if re.search(r"[a-zA-Z]{3}", text):
            yield "any language", text
        return
    for language in LANGUAGES:
        if text.id not in known_texts(folder, language):
            yield language, text.id
    for value in text.values.values():
        if isinstance(value, str):
            yield from untranslated(value, folder)


def assert_translated(game: Game, texts: list[str]) -> None:
    for text in texts:
        if text:
            assert list(untranslated(text, game.folder)) == [], text


def test_everything_in_a_scene_is_translated(game: Game) -> None:
    for position, last in walks(game, PLIES):
        scene = game.scene(position, last)
        texts = [scene.title, *scene.status, *(token.label for token in scene.tokens)]
        for tray in scene.trays:
            texts += [tray.title, *(token.label for token in tray.tokens)]
        assert_translated(game, texts)


def test_the_last_scene_and_the_rule_that_decided_are_translated(game: Game) -> None:
    for seed in range(20):
        position, last = game.start(seed), None
        while moves := position.legal_moves():
            last = moves[(seed * 7919 + position.ply * 104729) % len(moves)]
            position.play(last)
        outcome = position.outcome()
        assert outcome is not None
        assert_translated(game, [reason_text(outcome.reason), *game.scene(position, last).status])


def test_mistakes_seats_titles_options_and_buttons_are_translated(game: Game) -> None:
    texts = [game.title, *game.seat_names, *map(mistake_text, game.native.Mistake)]
    for option in game.options:
        texts += [option.help, option.label]
    texts += [each.label for each in game.part("gestures").gestures(game.start())]
    assert_translated(game, texts)


def test_every_reason_for_an_end_that_the_facts_know_is_translated() -> None:
    """Some ends are never reached by chance."""
    ends = [fact for fact in facts("positions.toml") if "outcome" in fact]
    assert ends
    for fact in ends:
        assert_translated(game_of(fact), [reason_text(fact["outcome"]["reason"])])


def test_english_says_what_the_core_says(game: Game) -> None:
    said = translator(game, ENGLISH)
    for mistake in game.native.Mistake:
        assert said(mistake_text(mistake)) == mistake.explanation


@pytest.mark.parametrize("package", [PROGRAM, *FOLDERS])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_messages_with_the_same_arguments(
    package: str, language: str
) -> None:
    def places(text: str) -> list[str]:
        return sorted(set(re.findall(r"\{(\w+)\}", text)))

    english, other = catalogue(package, ENGLISH), catalogue(package, language)
    assert sorted(other) == sorted(english)
    for id_, text in english.items():
        assert other[id_].strip()
        assert places(other[id_]) == places(text), id_


def test_the_languages_of_the_pages_are_the_files_of_the_web() -> None:
    assert languages(PROGRAM) == LANGUAGES
    assert {"de", "en"} <= set(LANGUAGES)


def test_a_text_is_english_until_it_is_translated() -> None:
    text = messages("wins", name="Ada")
    assert text == "Ada wins"
    assert translator(None, "de")(text) == "Ada gewinnt"
    assert translator(None, ENGLISH)(text) == "Ada wins"


def test_arguments_are_translated_too() -> None:
    who = messages("and", first="Ada", second="Bob")
    assert translator(None, "de")(messages("win", names=who)) == "Ada und Bob gewinnen"


def test_names_and_messages_that_a_language_lacks_stay_as_they_are() -> None:
    said = translator(None, "de")
    assert said("cancelled") == "cancelled"
    assert said(Text("nobody.knows.this", "as it was")) == "as it was"
    assert translate(messages("cancelled"), {}) == "cancelled"


def test_a_message_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownName, match="cancelled"):
        messages("canceled")


def test_a_list_is_joined_as_the_part_says() -> None:
    texts = [messages("draw"), messages("cancelled"), messages("person")]
    assert listed(messages, texts) == "a draw, cancelled, person"
    assert translator(None, "de")(listed(messages, texts[:2])) == "unentschieden, abgebrochen"


def test_a_text_survives_a_way_between_processes() -> None:
    text = pickle.loads(pickle.dumps(messages("wins", name="Ada")))
    assert (text, text.id, text.values) == ("Ada wins", "web.wins", {"name": "Ada"})


def test_a_text_is_kept_with_the_texts_in_it_and_said_in_any_language_later() -> None:
    who = messages("and", first="Ada", second="\x1eBob")
    found = from_stored(stored(messages("win", names=who)))
    assert found == "Ada and \x1eBob win"
    assert translator(None, "de")(found) == "Ada und \x1eBob gewinnen"


@pytest.mark.parametrize("words", ["", "Ada", "\x1e", "\x1e[", "\x1e[1]", "\x1e7"])
def test_words_that_are_no_message_are_kept_as_they_are(words: str) -> None:
    assert from_stored(stored(words)) == words.lstrip("\x1e")
    assert from_stored(words) == words


def test_a_game_and_the_web_may_use_the_same_id(game: Game) -> None:
    """`wins` is a message of both: each means its own."""
    assert translator(game, "de")(messages("wins", name="Ada")) == "Ada gewinnt"


def test_only_files_of_texts_know_which_languages_there_are() -> None:
    """A new language is a file beside each `de`: nothing else has to be touched."""
    root = Path(__file__).parents[1]
    sources = [*(root / "src").rglob("*.py"), *(root / "viewer" / "src").rglob("*")]
    for path in sources:
        if path.suffix in {".py", ".ts", ".svelte"} and "texts" not in path.parts:
            if "tests" in path.parts or path.name == "schema.d.ts":
                continue
            assert not re.search(r"""["']de["']""", path.read_text("utf-8")), path
