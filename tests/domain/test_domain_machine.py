"""A reading as a recording carries it."""

from __future__ import annotations

import json

from tui.domain.machine import Gpu, Reading, Server, raw_from, reading_from
from tui.domain.shape import Attention, ModelShape

FULL = Reading(
    at_ns=5,
    ram_total_bytes=64,
    swap_in_bytes=0,
    swap_compressed=True,
    cpu_mhz=2300.5,
    gpus=(Gpu(name="A", util_pct=0.0, throttle_mask=0, unified=True), Gpu(name="B", reason="GPU lost")),
    server=Server(pid=7, name="engine", rss_bytes=0, note="matched by name"),
    model=ModelShape("llama", layers=2, attention=(Attention(2, 1, 64, 64, 128),), experts=0),
    host={"cpu": "one"},
    absent={"stall_some_us": "not on this system"},
)


def test_a_reading_survives_the_recording() -> None:
    assert reading_from(5, json.loads(json.dumps(raw_from(FULL)))) == FULL


def test_what_is_absent_is_not_written_and_zero_is() -> None:
    raw = raw_from(FULL)
    assert raw["swap_in_bytes"] == 0
    assert not {"at_ns", "swap_out_bytes", "gpu_reason", "remote"} & raw.keys()
    assert raw_from(Reading(at_ns=1)) == {}


def test_the_drivers_own_samples_survive_and_nonsense_among_them_does_not() -> None:
    full = Reading(
        at_ns=5, gpus=(Gpu(util_recent=((200, 97.5), (0, 3.0)), absent={"power_w": "no permission"}),)
    )
    assert reading_from(5, json.loads(json.dumps(raw_from(full)))) == full
    for nonsense in (5, [5], [[1]], [[-1, 3.0]], [[1, "x"]], ["ab"]):
        assert reading_from(1, {"gpus": [{"util_recent": nonsense}]}).gpus == (Gpu(),)


def test_values_of_a_wrong_kind_count_as_absent() -> None:
    raw = {
        "ram_total_bytes": "many",
        "swap_in_bytes": -1,
        "cpu_mhz": float("nan"),
        "cpu_cores": True,
        "swap_compressed": 1,
        "gpu_reason": 5,
        "host": {"cpu": 3},
        "absent": [],
        "model": {"layers": -1, "attention": 7},
        "gpus": [{"util_pct": "97", "name": "A"}, 5],
        "server": {"name": "no pid"},
        "oom_kills": 2,
        "of another version": 1,
    }
    assert reading_from(1, raw) == Reading(at_ns=1, oom_kills=2, gpus=(Gpu(name="A"), Gpu()))
    assert reading_from(1, {"gpus": {}, "server": 5}) == Reading(at_ns=1)
