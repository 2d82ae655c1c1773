"""Whole engines for tests: streams from their captures with the side endpoints that belong to them.

What no capture holds and a client may still ask for is authored here, as the engines' sources describe it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.wire.answers import (
    Answer,
    Answerer,
    EmptiedOnRead,
    Side,
    always,
    around,
    captured,
    in_turn,
    side,
    told,
    unknown_200,
)
from tests.wire.series import filtered, load_during, metrics_around, metrics_during, page
from tests.wire.server import NOT_FOUND, Server
from tests.wire.stream import Stream, stream_of

CAPTURES = Path(__file__).parents[1] / "data" / "captures"
_PLAIN = (("Content-Type", "text/plain; charset=utf-8"),)
Cast = tuple[list[Side], Answer | Answerer]


def scene(engine: str, *names: str, speed: float | None = None, port: int = 0) -> Server:
    """An engine (a key of `SCENES`) that answers with these captures of its folder, by their paths.

    Several captures at one path are served one after the other. Without names it has its side endpoints only.
    """
    folder, cast = SCENES[engine]
    sides, otherwise = cast(CAPTURES / folder, names)
    streams: dict[str, list[Stream]] = {}
    for name in names:
        stream = stream_of(CAPTURES / folder / f"{name}.jsonl")
        streams.setdefault(stream.path, []).append(stream)
    return Server(streams, sides, otherwise=otherwise, speed=speed, port=port)


def _gets(folder: Path, pattern: str) -> list[Side]:
    """The captured GETs; of several at one path the first."""
    sides: dict[str, Side] = {}
    for path in sorted(folder.glob(pattern)):
        if "poll" not in path.stem and stream_of(path).method == "GET":
            found = side(path)
            sides.setdefault(found.path, found)
    return list(sides.values())


def _vllm(folder: Path, names: tuple[str, ...]) -> Cast:
    sides = [it for it in _gets(folder, "endpoint-*.jsonl") if not it.path.startswith("/metrics")]
    before = folder / "metrics-one-short.metrics-before.txt"
    metrics: Answerer = filtered(always(page(before.read_text())))
    for name in names[:1]:
        polled = folder / f"{name}.poll.jsonl"
        own = [folder / f"{name}.metrics-{when}.txt" for when in ("before", "after")]
        if all(path.exists() for path in own):
            metrics = metrics_around(*own)
        elif polled.exists():
            metrics = metrics_during(polled, before)
            if '"server_load"' in polled.read_text():
                sides = [it for it in sides if it.path != "/load"]
                sides.append(Side("/load", load_during(polled)))
    sides.append(Side("/metrics", metrics))
    return [*sides, side(folder / "endpoint-tokenize.jsonl")], NOT_FOUND


def _mlx(folder: Path, names: tuple[str, ...]) -> Cast:
    return _gets(folder, "02*.jsonl"), captured(folder / "02c-root.jsonl")


def _ollama(folder: Path, names: tuple[str, ...]) -> Cast:
    entry = {"name": "llama3.2:3b", "model": "llama3.2:3b", "size": 2019393189, "digest": "ab" * 32}
    details = {"format": "gguf", "family": "llama", "parameter_size": "3.2B", "quantization_level": "Q4_K_M"}
    listed = {"models": [{**entry, "modified_at": "2026-09-01T09:00:00Z", "details": details}]}
    sides = [
        *(side(folder / f"{name}.jsonl") for name in ("18a-root", "18b-version", "18d-ps-gpu", "18g-show")),
        Side("/api/tags", always(told(listed))),
        _models("llama3.2:3b", owned_by="library"),
    ]
    if any("cold" in name for name in names):
        empty, loaded = captured(folder / "18c-ps-empty.jsonl"), captured(folder / "18d-ps-gpu.jsonl")
        sides.append(Side("/api/ps", in_turn(empty, empty, loaded)))
    return sides, Answer(b"404 page not found", 404, _PLAIN)


def _lm_studio(folder: Path, names: tuple[str, ...]) -> Cast:
    sides = [side(folder / f"{name}.jsonl") for name in ("10c-greeting", "40-v1-models", "41-v0-models")]
    return [*sides, _models("google/gemma-3-4b", owned_by="organization_owner")], unknown_200


def _nim(folder: Path, names: tuple[str, ...]) -> Cast:
    ready, after = folder / "05-health-ready.jsonl", captured(folder / "08-metrics-1x.jsonl")
    before = replace(after, body=re.sub(rb"(_total|_count|_sum)(\{.*\}) .*", rb"\1\2 0.0", after.body))
    sides = [
        *(side(folder / f"{name}.jsonl") for name in ("04-version", "07-metadata")),
        side(ready),
        side(ready, "/v1/health/live"),
        Side("/v1/metrics", around(before, after)),
        _models("meta/llama-3.1-8b-instruct", owned_by="system", max_model_len=8192),
    ]
    return sides, NOT_FOUND


def _sglang(folder: Path, names: tuple[str, ...]) -> Cast:
    listed = {"models": [{"name": "Llama-3.1-8B-Instruct", "model": "Llama-3.1-8B-Instruct"}]}
    info = {"model_path": "Llama-3.1-8B-Instruct", "served_model_name": "Llama-3.1-8B-Instruct"}
    server = {"version": "0.5.23", "enable_metrics": False, "max_total_num_tokens": 65536}
    sides = [
        *_gets(folder, "0[67]*.jsonl"),
        Side("/model_info", always(told(info))),
        Side("/server_info", always(told(server))),
        Side("/ready", always(told({"status": "ready"}))),
        Side("/health", always(Answer())),
        Side("/api/tags", always(told(listed))),  # it speaks Ollama's API as well
        Side("/api/version", always(told({"version": "0.5.23"}))),
    ]
    return sides, NOT_FOUND


def _trtllm(folder: Path, names: tuple[str, ...]) -> Cast:
    full, empty = (
        captured(folder / f"{name}.jsonl") for name in ("02-perf-metrics-one", "03-perf-metrics-empty")
    )
    sides = [
        side(folder / "08-models.jsonl"),
        side(folder / "09-metrics-iteration-stats.jsonl"),
        Side("/perf_metrics", EmptiedOnRead(full, empty)),
        Side("/version", always(told({"version": "1.3.0"}))),
        Side("/health", always(Answer())),
    ]
    return sides, NOT_FOUND


def _llamacpp(folder: Path, names: tuple[str, ...]) -> Cast:
    return _gets(folder, "00-*.jsonl"), captured(folder / "06a-unknown-endpoint.jsonl")


def _koboldcpp(folder: Path, names: tuple[str, ...]) -> Cast:
    sides = [
        Side("/api/extra/version", always(told({"result": "KoboldCpp", "version": "1.102"}))),
        Side("/api/version", always(told({"version": "0.7.0"}))),
        Side("/api/tags", always(told({"models": [{"name": "koboldcpp", "model": "koboldcpp:latest"}]}))),
        Side("/", always(Answer(b"Ollama is running", 200, _PLAIN))),
        _models("koboldcpp/model", owned_by="koboldcpp"),
    ]
    return sides, NOT_FOUND


def _lemonade(folder: Path, names: tuple[str, ...]) -> Cast:
    health = {"status": "ok", "version": "11.7.0", "model_loaded": "m", "all_models_loaded": []}
    sides = [
        Side("/v1/health", always(told(health))),
        Side("/api/v1/health", always(told(health))),
        Side("/api/version", always(told({"version": "0.7.0"}))),
        Side("/api/tags", always(told({"models": [{"name": "m:latest", "model": "m"}]}))),
        _models("m", owned_by="lemonade"),
    ]
    return sides, NOT_FOUND


def _exo(folder: Path, names: tuple[str, ...]) -> Cast:
    sides = [
        Side("/node_id", always(told("12D3KooW"))),
        Side("/state", always(told({"topology": {}, "instances": {}, "downloads": {}, "nodeMemory": {}}))),
        Side("/ollama/api/version", always(told({"version": "exo v1.0"}))),
        Side("/ollama/api/tags", always(told({"models": [{"name": "m", "model": "m"}]}))),
        _models("m", owned_by="exo"),
    ]
    return sides, NOT_FOUND


def _models(name: str, **more: object) -> Side:
    entry = {"id": name, "object": "model", "created": 1788253000, **more}
    return Side("/v1/models", always(told({"object": "list", "data": [entry]})))


SCENES: dict[str, tuple[str, Callable[[Path, tuple[str, ...]], Cast]]] = {
    "vllm": ("vllm", _vllm),
    "mlx-lm": ("mlx-lm", _mlx),
    "ollama": ("ollama-authored", _ollama),
    "lmstudio": ("lm-studio-authored", _lm_studio),
    "nim": ("nim-authored", _nim),
    "sglang": ("sglang-authored", _sglang),
    "trtllm": ("tensorrt-llm-authored", _trtllm),
    "llama.cpp": ("llamacpp", _llamacpp),
    "koboldcpp": ("ollama-authored", _koboldcpp),
    "lemonade": ("ollama-authored", _lemonade),
    "exo": ("ollama-authored", _exo),
}
