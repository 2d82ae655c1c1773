"""How much memory a long answer takes: in the state alone, and in the program on the screen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import psutil

from tests.bench.costs import FASTEST_TPS
from tests.bench.lab import Case, Lab
from tests.bench.table import Row
from tui.capture.live import Live
from tui.domain.wire import Meta, Note, Read
from tui.selftest.script import Script, reply
from tui.selftest.serving import ROOT

TITLE = "memory"
_TOKENS = 100_000
_WARM_TOKENS = 10_000
_MIB = 1 << 20


def rows(lab: Lab) -> Iterator[Row]:
    """Growth and size."""
    grown = [_growth() for _ in range(lab.rounds)]
    yield Row("100,000 tokens in the state", grown, "MiB", most=5)
    case = Case("monitor", FASTEST_TPS)
    lab.measure(case)
    tokens = f"{round(FASTEST_TPS * lab.seconds):,} tokens"
    rss = lab.over(case, lambda it: it.after.own_rss_bytes / 1e6 if it.after else 0.0)
    yield Row(f"the screen's process after {tokens}", rss, "MB", most=50)
    everyone = lab.over(case, lambda it: it.after.all_rss_bytes / 1e6 if it.after else 0.0)
    yield Row(f"all processes after {tokens}", everyone, "MB")


def _growth() -> float:
    told = subprocess.run(
        [sys.executable, "-m", "tests.bench.memory"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(told.stdout)


def _grow() -> None:
    """Print by how many MiB this process grows per 100,000 tokens that come one by one."""
    live = Live()
    live.feed([Meta({"engine": "openai"}), Note(0, "sent"), Note(1, "head", {"status": 200, "headers": []})])
    own = psutil.Process()
    before = 0
    script = Script("counted", 500, _TOKENS + _WARM_TOKENS)
    for number, message in enumerate(reply(script, "openai", 128)):
        if number == _WARM_TOKENS:
            before = own.memory_info().rss
        at_ns = message.due_ns
        live.feed([Read(at_ns, message.data, at_ns - 1_000_000, at_ns + 50_000, kernel=True)])
    print((own.memory_info().rss - before) / _MIB)


if __name__ == "__main__":
    _grow()
