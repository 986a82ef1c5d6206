"""Supervised copies of a Python process, without an interpreter in the supervisor."""

_Bounds = tuple[int, int, int, int, int, int]
"""Memory, processor seconds, processes, disk, output, and bytes of the output that are kept."""

def serve(server: int, filter_: bytes, /) -> tuple[bytes, tuple[int, int, int], bool]:
    """Fork players at the level `limits`, each with its supervisor, for requests on a socket.

    Returns in every player, with what it is to know and True; and in the server for every other
    request, with its descriptors and False. An empty request: the other side is gone.
    """

def fork_into(namespaces: int, /) -> int:
    """As `os.fork`, but the child is the first process of new namespaces of these kinds."""

def watch(control: int, has_namespace: bool, bounds: _Bounds, /) -> None:
    """Fork a program and supervise it until it has ended; returns in the program only."""
