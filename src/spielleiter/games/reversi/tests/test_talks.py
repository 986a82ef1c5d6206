"""All recorded scenarios of the course's server, against ours: same messages, log, result, output.

A scenario is either equal or listed with its reason in docs/contributor/conformance.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from spielleiter.cli import cli
from spielleiter.games.reversi.tests import talks

CONFORMANCE = Path(__file__).parents[5] / "docs" / "contributor" / "conformance.md"
_CUT = "[... cut ...]\n"


def differing_on_purpose() -> set[str]:
    """The scenarios listed in the section of this game."""
    section = CONFORMANCE.read_text("utf-8").partition("\n## Reversi\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^- `(\w+)`", section, re.M))


SAME = [name for name in talks.names() if name not in differing_on_purpose()]
PLAYED = [name for name in SAME if talks.read(name).clients]
NOT_PLAYED = [name for name in SAME if not talks.read(name).clients]


def test_all_recorded_scenarios_are_here() -> None:
    assert len(talks.names()) == 62
    assert differing_on_purpose() <= set(talks.names())
    assert len(PLAYED) + len(NOT_PLAYED) + len(differing_on_purpose()) == 62


@pytest.mark.parametrize("name", PLAYED)
def test_our_server_says_what_the_real_one_said(name: str, tmp_path: Path) -> None:
    talk = talks.read(name)
    replay = talks.Replay(talk, tmp_path)
    replay.run()
    for client, recorded in talk.clients.items():
        _is_equal(replay, client, recorded)
    assert replay.log == _with_port(talk.log, replay.log)
    assert replay.result == ("" if "not written" in talk.result else talk.result)
    _is_same_output(replay.output.getvalue(), talk)


def _is_equal(replay: talks.Replay, name: str, recorded: talks.Client) -> None:
    if not recorded.connected:
        assert name in replay.refused
        return
    heard = replay.heard[name]
    assert heard.ended
    if recorded.reset:  # what was said last was lost with the reset; ours arrives
        assert heard.data in (recorded.before, recorded.before + _out(name))
    elif replay.talk.cut and not recorded.whole:
        assert heard.data.startswith(recorded.before)
        assert heard.data.endswith(recorded.after)
    else:
        assert heard.data == recorded.before


def _out(name: str) -> bytes:
    return b"\7\0\0\0\1" + bytes([int(name[1:])])


def _with_port(recorded: str, ours: str) -> str:
    port = re.search("listening on port ([0-9]+)", ours)
    return re.sub("listening on port [0-9]+", port[0] if port else "", recorded)


def _is_same_output(ours: str, talk: talks.Talk) -> None:
    """Equal between the cuts, but for times of day, the port and what the command itself says."""
    recorded = talk.output[talk.output.index("Opening port") :].removesuffix("bye bye.\n")
    ours, recorded = _timeless(ours), _timeless(recorded)
    if _CUT not in recorded:
        assert ours == recorded
        return
    first, *inner, last = recorded.split(_CUT)
    assert ours.startswith(first.removesuffix("\n"))
    assert ours.endswith(last)
    assert all(part.removesuffix("\n") in ours for part in inner)


def _timeless(text: str) -> str:
    text = re.sub(r"\[\d\d:\d\d:\d\d\]", "[time]", text)
    text = re.sub(r"after [0-9.]+ seconds", "after some seconds", text)
    return re.sub(r"Port number is \d+", "Port number is N", text)


@pytest.mark.parametrize("name", NOT_PLAYED)
def test_a_map_that_cannot_be_played_ends_the_server_as_it_did(name: str) -> None:
    talk = talks.read(name)
    path = talks.FACTS / "maps" / talk.board.name
    words = ["reversi-serve", "-m", str(path), "-t", "1", "-z", "3", "-p", "8478", "-C"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == talk.status
    ours = re.sub(r'file ".*?([^/\\"]+)"', r'file "\1"', result.output)
    for line in re.sub(r"baseport to \d+", "baseport to 8478", talk.output).splitlines():
        assert line in ours.splitlines()
