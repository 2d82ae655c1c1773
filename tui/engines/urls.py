"""The address of an engine as people write it, made one root below which every path is built."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from tui.engines import gateways

# llama.cpp and MLX-LM, Ollama, vLLM and its kin, LM Studio and mistral.rs, SGLang, vLLM's second choice,
# KoboldCpp, exo, Lemonade, Jan, LMDeploy, TGI.
LOCAL_PORTS = (8080, 11434, 8000, 1234, 30000, 8001, 5001, 52415, 13305, 1337, 23333, 3000)

# What a server listens on to be reached from everywhere is no address to go to.
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_BROKEN = re.compile(r"(?i)https?(?::/|:?//|;//|:\\)(?!/)")  # a host of that name is never meant
_ENDINGS = re.compile(
    r"(/chat/completions|/completions?|/models|/messages|/responses|/api/(chat|generate|tags|version)"
    r"|/props|/health|/slots)$"
)
_KEY = re.compile(r"(?i)(?:^|[&;])[^=&]*(?:key|token|secret|auth|passw)[^=&]*=")
_VERSION = re.compile(r"/v[13]$")  # OpenVINO Model Server has its routes under /v3


class BadUrl(ValueError):
    """The address can't be used; the message says why in one plain line, without secrets."""


@dataclass(frozen=True, slots=True)
class Base:
    """The root of an engine without a trailing slash or `/v1`, and headers that its address asked for."""

    root: str
    headers: tuple[tuple[str, str], ...] = ()

    def url(self, path: str) -> str:
        """The full URL of a path such as `/v1/chat/completions`."""
        return self.root + path


def normalised(url: str) -> Base:
    """The base of an address: root, root with `/`, `/v1`, `/v1/` or a full path all give the same.

    A name and password in it become an Authorization header. Raises BadUrl.
    """
    words = url.strip()
    if not words or any(c.isspace() or not c.isprintable() for c in words):
        raise BadUrl("The URL is empty or holds blanks; write it like http://127.0.0.1:8080.")
    if not _SCHEME.match(words) and _BROKEN.match(words):
        raise BadUrl("The URL does not begin with http:// or https://; write it like http://127.0.0.1:8080.")
    if not _SCHEME.match(words):
        words = "http://" + words
    try:
        parts = urlsplit(words)
        port = parts.port
    except ValueError:
        raise BadUrl("The URL's host or port is wrong; write it like http://127.0.0.1:8080.") from None
    if parts.scheme.lower() not in ("http", "https"):
        raise BadUrl(f"The URL begins with {parts.scheme}://; only http:// and https:// can be used.")
    if not parts.hostname:
        raise BadUrl("The URL names no host; write it like http://127.0.0.1:8080.")
    if _KEY.search(parts.query):
        raise BadUrl("The URL holds a key; give only the server's address, and the key by --api-key-env VAR.")
    if parts.query or parts.fragment:
        raise BadUrl("The URL has a part after ? or #; give only the server's address.")
    host = _in_ascii(parts.hostname)
    host = _ANY_ADDRESS.get(host, host)
    if gateways.service(host) and port is None:  # its address is known, and a key never travels in the clear
        return Base(f"https://{host}{gateways.prefix(host)}", _credentials(parts.netloc))
    host = f"[{host}]" if ":" in host else host
    where = host if port is None else f"{host}:{port}"
    return Base(f"{parts.scheme.lower()}://{where}{_prefix(parts.path)}", _credentials(parts.netloc))


def _in_ascii(host: str) -> str:
    """The name that is really looked up: letters that look like others are seen, and none passes for them."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise BadUrl("The URL's host or port is wrong; write it like http://127.0.0.1:8080.") from None


def local_bases() -> list[Base]:
    """Where engines listen on this machine unless told otherwise."""
    return [Base(f"http://127.0.0.1:{port}") for port in LOCAL_PORTS]


def _prefix(path: str) -> str:
    """What of the path lies before the engine's own paths, such as a proxy's prefix."""
    path = re.sub(r"/{2,}", "/", path).rstrip("/")
    path = _ENDINGS.sub("", path)
    while _VERSION.search(path):
        path = _VERSION.sub("", path)
    return path.rstrip("/")


def _credentials(netloc: str) -> tuple[tuple[str, str], ...]:
    userinfo, found, _ = netloc.rpartition("@")
    if not found:
        return ()
    name, _, password = userinfo.partition(":")
    pair = f"{unquote(name)}:{unquote(password)}".encode()
    return (("Authorization", "Basic " + base64.b64encode(pair).decode("ascii")),)
