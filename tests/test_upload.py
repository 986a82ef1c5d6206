"""From the desk: `spielleiter login` and `spielleiter upload` against a real arena."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spielleiter import games
from spielleiter.accounts.quarantine import CheckUpload
from spielleiter.cli import cli
from spielleiter.client.arena_client import ArenaClient, SavedLogins, root_of
from spielleiter.errors import UsageError
from tests.arenas import Visitor, arena

EDITION = games.names()[0]
PASSWORD = "correct horse"
ANSWER = {"ready": True, "findings": []}
PROBLEM = {"kind": "problem", "about": "game", "text": "it fell asleep", "advice": "wake it"}


def check(file: Path, edition: str) -> str:
    """Everything passes but what says that it does not."""
    if b"broken" in file.read_bytes():
        return json.dumps({"ready": False, "findings": [PROBLEM]})
    return json.dumps(ANSWER)


checker: CheckUpload = check


@pytest.fixture
def visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "config"))
    with arena(tmp_path / "data", check_upload=checker) as opened:
        order = {"name": "Ada", "password": PASSWORD}
        opened.csrf = opened.post("/api/members", order).json()["csrf"]
        assert opened.post("/api/teams", {"name": "Rays"}).status_code == 201
        yield opened


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(cli, words, input=typed)


def address(visitor: Visitor) -> str:
    return f"http://127.0.0.1:{visitor.opened.port}"


def test_a_bot_is_uploaded_from_the_desk(visitor: Visitor, tmp_path: Path) -> None:
    said = run("login", address(visitor), "--name", "Ada", typed=f"{PASSWORD}\n")
    assert (said.exit_code, "as Ada (Rays)" in said.output) == (0, True), said.output
    kept = tmp_path / "config" / "spielleiter" / "logins.json"
    assert PASSWORD not in kept.read_text()
    assert os.name != "posix" or stat.S_IMODE(kept.stat().st_mode) == 0o600
    bot = tmp_path / "manta.py"
    bot.write_text("print('a bot')")
    first = run("upload", str(bot), "--game", EDITION)
    assert (first.exit_code, first.output.splitlines()[-1]) == (0, "version 1 is released")
    bot.write_text("broken")
    second = run("upload", str(bot))
    assert second.exit_code == 1
    assert "it fell asleep" in second.output
    assert "wake it" in second.output
    assert "version 2 is rejected" in second.output


def test_a_ci_uploads_with_a_token_from_its_environment(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = {"label": "repository", "scopes": ["upload"], "days": 30}
    monkeypatch.setenv("SPIELLEITER_TOKEN", visitor.post("/api/me/tokens", order).json()["secret"])
    monkeypatch.setenv("SPIELLEITER_URL", address(visitor))
    bot = tmp_path / "manta.py"
    bot.write_text("print('a bot')")
    said = run("upload", str(bot), "--game", EDITION, "--json")
    assert (said.exit_code, json.loads(said.stdout)["state"]) == (0, "released"), said.output


def test_a_wrong_password_and_a_missing_login_say_what_to_do(
    visitor: Visitor, tmp_path: Path
) -> None:
    said = run("login", address(visitor), "--name", "Ada", typed="wrong one\n")
    assert said.exit_code != 0
    assert "name or password is wrong" in str(said.exception or said.output)
    bot = tmp_path / "manta.py"
    bot.write_text("print('a bot')")
    missing = run("upload", str(bot))
    assert "spielleiter login" in str(missing.exception or missing.output)


def test_a_new_bot_needs_a_game(visitor: Visitor, tmp_path: Path) -> None:
    run("login", address(visitor), "--name", "Ada", typed=f"{PASSWORD}\n")
    bot = tmp_path / "manta.py"
    bot.write_text("print('a bot')")
    said = run("upload", str(bot))
    assert "--game" in str(said.exception or said.output)


def test_a_login_can_be_forgotten(tmp_path: Path) -> None:
    saved = SavedLogins(tmp_path / "logins.json")
    saved.save("https://one.example", "a")
    saved.save("https://two.example", "b")
    assert saved.find(None, {}) == ("https://two.example", "b")
    assert saved.forget("https://two.example")
    assert saved.find(None, {}) == ("https://one.example", "a")
    assert not saved.forget("https://two.example")


@pytest.mark.parametrize("url", ["ftp://arena.example", "", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        root_of(url)


def test_an_arena_that_does_not_answer_is_named() -> None:
    with pytest.raises(UsageError, match="does not answer"):
        ArenaClient("http://127.0.0.1:9").ask("GET", "/api/me")
