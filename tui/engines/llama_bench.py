"""Reads what llama-bench wrote as JSON or JSON lines: rates of the bare engine, to hold a request against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

from tui.domain.values import count, finite
from tui.engines.conditions import shown_model
from tui.engines.shapes import Object, items, mapping, parsed_or_none, text

Kind = Literal["prefill", "decode"]


@dataclass(frozen=True, slots=True)
class Reference:
    """One test: `pp` (prefill) or `tg` (decode) of so many tokens behind `depth` tokens of context.

    rate, spread: tok/s, mean and standard deviation over `runs`. file: the model's, without its folders.
    No request, template, tokenizer or sampler is in it: a server can't be faster.
    """

    kind: Kind
    tokens: int
    depth: int
    rate: float
    spread: float | None
    runs: int | None
    file: str = ""
    model: str = ""
    backend: str = ""
    threads: int | None = None
    gpu_layers: int | None = None
    build: str = ""

    @property
    def name(self) -> str:
        """As llama-bench writes it: `pp512`, `tg128 @ d4096`."""
        behind = f" @ d{self.depth}" if self.depth else ""
        return f"{'pp' if self.kind == 'prefill' else 'tg'}{self.tokens}{behind}"


def read_bench(data: bytes) -> tuple[Reference, ...]:
    """The tests in a file; lines and entries that are none are passed over, mixed tests (pg) too."""
    whole = parsed_or_none(data)
    entries = (
        items(whole) if isinstance(whole, list) else [parsed_or_none(line) for line in data.splitlines()]
    )
    if isinstance(whole, dict):
        entries = [whole]
    found = (_reference(mapping(entry)) for entry in entries)
    return tuple(one for one in found if one is not None)


def nearest(references: Sequence[Reference], kind: Kind, tokens: int, file: str = "") -> Reference | None:
    """The test of a model's file (any, if not named) whose token count comes nearest by ratio, then the
    shallowest; None when there is none.
    """
    fits = [one for one in references if one.kind == kind and file in ("", one.file)]
    size = max(1, tokens)
    return min(fits, key=lambda one: (abs(log(one.tokens / size)), one.depth), default=None)


def _reference(entry: Object) -> Reference | None:
    prompt, generated = count(entry.get("n_prompt")), count(entry.get("n_gen"))
    rate = finite(entry.get("avg_ts"))
    if prompt is None or generated is None or bool(prompt) == bool(generated) or rate is None or rate <= 0:
        return None
    layers = finite(entry.get("n_gpu_layers"))
    return Reference(
        "prefill" if prompt else "decode",
        prompt or generated,
        count(entry.get("n_depth")) or 0,
        rate,
        finite(entry.get("stddev_ts")),
        len(items(entry.get("samples_ns"))) or None,
        shown_model(text(entry.get("model_filename"))),
        text(entry.get("model_type")),
        text(entry.get("backends")),
        count(entry.get("n_threads")),
        int(layers) if layers is not None and layers >= 0 else None,  # −1 leaves it to the engine
        text(entry.get("build_commit")),
    )
