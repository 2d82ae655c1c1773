"""The machine part: counters that began anew are not told, other processes do not mix."""

from dataclasses import replace

from tui.domain.machine import Reading, Server
from tui.domain.phases import Phase
from tui.domain.values import Provenance
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
