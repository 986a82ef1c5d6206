"""The referee's end of the line to a player."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator

import pytest

from spielleiter.programs.player_line import LONGEST, PlayerLine
from spielleiter.programs.remote_player import _accepted
from spielleiter.sandbox import Box, LaunchRequest, Level

_SOON = 60.0
"""More than any machine needs."""


@pytest.fixture
def ends() -> Iterator[tuple[PlayerLine, socket.socket]]:
    near, far = socket.socketpair()
    line = PlayerLine(near)
    with far:
        yield line, far
    line.close()


def test_lines_come_whole_however_they_are_cut(ends: tuple[PlayerLine, socket.socket]) -> None:
    line, far = ends
    late = time.monotonic() + _SOON
    far.sendall(b"one\ntw")
    assert line.receive(late) == b"one"
    far.sendall(b"o\n\n")
    assert [line.receive(late), line.receive(late)] == [b"two", b""]
    line.send(b"three\n", late)
    assert far.recv(64) == b"three\n"


def test_a_line_that_does_not_come_or_end_is_a_fault(
    ends: tuple[PlayerLine, socket.socket],
) -> None:
    line, far = ends
    with pytest.raises(TimeoutError):
        line.receive(time.monotonic())
    far.sendall(b"x" * 64)
    with pytest.raises(ValueError, match="without an end"):
        line.receive(time.monotonic() + _SOON, longest=9)
    far.close()
    with pytest.raises(OSError, match="closed"):
        line.receive(time.monotonic() + _SOON)


def test_who_never_reads_keeps_nobody_waiting(ends: tuple[PlayerLine, socket.socket]) -> None:
    line, far = ends
    with pytest.raises(TimeoutError):
        line.send(b"x" * (64 * LONGEST), time.monotonic())
    far.close()
    with pytest.raises(OSError, match="pipe"):
        line.send(b"x", time.monotonic() + _SOON)


def test_strangers_who_connect_first_do_not_keep_a_player_out() -> None:
    """Where players are not forked, any program can connect: silently, with lies, or to leave."""
    waiting = LaunchRequest([sys.executable, "-c", "input()"])
    with socket.create_server(("127.0.0.1", 0)) as listener, Box(Level.NONE).start(waiting) as ran:
        guests = [socket.create_connection(listener.getsockname()) for _ in range(5)]
        silent, liar, half, gone, player = guests
        liar.sendall(b"not it\n")
        half.sendall(b"sec")
        gone.close()
        player.sendall(b"secret\n")
        line = _accepted(listener, "secret", ran)
        line.send(b"welcome\n", time.monotonic() + _SOON)
        assert player.recv(64) == b"welcome\n"
        for each in (silent, liar, half, player):
            each.close()
        line.close()
