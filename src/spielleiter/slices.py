"""How long a process runs until others get the processor, where the system lets us choose.

Linux has shared the processors by virtual deadlines since 6.6, and since 6.12 a thread may ask for
shorter or longer slices. It gets no more time than others, but sooner or later.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

USUAL = 0
"""What the system gives to everybody."""
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""The number of the system call on 64-bit processors."""
_ATTRIBUTES = "IIQiIQQQ"
"""Of `struct sched_attr`: size, policy, flags, nice, priority, runtime, deadline, period."""


def set_slice(nanoseconds: int, process: int = 0, *, is_batch: bool = False) -> bool:
    """Set the slices of a process, or of this thread; False: the system does not offer it.

    A batch process does not preempt others when it wakes up. Its share stays the same.
    """
    if sys.platform != "linux" or (number := _SCHED_SETATTR.get(platform.machine())) is None:
        return False
    policy = os.SCHED_BATCH if is_batch else os.SCHED_OTHER
    niceness = os.getpriority(os.PRIO_PROCESS, process)
    size = struct.calcsize(_ATTRIBUTES)
    wanted = struct.pack(_ATTRIBUTES, size, policy, 0, niceness, 0, nanoseconds, 0, 0)
    refused: int = ctypes.CDLL(None).syscall(number, process, wanted, 0)
    return not refused
