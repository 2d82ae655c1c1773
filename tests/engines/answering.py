"""Canned servers for detection: answers by path, out of the captures or written in a test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from tui.capture.recording import read
from tui.domain.wire import Read
from tui.engines.asking import Answer, Ask, Asking
from tui.engines.detect import Found, Nothing, detect
from tui.engines.urls import Base

BASE = Base("http://127.0.0.1:8080")
CAPTURES = Path(__file__).parents[1] / "data" / "captures"
NOT_FOUND = Answer(404, {}, b'{"detail":"Not Found"}')
BUSY_PATHS = ("/health", "/metrics", "/perf_metrics", "/v1/license", "/health_generate", "/v1/manifest")


T = TypeVar("T")


def drive(asking: Asking[T], answer: Callable[[Ask], Answer]) -> T:
    """Run a generator to its result with a function that answers one ask."""
    try:
        asks = next(asking)
        while True:
            asks = asking.send([answer(ask) for ask in asks])
    except StopIteration as stop:
        result: T = stop.value
        return result


def captured(name: str) -> Answer:
    """The answer in a capture such as `vllm/endpoint-models`."""
    recording = read(CAPTURES / f"{name}.jsonl")
    fields = recording.meta.fields
    headers = {name.lower(): value for name, value in fields["response_headers"]}  # type: ignore[attr-defined]
    body = b"".join(record.data for record in recording.records if isinstance(record, Read))
    return Answer(int(str(fields["status"])), headers, body)


def saying(value: object, status: int = 200, server: str = "") -> Answer:
    return Answer(status, {"server": server} if server else {}, json.dumps(value).encode())


def models(*entries: dict[str, object], server: str = "") -> Answer:
    return saying({"object": "list", "data": entries}, server=server)


def owned(owner: str, **more: object) -> Answer:
    return models({"id": "org/m", "owned_by": owner} | more)


class Server:
    """Answers by path; remembers what it was asked."""

    def __init__(self, answers: Mapping[str, Answer], else_: Answer = NOT_FOUND) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self._else = else_

    def look(
        self, model: str = "", chosen: bool = True, base: Base = BASE, posts: tuple[str, ...] = ()
    ) -> Found | Nothing:
        def answer(ask: Ask) -> Answer:
            assert ask.method == "GET" or ask.path in posts
            assert ask.path not in self.asked, "nothing is asked twice"
            self.asked.append(ask.path)
            return self.answers.get(ask.path, self._else)

        return drive(detect(base, model, chosen), answer)


def found(
    answers: Mapping[str, Answer], model: str = "", chosen: bool = True, else_: Answer = NOT_FOUND
) -> Found:
    told = Server(answers, else_).look(model, chosen)
    assert isinstance(told, Found), told
    return told


OLLAMA = {
    "/v1/models": models({"id": "llama3.2:3b", "owned_by": "library"}),
    "/api/version": captured("ollama-authored/18b-version"),
    "/": captured("ollama-authored/18a-root"),
    "/api/tags": saying(
        {
            "models": [
                {"name": "embed:latest", "capabilities": ["embedding"]},
                {
                    "name": "qwen3:32b",
                    "size": 20_201_253_588,
                    "details": {"parameter_size": "32.8B", "quantization_level": "Q4_K_M"},
                    "capabilities": ["completion", "thinking"],
                },
                {"name": "big:cloud", "remote_host": "https://ollama.com:443"},
                {"name": "llama3.2:3b", "details": {"context_length": 131072}},
            ]
        }
    ),
    "/api/ps": captured("ollama-authored/18d-ps-gpu"),
    "/api/show": captured("ollama-authored/18g-show"),
}
