"""Supervised copies of a Python process, without an interpreter in the supervisor."""

_Bounds = tuple[int, int, int, int, int, int]
"""Memory, processor seconds, processes, disk, output, and bytes of the output that are kept."""

def start(
    control: int, log: int, line: int, name: str, folder: str, filter_: bytes, bounds: _Bounds, /
) -> int:
    """Fork a confined player with its supervisor; returns the supervisor, and 0 in the player."""

def watch(control: int, has_namespace: bool, bounds: _Bounds, /) -> None:
    """Fork a program and supervise it until it has ended; returns in the program only."""
