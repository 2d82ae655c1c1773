"""Long answers, long prompts and a long sitting: nothing may grow, slow down or get lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.costs import FASTEST_TPS
from tests.bench.lab import Lab
from tests.bench.processes import Cost, cost
from tests.bench.shapes import tell
from tests.bench.sitting import Sitting, watched
from tests.bench.table import Row
from tui.selftest.facts import NEXT
from tui.selftest.monitor import monitor
from tui.selftest.script import Script
from tui.selftest.truth import lag_growth, percentile, stamp_errors

TITLE = "long: 100,000 tokens on the screen, a prompt of 32k tokens, an hour of auto-repeat in short"
_TOKENS = 100_000
_QUICK_TOKENS = 20_000
_PROMPT_TOKENS = 32_768
_REPEATS, _QUICK_REPEATS = 200, 80  # an hour holds a few hundred requests of ten seconds
_WARM = 40  # until then caches and histories fill, each up to a limit; told in a row of its own, as no goal
_EACH_S = 10.0
_MIB = 1 << 20


def rows(lab: Lab) -> Iterator[Row]:
    """Each of them once, whatever the rounds: they are long."""
    quick = lab.rounds == 1
    yield from _answer(lab, _QUICK_TOKENS if quick else _TOKENS)
    yield from _prompt(lab)
    yield from _sitting(lab, _QUICK_REPEATS if quick else _REPEATS)


def _answer(lab: Lab, tokens: int) -> Iterator[Row]:
    sitting: Sitting = watched(lab.server, Script("one", FASTEST_TPS, tokens))
    name = f"{tokens:,} tokens at {FASTEST_TPS:,} tok/s:"
    yield Row(f"{name} messages that were not seen", [tokens - len(sitting.pairs)], most=0)
    yield Row(f"{name} stamp error p99", [percentile(stamp_errors(sitting.pairs), 99) / 1e6], "ms")
    yield Row(f"{name} stamp error, last fifth / first fifth", [lag_growth(sitting.pairs)], most=1.5)
    yield Row(f"{name} last token until the screen says so", [sitting.shown_ns / 1e6], "ms", most=250)
    assert sitting.before is not None and sitting.after is not None
    grown = sitting.after.own_rss_bytes - sitting.before.own_rss_bytes
    yield Row(f"{name} the screen's process grew by", [grown / _MIB], "MiB", most=20 * tokens / _TOKENS)


def _prompt(lab: Lab) -> Iterator[Row]:
    told = [tell(lab.server, Script("one", 400, 300), _PROMPT_TOKENS) for _ in range(lab.rounds)]
    yield Row("a prompt of 32k tokens: TTFT error", [it.ttft_error_ms for it in told], "ms", most=5)
    yield Row("a prompt of 32k tokens: rate error", [it.rate_error_percent for it in told], "%", most=0.5)


def _sitting(lab: Lab, repeats: int) -> Iterator[Row]:
    """Auto-repeat without its pauses: as many requests as an hour has, each a short one."""
    script = Script("one", 500, 100)
    costs: list[Cost] = []
    with monitor(lab.server.url, NEXT) as (terminal, _):
        for _ in range(repeats):
            lab.server.put_down(script)
            terminal.press("\r")
            lab.server.truth(_EACH_S)
            time.sleep(0.2)
            costs.append(cost(terminal.pid))
    first, warm, last = costs[0], costs[_WARM], costs[-1]
    hundreds = (repeats - _WARM) / 100
    own = (last.own_rss_bytes - warm.own_rss_bytes) / _MIB / hundreds
    everyone = (last.all_rss_bytes - warm.all_rss_bytes) / _MIB / hundreds
    yield Row(
        f"{_WARM} requests: all processes grew by", [(warm.all_rss_bytes - first.all_rss_bytes) / _MIB], "MiB"
    )
    yield Row(f"{_WARM} to {repeats} requests: the screen's process, per 100", [own], "MiB", most=2)
    yield Row(f"{_WARM} to {repeats} requests: all processes, per 100", [everyone], "MiB", most=4)
