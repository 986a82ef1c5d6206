"""People, bots and files: what is kept, and what may play."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.bots import MOST_WAITING, NoSuchBot
from spielleiter.accounts.files import BotFiles, TooLarge, file_hash
from spielleiter.accounts.names import NameTaken, checked_name
from spielleiter.accounts.notices import KEPT, TeamNotice, messages, team_named, version_named
from spielleiter.errors import UsageError
from tests.people import accounts_in, add_released, add_team, add_version

EDITION, OTHER = games.names()[:2]


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[ArenaAccounts]:
    with accounts_in(tmp_path) as opened:
        yield opened


def test_the_database_is_for_its_owner_only(accounts: ArenaAccounts, tmp_path: Path) -> None:
    mode = (tmp_path / "accounts.db").stat().st_mode
    assert os.name != "posix" or stat.S_IMODE(mode) == 0o600


def test_accounts_are_there_when_they_are_opened_again(tmp_path: Path) -> None:
    with accounts_in(tmp_path) as first:
        made = add_released(first, add_team(first, "Rays"), "Manta", edition=EDITION)
    with accounts_in(tmp_path) as second:
        assert second.bots.version(made.id) == made


# ------------------------------------------------------------------------------------------- bots


def test_only_released_versions_may_play_and_the_newest_plays_for_its_bot(
    accounts: ArenaAccounts,
) -> None:
    team = add_team(accounts, "Rays")
    first = add_released(accounts, team, "Manta", edition=EDITION)
    second = add_released(accounts, team, "Manta", edition=EDITION, content=b"print('new')")
    add_version(accounts, team, "Manta", edition=EDITION, content=b"print('unchecked')")
    found = accounts.bots.released_versions(EDITION)
    assert [(each.id, each.active) for each in found] == [(first.id, False), (second.id, True)]
    assert [each.title for each in found] == ["Manta v1", "Manta v2"]
    assert accounts.bots.released_versions(OTHER) == []


def test_a_team_may_choose_an_older_version_but_none_that_may_not_play(
    accounts: ArenaAccounts,
) -> None:
    team = add_team(accounts, "Rays")
    first = add_released(accounts, team, "Manta", edition=EDITION)
    second = add_released(accounts, team, "Manta", edition=EDITION)
    accounts.bots.activate(first.id)
    assert accounts.bots.version(first.id).active
    accounts.bots.park(second.id, "it failed five times in a row")
    with pytest.raises(UsageError, match="parked"):
        accounts.bots.activate(second.id)


def test_a_parked_version_does_not_play_until_it_is_let_again(accounts: ArenaAccounts) -> None:
    made = add_released(accounts, add_team(accounts, "Rays"), "Manta", edition=EDITION)
    accounts.bots.park(made.id, "it failed five times in a row")
    parked = accounts.bots.version(made.id)
    assert (parked.state, parked.reason) == ("parked", "it failed five times in a row")
    assert accounts.bots.released_versions(EDITION) == []
    accounts.bots.unpark(made.id)
    assert accounts.bots.released_versions(EDITION) == [made]


def test_a_rejected_version_cannot_be_parked_into_play(accounts: ArenaAccounts) -> None:
    made = add_version(accounts, add_team(accounts, "Rays"), "Manta", edition=EDITION)
    accounts.bots.reject(made.id, "it plays another game", "[]")
    accounts.bots.park(made.id, "x")
    accounts.bots.unpark(made.id)
    assert accounts.bots.version(made.id).state == "rejected"


def test_versions_wait_by_turns_of_their_teams(accounts: ArenaAccounts) -> None:
    busy, quiet = add_team(accounts, "Busy"), add_team(accounts, "Quiet")
    for _ in range(3):
        add_version(accounts, busy, "Much", edition=EDITION)
    add_version(accounts, quiet, "Little", edition=EDITION)
    order = [each.name for each in accounts.bots.waiting()]
    assert order == ["Much", "Little", "Much", "Much"]


def test_a_team_cannot_fill_the_queue(accounts: ArenaAccounts) -> None:
    team = add_team(accounts, "Busy")
    for _ in range(MOST_WAITING):
        add_version(accounts, team, "Much", edition=EDITION)
    with pytest.raises(UsageError, match="wait for their check"):
        add_version(accounts, team, "Much", edition=EDITION)


def test_two_bots_of_a_game_do_not_share_a_name(accounts: ArenaAccounts) -> None:
    one, other = add_team(accounts, "One"), add_team(accounts, "Other")
    accounts.bots.add(one, EDITION, "Manta")
    with pytest.raises(NameTaken):
        accounts.bots.add(other, EDITION, "MANTA")
    accounts.bots.add(other, OTHER, "Manta")


def test_an_unknown_version_has_a_name_for_its_absence(accounts: ArenaAccounts) -> None:
    with pytest.raises(NoSuchBot):
        accounts.bots.version("0123")


# ------------------------------------------------------------------------------------------ files


def test_equal_files_are_kept_once_and_read_only(tmp_path: Path) -> None:
    files = BotFiles(tmp_path)
    first, second = (files.receive([b"pri", b"nt()"], "bot.py") for _ in range(2))
    path = files.path(first.hash, first.suffix)
    assert first == second
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]
    assert path.read_bytes() == b"print()"
    assert file_hash(path) == first.hash
    assert not path.stat().st_mode & 0o222


def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    files = BotFiles(tmp_path, largest=10)
    with pytest.raises(TooLarge):
        files.receive([b"12345678", b"90", b"1"], "bot.zip")
    assert list(tmp_path.iterdir()) == []


def test_an_upload_is_found_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = BotFiles(Path("arena-data"))
    kept = files.receive([b"x"], "bot.py")
    monkeypatch.chdir(tmp_path.parent)
    assert files.path(kept.hash, kept.suffix).read_bytes() == b"x"


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        BotFiles(tmp_path).receive([], "bot.py")


@pytest.mark.parametrize("name", ["bot.txt", "bot.pdf", "bot.tar.gz"])
def test_files_that_nobody_can_start_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="executable"):
        BotFiles(tmp_path).receive([b"x"], name)


# ---------------------------------------------------------------------------------- names, notices


@pytest.mark.parametrize(
    "name",
    ["", "x", "a" * 41, "a\u202eb", "a\nb\x00", "Organiser", "\u200bab", "R\u0430ys", "\u0391dmin"],
)
def test_misleading_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        checked_name(name)


@pytest.mark.parametrize("name", ["π-raten", "Ναυτίλος", "Осьминог", "Zoë 🦈", "ΔX Team"])
def test_other_alphabets_are_welcome(name: str) -> None:
    assert checked_name(name) == name


def test_a_name_is_shown_without_superfluous_spaces() -> None:
    assert checked_name("  Die  Füchse ") == "Die Füchse"


def test_a_team_reads_its_own_notices_newest_first_and_the_oldest_go(
    accounts: ArenaAccounts,
) -> None:
    team, other = add_team(accounts, "Rays"), add_team(accounts, "Other")
    heard = []
    accounts.notices.listen(lambda told: heard.append(told.notice.text))
    for number in range(KEPT + 5):
        accounts.notices.tell(team, TeamNotice("parked", str(number)))
    told = accounts.notices.of_team(team, 1_000)
    assert [each.notice.text for each in told] == [str(n) for n in range(KEPT + 4, 4, -1)]
    assert accounts.notices.of_team(other) == []
    assert len(heard) == KEPT + 5


def test_a_notice_shows_the_names_of_today_and_none_of_who_is_gone(accounts: ArenaAccounts) -> None:
    told, other = add_team(accounts, "Rays"), add_team(accounts, "Eels")
    version = add_released(accounts, told, "Manta", edition=EDITION)
    text = messages("accepted", team=team_named(other, "Eels"), game="Nim")
    accounts.notices.tell(told, TeamNotice("friendly", text))
    named = version_named(version.id, version.title)
    accounts.notices.tell(told, TeamNotice("parked", messages("parked", version=named, reason="x")))
    accounts.teams.rename(other, "Morays")
    assert said_to(accounts, told) == [
        "Manta v1 is parked: x",
        "Morays has accepted your challenge: Nim",
    ]
    accounts.privacy.erase_team(other)
    accounts.privacy.erase_bot(version.bot)
    assert said_to(accounts, told) == [
        "(erased) is parked: x",
        "(erased) has accepted your challenge: Nim",
    ]


def test_a_name_goes_from_notices_that_hold_it_as_words(accounts: ArenaAccounts) -> None:
    """As notices did before 18 November 2026."""
    told, other = add_team(accounts, "Rays"), add_team(accounts, 'E"els 100%')
    text = messages("accepted", team='E"els 100%', game="Nim")
    accounts.notices.tell(told, TeamNotice("friendly", text))
    accounts.notices.tell(told, TeamNotice("friendly", messages("season.withdrawn")))
    assert said_to(accounts, told)[1].startswith('E"els 100% has accepted')
    accounts.privacy.erase_team(other)
    assert said_to(accounts, told) == [
        "your team has withdrawn",
        "(erased) has accepted your challenge: Nim",
    ]


def said_to(accounts: ArenaAccounts, team: str) -> list[str]:
    return [str(each.notice.text) for each in accounts.notices.of_team(team)]
