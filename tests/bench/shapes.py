"""How far the numbers that `toklane run --json` tells are from the truth, for every shape of stream."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.selftest.monitor import home
from tui.selftest.script import DIALECTS, SHAPES, Script
from tui.selftest.serving import ROOT, Server
from tui.selftest.truth import Truth

TITLE = "shapes: TTFT and decode rate as told"
_RATE_TPS, _TOKENS = 400, 300
_OTHERS = ((20, 40), (5000, 5000))
_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Told:
    """What the program said about a reply, and what the reply was."""

    run: dict[str, Any]
    truth: Truth

    @property
    def ttft_error_ms(self) -> float:
        """|told - true|."""
        return abs(float(self.run["ttft_s"]) * 1e3 - self.truth.ttft_ns / 1e6)

    @property
    def rate_error_percent(self) -> float:
        """|told - true| of the true rate; all of it when none was told."""
        told = float(self.run["decode_tok_s"] or 0)
        return 100 * abs(told / self.truth.rate_tps - 1)


def rows(lab: Lab) -> Iterator[Row]:
    """Each shape in each dialect, then the slowest and the fastest rate."""
    with Server("llama.cpp") as llama, Server("ollama") as ollama:
        servers = dict(zip(DIALECTS, (lab.server, llama, ollama), strict=True))
        shapes = [(d, Script(shape, _RATE_TPS, _TOKENS)) for d in DIALECTS for shape in SHAPES]
        cases = shapes + [("openai", Script("one", rate, tokens)) for rate, tokens in _OTHERS]
        told: dict[tuple[str, Script], list[Told]] = {case: [] for case in cases}
        for number in range(lab.rounds):
            for dialect, script in cases if number % 2 == 0 else reversed(cases):
                told[dialect, script].append(tell(servers[dialect], script))
        for (dialect, script), all_told in told.items():
            name = f"{dialect}, {SHAPES[script.shape]}, {script.rate_tps} tok/s:"
            yield Row(f"{name} TTFT", [it.ttft_error_ms for it in all_told], "ms", most=5)
            if script.shape == "lump":
                continue  # no rate can be taken from lumps
            yield Row(f"{name} rate", [it.rate_error_percent for it in all_told], "%", most=0.5)


def tell(server: Server, script: Script, prompt_tokens: int = 128) -> Told:
    """One request by the program without a screen."""
    with home() as environ:
        command = [
            sys.executable, "-m", "tui", "run", "--json", "--url", server.url, "--model", script.name,
            "--prompt-tokens", str(prompt_tokens),
        ]  # fmt: skip
        done = subprocess.run(
            command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=_WAIT_S, check=True
        )
    return Told(json.loads(done.stdout)["runs"][0], server.truth(_WAIT_S))
