"""The captures of all engines, what their raw files tell, and ways to run them through the decoders."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tui.capture.live import Live
from tui.capture.recording import Recording, read
from tui.domain.events import Arrived, Event, Head
from tui.domain.wire import Meta, Read, Record
from tui.engines import openai
from tui.engines.registry import adapter, decoder_for
from tui.report.numbers import run_object

CAPTURES = Path(__file__).parents[1] / "data" / "captures"
ENGINES = (
    "llamacpp",
    "lm-studio-authored",
    "mlx-lm",
    "nim-authored",
    "ollama-authored",
    "sglang-authored",
    "tensorrt-llm-authored",
    "vllm",
)
FILES = [
    path
    for name in ENGINES
    for path in sorted((CAPTURES / name).glob("*.jsonl"))
    if not path.stem.endswith(".poll")
]
TOLD: dict[str, dict[str, Any]] = json.loads((CAPTURES / "told.json").read_text())
_NAMES = {"lm-studio": "lmstudio", "tensorrt-llm": "trtllm"}


def name_of(path: Path) -> str:
    """A capture's name: folder and file."""
    return f"{path.parent.name}/{path.stem}"


@cache
def recording(path: Path) -> Recording:
    """The file, read once."""
    return read(path)


def method_of(path: Path) -> str:
    """The method of the captured request."""
    request = recording(path).meta.fields.get("request")
    return str(request.get("method", "")) if isinstance(request, dict) else ""


def path_of(path: Path) -> str:
    """The path of the captured request, without its query."""
    request = recording(path).meta.fields.get("request")
    return str(request.get("path", "")).partition("?")[0] if isinstance(request, dict) else ""


def has_adapter(path: Path) -> bool:
    """Whether the capture's engine has an adapter of its own; then nothing that it tells may be missed."""
    engine = str(recording(path).meta.fields.get("engine"))
    return any(adapter(name) is not openai.ADAPTER for name in (engine, _NAMES.get(engine, engine)))


def events_of(records: Iterable[Record]) -> list[Event]:
    """All events of the records."""
    first, *rest = records
    assert isinstance(first, Meta)
    decoder = decoder_for(first.fields)
    return [event for record in (first, *rest) for event in decoder.decode(record)]


def told_by(records: Iterable[Record]) -> dict[str, Any]:
    """The run object of the records."""
    live = Live()
    live.feed(records)
    return run_object(live.view())


def body_of(records: Iterable[Record]) -> bytes:
    """The whole body."""
    return b"".join(record.data for record in records if isinstance(record, Read))


def arrival_is_nothing(event: Event) -> bool:
    """Whether the event only tells how bytes arrived."""
    return isinstance(event, Arrived | Head)
