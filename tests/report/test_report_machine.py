"""The machine part: counters that began anew are not told, other processes do not mix."""

import json
from dataclasses import replace

import pytest

from tests.app.machines import TOLD, remote, rtx4090
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.phases import Phase
from tui.domain.values import Provenance, Value
from tui.domain.view import View
from tui.report.machine import machine_object

MS = 1_000_000


def view(*readings: Reading) -> View:
    phases = (Phase("decode", 0, 1000 * MS, Provenance.MEASURED, ""),)
    return View(phases=phases, samples=readings)


def test_nothing_sampled_is_null_with_its_reason() -> None:
    told = machine_object(view())
    assert told["memory"] is told["gpu"] is told["server"] is None
    assert told["gpu_reason"] and told["server_reason"]
    (cost,) = told["phases"]
    assert cost["name"] == "decode" and cost["cpu_pct"] is None


def test_another_process_is_another_server() -> None:
    old = Reading(0, server=Server(1, "a", cpu_s=50.0, read_bytes=1000))
    new = Reading(500 * MS, server=Server(2, "a", rss_bytes=7, cpu_s=1.0, read_bytes=10))
    later = Reading(900 * MS, server=Server(2, "a", rss_bytes=9, cpu_s=1.5, read_bytes=30))
    server = machine_object(view(old, new, later))["server"]
    assert (server["pid"], server["cpu_s"], server["read_bytes"]) == (2, 0.5, 20)
    assert server["rss_change_bytes"] == 2


def test_a_counter_that_began_anew_is_not_told() -> None:
    first = Reading(0, swap_in_bytes=100, swap_out_bytes=5)
    told = machine_object(view(first, replace(first, at_ns=9, swap_in_bytes=3, swap_out_bytes=8)))
    assert told["swap"].keys() & {"in_bytes", "out_bytes"} == {"out_bytes"}


def test_estimates_marks_and_verdicts_are_there_with_their_reasons() -> None:
    told = machine_object(view())
    assert told["verdict"] == {"prefill": None, "decode": None}
    assert told["marks"] == [] and told["peak"] is None
    assert {"bandwidth", "kv_used", "headroom", "joules_per_token", "ceiling"} <= told["estimates"].keys()
    for value in told["estimates"].values():
        assert value["value"] is None and value["provenance"] == "absent" and value["note"]


def test_a_server_that_pages_is_judged_with_evidence_and_marked() -> None:
    readings = [Reading(i * 100 * MS, server=Server(1, read_bytes=i * 200_000_000)) for i in range(-5, 25)]
    told = machine_object(view(*readings))
    assert told["verdict"]["decode"]["word"] == "disk-bound"
    assert told["verdict"]["decode"]["evidence"].startswith("2.0 GB/s from disk")
    assert [mark["word"] for mark in told["marks"]] == ["PAGING"]


def test_a_lower_bound_of_the_gpus_use_is_no_mean() -> None:
    readings = [Reading(i * 100 * MS, gpus=(Gpu(util_pct=34.0),)) for i in range(-10, 30)]
    (cost,) = machine_object(view(*readings))["phases"]
    assert (cost["gpu_pct"], cost["gpu_at_least_pct"], cost["gpu_window_s"]) == (None, 34.0, 1.0)


def test_estimates_come_with_their_origin_and_verdicts_with_their_evidence() -> None:
    readings = [rtx4090(at_ns, at_ns / 1e9 + 2) for at_ns in range(-2000 * MS, 8000 * MS, 100 * MS)]
    measured = Provenance.MEASURED
    phases = (
        Phase("prefill", 0, 2500 * MS, measured, ""),
        Phase("decode", 2500 * MS, 6500 * MS, measured, ""),
    )
    ran = View(
        conditions=TOLD | {"engine": "llama.cpp"}, phases=phases, samples=readings, prompt_tokens=4096,
        cached_tokens=0, processed_tokens=4096, tokens=512, decode_engine=Value(128.0, "tok/s", measured),
    )  # fmt: skip
    told = machine_object(ran)
    json.dumps(told, allow_nan=False)
    prefill, decode = told["phases"]
    assert (decode["gpu_pct"], decode["power_w"], decode["power_limit_w"]) == (97.0, 312.0, 450.0)
    assert (prefill["throttle"]["word"], prefill["gpu_at_least_pct"]) == ("power cap", None)
    known = told["estimates"]
    assert known["bandwidth_pct"]["provenance"] == "estimated" and 60 < known["bandwidth_pct"]["value"] < 70
    assert known["joules_per_token"]["value"] == pytest.approx(4 * 312 / 512, rel=0.01)
    assert known["kv_reserved"]["value"] == 16384 * 131072
    assert told["verdict"]["decode"]["word"] == "bandwidth-bound"
    assert [mark["word"] for mark in told["marks"]] == ["power cap"]
    assert told["peak"]["gb_s"] == 1008 and told["peak"]["source"] and told["model"]["layers"] == 32


