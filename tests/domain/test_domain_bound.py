"""The verdict: every rule, their order, and what stands there when none fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.domain.worked import WORKED
from tui.domain.bound import verdict
from tui.domain.cost import PhaseCost
from tui.domain.evidence import Evidence
from tui.domain.moments import Moment
from tui.domain.throttle import Throttle
from tui.domain.values import Provenance, Value, absent


def about(number: float, unit: str = "%") -> Value:
    return Value(number, unit, Provenance.ESTIMATED)


def trouble(word: str, why: str = "") -> tuple[Moment, ...]:
    return (Moment(0, 1, word, "crit", "memory", why),)


def decode(**more: Any) -> Evidence:
    evidence = {key: more.pop(key) for key in list(more) if key in Evidence.__dataclass_fields__}
    return Evidence(PhaseCost("decode", 10**10, **more), **evidence)


def prefill(**more: Any) -> Evidence:
    known = decode(**more)
    return replace(known, cost=replace(known.cost, name="prefill"))


DENSE = WORKED["decode_bandwidth_dense"]
BOUND: dict[str, Any] = {
    "bandwidth": about(DENSE["gb_s"], "GB/s"),
    "bandwidth_pct": about(DENSE["pct"]),
    "peak_gb_s": DENSE["peak_gb_s"],
}
HOT, HOTTER = Throttle("hot", "warn"), Throttle("too hot (hardware)", "crit")
BRAKE, CAP = Throttle("power brake (PSU)", "crit"), Throttle("power cap", "info")


@pytest.mark.parametrize(
    ("known", "line", "level"),
    [
        (decode(remote=True, **BOUND), "no verdict: server is on another machine", "info"),
        (
            decode(troubles=trouble("OOM-KILLED", "the server is gone")),
            "OOM-killed: the server is gone",
            "crit",
        ),
        (
            decode(troubles=trouble("PAGING"), read_bytes_s=2.1e9, **BOUND),
            "disk-bound: 2.1 GB/s from disk during decode, model does not stay in RAM",
            "crit",
        ),
        (
            decode(troubles=trouble("PAGING", "31 MB/s paged in")),
            "disk-bound: 31 MB/s paged in during decode, model does not stay in RAM",
            "crit",
        ),
        (prefill(read_bytes_s=9e8), "disk-bound: 900 MB/s from disk while the prompt was read", "warn"),
        (
            decode(troubles=trouble("SWAPPING"), swap_in_bytes_s=84e6),
            "swapping: 84 MB/s from swap during decode",
            "crit",
        ),
        (
            decode(throttle=HOTTER, throttle_share=0.1, sm_mhz=1050.0, sm_max_mhz=2610.0, **BOUND),
            "slowed by heat: too hot (hardware) ~ 10 % of decode, 1050 of 2610 MHz",
            "crit",
        ),
        (
            prefill(throttle=BRAKE, throttle_share=0.5, throttle_counted=True),
            "power brake: power brake (PSU) 50 % of prefill",
            "crit",
        ),
        (
            decode(gpu_pct=12.0, server_cpu_pct=760.0, threads=8),
            "CPU-bound: CPU 760 % on 8 threads, GPU 12 %",
            "warn",
        ),
        (
            decode(gpu_pct=12.0, server_cpu_pct=760.0, threads=8, offload=WORKED["offload_ceiling"]["text"]),
            "offload: 49 % of the weights in RAM cost 91 % of the time",
            "warn",
        ),
        (
            decode(gpu_read=False, server_cpu_pct=99.0, threads=1),
            "CPU-bound: CPU 99 % on 1 thread, no GPU read",
            "info",
        ),
        (
            decode(gpu_read=False, server_cpu_pct=99.0, threads=2, thread_pct=98.0),
            "CPU-bound: its busiest thread 98 % of a core, no GPU read",
            "info",
        ),
        (
            decode(pcie_rx_bytes_s=2.3e9, **BOUND),
            "bus-bound: weights cross PCIe, 2.3 GB/s to the GPU during decode",
            "warn",
        ),
        (decode(**BOUND), "bandwidth-bound: ≈ 642 of 1008 GB/s = 64 %", "info"),
        (
            decode(bandwidth_pct=Value(71.0, "%", Provenance.MEASURED)),
            "bandwidth-bound: 71 % of the memory bandwidth, measured",
            "info",
        ),
        (prefill(flops_pct=about(80.0)), "compute-bound: ≈ 80 % of the arithmetic peak", "info"),
        (
            prefill(gpu_pct=99.0, power_w=448.0, power_limit_w=450.0),
            "compute-bound: GPU 99 %, power 100 % of its limit",
            "info",
        ),
        (
            prefill(gpu_pct=99.0, gpu_at_least=True, power_w=448.0, power_limit_w=450.0),
            "compute-bound: GPU ≥ 99 %, power 100 % of its limit",
            "info",
        ),
        (
            decode(gpu_pct=97.0, throttle=HOT, throttle_share=0.25, throttle_counted=True),
            "slowed by heat: hot 25 % of decode",
            "warn",
        ),
        (
            decode(gpu_pct=55.0, thread_pct=99.0),
            "host-bound: one thread 99 % of a core, GPU 55 %",
            "warn",
        ),
        (
            decode(gpu_pct=49.5, gpu_each=tuple(WORKED["layer_split_two_gpus"]["gpu_util"])),
            "GPUs take turns: 48 % and 51 %; each about 1/2 is normal at batch 1",
            "info",
        ),
        (
            decode(gpu_pct=62.0, bandwidth_pct=about(31.0), bandwidth=about(312.0, "GB/s"), peak_gb_s=1008),
            "unclear: GPU 62 %, ≈ 312 of 1008 GB/s = 31 %",
            "info",
        ),
        (decode(), "unclear: nothing could be read in this phase", "info"),
    ],
)
def test_the_first_rule_that_fits(known: Evidence, line: str, level: str) -> None:
    found = verdict(known)
    assert (found.line, found.level) == (line, level)


@pytest.mark.parametrize(
    "known",
    [
        decode(gpu_pct=29.0, gpu_at_least=True, server_cpu_pct=760.0, threads=8),  # at least is not below
        decode(gpu_pct=50.0, server_cpu_pct=760.0, threads=8),
        decode(gpu_pct=10.0, server_cpu_pct=300.0, threads=8),
        decode(server_cpu_pct=760.0, threads=8),  # too short for the GPU's gauge
        prefill(pcie_rx_bytes_s=9e9),  # the prompt's way to the GPU
        prefill(**BOUND),  # bandwidth is decode's
        decode(flops_pct=about(80.0)),
        decode(bandwidth_pct=about(59.0), bandwidth=about(600.0, "GB/s"), peak_gb_s=1008),
        prefill(gpu_pct=96.0, gpu_at_least=False, power_w=200.0, power_limit_w=450.0),
        decode(throttle=CAP, throttle_share=1.0),  # normal at full load
        decode(throttle=HOT, throttle_share=0.1),
        decode(gpu_pct=85.0, thread_pct=100.0),
        decode(gpu_pct=90.0, gpu_each=(90.0, 91.0)),
    ],
)
def test_what_is_not_enough_for_a_rule(known: Evidence) -> None:
    assert verdict(known).word == "unclear"


def test_the_rules_stand_in_their_order() -> None:
    everything = decode(
        remote=True,
        troubles=(*trouble("OOM-KILLED"), *trouble("PAGING"), *trouble("SWAPPING")),
        throttle=HOTTER,
        throttle_share=0.5,
        gpu_pct=10.0,
        server_cpu_pct=800.0,
        threads=8,
        pcie_rx_bytes_s=5e9,
        **BOUND,
    )
    gone: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("no verdict", {"remote": False}, {}),
        ("OOM-killed", {"troubles": everything.troubles[1:]}, {}),
        ("disk-bound", {"troubles": everything.troubles[2:]}, {}),
        ("swapping", {"troubles": ()}, {}),
        ("slowed by heat", {}, {"throttle": None}),
        ("CPU-bound", {}, {"gpu_pct": 97.0}),
        ("bus-bound", {}, {"pcie_rx_bytes_s": 1e6}),
        ("bandwidth-bound", {"bandwidth_pct": absent("%", "")}, {}),
    ]
    known = everything
    for word, evidence, cost in gone:
        assert verdict(known).word == word
        known = replace(known, cost=replace(known.cost, **cost), **evidence)
    assert verdict(known).word == "unclear"


def test_unclear_names_the_two_numbers_nearest_to_a_rule() -> None:
    known = prefill(
        gpu_pct=40.0,
        gpu_at_least=True,
        flops_pct=about(30.0),
        power_w=300.0,
        power_limit_w=450.0,
        server_cpu_pct=20.0,
        threads=8,
    )
    assert verdict(known).evidence == "≈ 30 % of the arithmetic peak, power 67 % of its limit"
    assert "≥ 40 %" in verdict(replace(known, flops_pct=absent("%", ""))).evidence
