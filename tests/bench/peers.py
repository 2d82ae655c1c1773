"""Other programs on the same server in the same rounds: their error and cost beside ours, without screen."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.bench.lab import Lab
from tests.bench.peer import PEERS
from tests.bench.table import Row
from tui.capture.recording import read
from tui.selftest.monitor import home
from tui.selftest.script import Script
from tui.selftest.serving import ROOT, Server
from tui.selftest.truth import Pair, Seen, Truth, pairs, percentile, seen, stamp_errors

TITLE = "peers: a plain httpx loop, the openai client and servebench where installed, and ours; no screen"
RATES = (80, 500, 5000)
_OURS = "toklane"
_SERVEBENCH = "servebench"  # a load tester: it tells figures and no stamps
_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One request by one program. cpu_ms: processor time of all its processes, from start to end.

    stamp_ns: one error for each message; empty where the program tells no stamps.
    """

    ttft_ms: float
    rate_percent: float
    stamp_ns: list[int]
    cpu_ms: float


def rows(lab: Lab) -> Iterator[Row]:
    """Each rate: TTFT, rate, stamps and processor time of each program, then ours against the plain loop."""
    names = [_OURS, *(name for name in (*PEERS, _SERVEBENCH) if find_spec(name) is not None)]
    for rate in RATES:
        script = Script("one", rate, round(rate * lab.seconds))
        found: dict[str, list[Outcome]] = {name: [] for name in names}
        for number in range(lab.rounds):
            for name in names if number % 2 == 0 else reversed(names):
                found[name].append(_one(lab.server, script, name))
        at = f"{rate:,} tok/s:"
        for name, outcomes in found.items():
            yield Row(f"{at} {name}: TTFT error", [it.ttft_ms for it in outcomes], "ms")
            yield Row(f"{at} {name}: rate error", [it.rate_percent for it in outcomes], "%")
            for percent in (50, 99) if outcomes[0].stamp_ns else ():
                errors = [percentile(it.stamp_ns, percent) / 1e6 for it in outcomes]
                yield Row(f"{at} {name}: stamp error p{percent}", errors, "ms")
            yield Row(f"{at} {name}: processor time, start included", [it.cpu_ms for it in outcomes], "ms")
        ratios = [
            percentile(theirs.stamp_ns, 95) / percentile(ours.stamp_ns, 95)
            for theirs, ours in zip(found["httpx"], found[_OURS], strict=True)
        ]
        yield Row(f"{at} stamp error p95, plain httpx loop / ours", ratios, least=1)


def _one(server: Server, script: Script, name: str) -> Outcome:
    if name == _OURS:
        return _ours(server, script)
    return _servebench(server, script) if name == _SERVEBENCH else _peer(server, script, name)


def _ours(server: Server, script: Script) -> Outcome:
    with home() as environ:
        path = Path(environ["TOKLANE_HOME"], "run.jsonl")
        command = [
            sys.executable, "-m", "tui", "run", "--json", "--url", server.url, "--model", script.name,
            "--prompt-tokens", "128", "--record", str(path),
        ]  # fmt: skip
        out, cpu_ms = _run(command, environ)
        truth = server.truth(_WAIT_S)
        told: dict[str, Any] = json.loads(out)["runs"][0]
        matched = pairs(truth, seen(read(path)))
    return _outcome(truth, float(told["ttft_s"]) * 1e3, float(told["decode_tok_s"]), matched, cpu_ms)


def _peer(server: Server, script: Script, name: str) -> Outcome:
    out, cpu_ms = _run([sys.executable, "-m", "tests.bench.peer", name, server.url, script.name], None)
    truth, told = server.truth(_WAIT_S), json.loads(out)
    at_ns: list[int] = told["at_ns"]
    matched = [
        Pair(truth.sent_ns[i], Seen(truth.ends[i], at, at)) for i, at in zip(truth.texts, at_ns, strict=True)
    ]
    rate = (len(at_ns) - 1) * 1e9 / (at_ns[-1] - at_ns[0])
    return _outcome(truth, (at_ns[0] - told["sent_ns"]) / 1e6, rate, matched, cpu_ms)


def _servebench(server: Server, script: Script) -> Outcome:
    with home() as environ:
        path = Path(environ["TOKLANE_HOME"], "requests.csv")
        command = [
            str(Path(sys.executable).with_name(_SERVEBENCH)), "run", "--url", f"{server.url}/v1",
            "--model", script.name, "--concurrency", "1", "--num-requests", "1", "--warmup", "0", "--no-gpu",
            "--csv-requests", str(path),
        ]  # fmt: skip
        _, cpu_ms = _run(command, environ)
        truth = server.truth(_WAIT_S)
        (told,) = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return _outcome(truth, float(told["ttft_ms"]), 1e3 / float(told["tpot_ms"]), [], cpu_ms)


def _outcome(truth: Truth, ttft_ms: float, rate: float, matched: list[Pair], cpu_ms: float) -> Outcome:
    return Outcome(
        abs(ttft_ms - truth.ttft_ns / 1e6),
        100 * abs(rate / truth.rate_tps - 1),
        stamp_errors(matched),
        cpu_ms,
    )


def _run(command: list[str], environ: Any) -> tuple[str, float]:
    """(stdout, processor time of it and of what it waited for, ms)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=_WAIT_S, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, 1e3 * spent_s