def test_with_the_server_elsewhere_no_estimate_is_told() -> None:
    readings = [remote(at_ns, at_ns / 1e9 + 2) for at_ns in range(-2000 * MS, 3000 * MS, 100 * MS)]
    told = machine_object(view(*readings))
    known = told["estimates"]
    assert known["bandwidth"]["value"] is None and known["joules_per_token"]["value"] is None
    assert told["verdict"]["decode"]["word"] == "no verdict"


def test_a_peak_is_a_rate_over_half_a_second_and_not_over_two_readings_at_an_edge() -> None:
    edge = [Reading(i * 100 * MS, disk_read_bytes=i * MS) for i in range(20)]
    doubled = [*edge[:10], Reading(901 * MS, disk_read_bytes=10 * MS), *edge[10:]]
    disk = machine_object(view(*doubled))["disk"]["read_bytes"]
    assert disk["change"] == 19 * MS
    assert disk["peak_per_s"] == pytest.approx(10 * MS, rel=0.25)
    assert machine_object(view(*edge[:3]))["disk"]["read_bytes"]["peak_per_s"] is None


def test_no_peak_is_computed_across_a_sleep() -> None:
    slept = (Reading(0, disk_read_bytes=0), Reading(60_000 * MS, disk_read_bytes=9 * 10**9))
    assert machine_object(view(*slept))["disk"]["read_bytes"]["peak_per_s"] is None


def test_a_gpu_is_followed_by_its_uuid_and_old_values_of_a_lost_one_do_not_count() -> None:
    one = Gpu(name="a", uuid="GPU-a", util_pct=40.0, energy_mj=1000)
    other = Gpu(name="b", uuid="GPU-b", util_pct=90.0, energy_mj=70_000)
    lost = replace(one, util_pct=99.0, energy_mj=5, reason="GPU lost")
    later = replace(other, energy_mj=71_000)
    told = machine_object(view(Reading(0, gpus=(one, other)), Reading(500 * MS, gpus=(later, lost))))["gpu"]
    by_name = {gpu["name"]: gpu for gpu in told}
    assert by_name["b"]["energy_mj"] == 1000 and by_name["b"]["reason"] is None
    assert by_name["a"]["util_pct"]["peak"] == 40.0 and by_name["a"]["reason"] == "GPU lost"
    assert by_name["a"]["energy_mj"] is None and by_name["a"]["energy_provenance"] is None


def test_what_a_chip_reckons_of_itself_is_an_estimate() -> None:
    apple = Gpu(name="Apple M4 Max", power_w=20.0, energy_mj=0, unified=True, modelled=True)
    readings = [Reading(i * 100 * MS, gpus=(replace(apple, energy_mj=2000 * i),)) for i in range(-20, 40)]
    told = machine_object(view(*readings))
    (gpu,) = told["gpu"]
    assert (gpu["power_w"]["provenance"], gpu["energy_provenance"]) == ("estimated", "estimated")
    assert told["phases"][0]["energy_j"] == pytest.approx(20.0) and told["phases"][0]["energy_about"]


def test_a_resource_without_figures_says_why() -> None:
    el9 = Reading(0, ram_total_bytes=8, ram_available_bytes=4, absent={"stall_some_us": "switched off"})
    told = machine_object(view(el9))
    assert told["stall"] is None and told["stall_reason"] == "switched off"
    assert told["memory"]["used_bytes"] == 4 and "memory_reason" not in told
