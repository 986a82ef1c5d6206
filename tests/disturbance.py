"""What another thread does while this one is at work in native code, in a certain order."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def disturbed_by(deed: Callable[[], object]) -> Iterator[None]:
    """Another thread does something as soon as this one works without the interpreter.

    Nobody is asked to give the interpreter up: the other thread has it until it waits for us, and
    then we have it until native code lets it go.
    """
    go, interval = threading.Event(), sys.getswitchinterval()
    thread = threading.Thread(target=lambda: (go.wait(), deed()))
    sys.setswitchinterval(600)
    try:
        thread.start()
        go.set()
        yield
    finally:
        sys.setswitchinterval(interval)
        thread.join()


def press_control_c() -> None:
    """In the midst of what the main thread does, and not at its very beginning."""
    time.sleep(0.05)
    _thread.interrupt_main()
