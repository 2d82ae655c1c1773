"""Whether the other end of a loopback connection has read what it was sent: asked of the Linux kernel."""

from __future__ import annotations

import socket
import struct
import sys

_SOCK_DIAG = 4
_BY_FAMILY = 20
_REQUEST = 1
_MESSAGE = struct.Struct("=IHHII")
_NO_COOKIE = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
_ANY_STATE = 0xFFFFFFFF
_QUEUE_AT = _MESSAGE.size + 4 + 48 + 4  # behind the states, the addresses and the timer


def unread(sock: socket.socket) -> int | None:
    """Bytes that lie unread at the other end of `sock`, 0 when that end is gone; None where none can tell.

    Both ends must be on this machine, over IPv4. Source: sock_diag(7), `inet_diag_msg.idiag_rqueue`.
    """
    if sys.platform != "linux":
        return None
    try:
        here, there = sock.getsockname(), sock.getpeername()
    except OSError:
        return 0
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as link:
            link.send(_question(there, here))
            answer = link.recv(4096)
    except OSError:
        return None
    if _MESSAGE.unpack_from(answer)[1] != _BY_FAMILY:
        return 0
    (queued,) = struct.unpack_from("=I", answer, _QUEUE_AT)
    return int(queued)


def _question(source: tuple[str, int], target: tuple[str, int]) -> bytes:
    addresses = b"".join(socket.inet_aton(host) + bytes(12) for host, _ in (source, target))
    told = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ANY_STATE)
    told += struct.pack(">HH", source[1], target[1]) + addresses + _NO_COOKIE
    return _MESSAGE.pack(_MESSAGE.size + len(told), _BY_FAMILY, _REQUEST, 1, 0) + told
