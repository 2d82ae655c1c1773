"""Hosted services that are known by their host's name: nothing is asked there beyond the list of models."""

from __future__ import annotations

from collections.abc import Mapping

# host → engine, and what lies before `/v1` there.
_HOSTS: Mapping[str, tuple[str, str]] = {
    "api.groq.com": ("groq", "/openai"),
    "api.cerebras.ai": ("cerebras", ""),
    "api.fireworks.ai": ("fireworks", "/inference"),
    "openrouter.ai": ("openrouter", "/api"),
    "api.deepseek.com": ("deepseek", ""),
    "api.together.xyz": ("together", ""),
    "api.together.ai": ("together", ""),
}
NAMES = frozenset(engine for engine, _ in _HOSTS.values())


def service(host: str) -> str:
    """The engine's name of a hosted service, empty for any other host."""
    return _HOSTS.get(host.lower().rstrip("."), ("", ""))[0]


def prefix(host: str) -> str:
    """What lies before `/v1` at a hosted service."""
    return _HOSTS.get(host.lower().rstrip("."), ("", ""))[1]
