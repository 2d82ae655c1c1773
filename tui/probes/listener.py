"""Who listens on a port of this machine, from /proc/net/tcp; and programs that only pass requests on."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LISTEN = "0A"
# Programs that answer for a server that works in another place. Kernel names are cut at 15 characters. The
# first ones lead into a container of this machine.
ON_THIS_MACHINE = frozenset({"docker-proxy", "rootlesskit", "rootlessport", "slirp4netns", "pasta"})
FORWARDERS = ON_THIS_MACHINE | {"com.docker.backend", "wslrelay", "wslrelay.exe", "ssh", "sshd", "kubectl"}
FORWARDERS |= {"socat", "nginx", "caddy", "traefik", "haproxy", "litellm"}


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that waits for connections."""

    address: Address
    uid: int
    inode: int


def listeners(table: str, port: int) -> Iterator[Listener]:
    """The listeners on `port` in the text of /proc/net/tcp or /proc/net/tcp6.

    Addresses there are 32-bit words in the byte order of the host.
    """
    for line in table.splitlines()[1:]:
        words = line.split()
        if len(words) < 10 or words[3] != _LISTEN:
            continue
        address, _, number = words[1].partition(":")
        if int(number, 16) == port:
            yield Listener(_address(address), int(words[7]), int(words[9]))


def _address(text: str) -> Address:
    raw = bytes.fromhex(text)
    if sys.byteorder == "little":
        raw = b"".join(raw[i : i + 4][::-1] for i in range(0, len(raw), 4))
    address = ipaddress.ip_address(raw)
    return getattr(address, "ipv4_mapped", None) or address


def serving(target: Address, found: list[Listener]) -> Listener | None:
    """The listener that gets a connection to `target`: the one on that address, else one on all addresses."""
    exact = [one for one in found if one.address == target]
    every = [one for one in found if one.address.is_unspecified and one.address.version == target.version]
    any_6 = [
        one for one in found if one.address.is_unspecified and one.address.version == 6
    ]  # takes IPv4, too
    return next(iter(exact + every + any_6), None)


def forwarder(names: set[str]) -> str:
    """The forwarder among a process's names, "" when it is none."""
    cut = {name[:15]: name for name in FORWARDERS}
    return next((cut[name[:15]] for name in sorted(names) if name[:15] in cut), "")


def resolve(host: str, port: int) -> list[Address]:
    """The addresses of a host name. Asks the system's resolver, so it can take seconds. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def is_ours(address: Address) -> bool:
    """Whether an address belongs to this machine: only then a socket can be bound to it."""
    if address.is_loopback or address.is_unspecified:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
