"""NVIDIA NIM: its own version and health; the engine inside is found by the names of its metrics."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.evidence import vllm
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.shapes import mapping, parsed_or_none, text

_VERSION, _READY, _ABOUT, _METRICS = "/v1/version", "/v1/health/ready", "/v1/metadata", "/v1/metrics"
_INSIDE = {"vllm:": "nim-vllm", "sglang:": "nim-sglang"}


def _likely(heard: Heard) -> bool:
    """It may stand in front of each of these."""
    return heard.owner in ("vllm", "sglang", "tensorrt_llm")


def _known(heard: Heard) -> bool:
    version = heard.object(_VERSION)
    return (bool(text(version.get("release"))) and "api" in version) or bool(_health(heard))


def _health(heard: Heard) -> str:
    """The kind of its health answer, which has a body of its own also while it is not ready."""
    told = mapping(parsed_or_none(heard.answer(_READY).body))
    return text(told.get("object")) if text(told.get("object")).startswith("health") else ""


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", path) for path in (_READY, _ABOUT, _METRICS)]


def _facts(heard: Heard) -> Facts:
    """Of the metadata only the version is read: it holds a licence text too."""
    metrics, words = heard.page(_METRICS), heard.words(_METRICS)
    inside = next((engine for mark, engine in _INSIDE.items() if mark in words), "nim")
    told: dict[str, object] = vllm.file_of(heard) if heard.owner else {}
    slots = metrics.total("num_request_max")
    return Facts(
        listed(heard),
        text(heard.object(_ABOUT).get("version")) or text(heard.object(_VERSION).get("release")),
        engine=inside,
        conditions=told | vllm.cache(metrics) | {"slots": count(int(slots)) if slots else None},
        features={"metrics": bool(words)} if heard.answer(_METRICS).status else {},
        loading=bool(_health(heard)) and heard.answer(_READY).status == 503,
    )


KIND = Kind("nim", (_VERSION, _READY), _likely, _known, _more, _facts)
