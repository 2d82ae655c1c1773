"""Asks the kernel to let this process run soon after it wakes, where it can be asked."""

from __future__ import annotations

import contextlib
import ctypes
import platform
import struct
import sys

# sched_setattr(2); the slice is heeded since Linux 6.12 and needs no privilege
_CALLS = {"x86_64": 314, "aarch64": 274}
_ATTRIBUTES = struct.Struct("<IIQiIQQQ")  # size, policy, flags, nice, priority, runtime, deadline, period
_SLICE_NS = 100_000


def short() -> None:
    """A short time slice: a reader that wakes for one token need not wait out another program's slice.

    Two tokens whose reads wait melt into one, and then only the later one has a stamp. For this thread and
    those it starts. Silent where it is not possible.
    """
    number = _CALLS.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return
    wish = _ATTRIBUTES.pack(_ATTRIBUTES.size, 0, 0, 0, 0, _SLICE_NS, 0, 0)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).syscall(number, 0, wish, 0)
