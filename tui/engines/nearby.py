"""Where engines listen unless told otherwise, and where the environment says that one listens."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engines.urls import BadUrl, Base, local_bases, normalised

_OLLAMA_PORT, _LLAMA_PORT = 11434, 8080


def bases(told: tuple[Base, ...] = ()) -> tuple[Base, ...]:
    """The usual local addresses, then those that were `told`; each once."""
    return tuple({base.root: base for base in (*local_bases(), *told)}.values())


def told(environ: Mapping[str, str]) -> tuple[Base, ...]:
    """The addresses that the variables of engines name; what is no address is passed over."""
    found = (_ollama(environ.get("OLLAMA_HOST", "")), _llama(environ))
    return tuple(base for base in found if base is not None)


def _ollama(value: str) -> Base | None:
    """`OLLAMA_HOST`: a host, host:port, :port, or a whole URL.

    Only without a scheme does its port default to Ollama's own; `http://` means 80 and `https://` 443.
    """
    value = value.strip(" \t\"'")
    return _base(value if "://" in value else _with_port(value, _OLLAMA_PORT)) if value else None


def _llama(environ: Mapping[str, str]) -> Base | None:
    """`LLAMA_ARG_HOST` and `LLAMA_ARG_PORT` of llama.cpp's server; a host may be a local socket's file."""
    host, port = environ.get("LLAMA_ARG_HOST", "").strip(), environ.get("LLAMA_ARG_PORT", "").strip()
    if not (host or port) or host.endswith(".sock"):
        return None
    return _base(_with_port(host, port or _LLAMA_PORT))


def _with_port(value: str, port: int | str) -> str:
    """A host, with its port or without, as `host:port`; the rest of a path stays where it is."""
    where, slash, path = value.partition("/")
    host, colon, own = where.rpartition(":")
    if where.count(":") > 1 and not where.startswith("["):  # IPv6 as it is written without a port
        host, own = f"[{where}]", ""
    elif not colon or where.endswith("]"):
        host, own = where, ""
    return f"{host or '127.0.0.1'}:{own or port}{slash}{path}"


def _base(url: str) -> Base | None:
    try:
        return normalised(url)
    except BadUrl:
        return None
