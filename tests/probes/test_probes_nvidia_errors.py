"""What each error of the NVIDIA driver leads to: a value kept, a call dropped, a card given up."""

from __future__ import annotations

from typing import Any

import pynvml
import pytest


@pytest.mark.parametrize("name", ["Timeout", "Unknown"])
def test_calls_that_fail_keep_their_value_go_stale_and_are_asked_less_and_less(scene: Any, name: str) -> None:
    played = scene("rtx4090_normal").until(2)
    played.script["devices"][0]["calls"]["nvmlDeviceGetUtilizationRates"] = {"raises": name}
    before = len(played.calls("nvmlDeviceGetUtilizationRates"))
    (gpu,) = played.until(4).gpus()
    assert (gpu.util_pct, gpu.power_w, gpu.stale, gpu.reason, gpu.absent) == (97, 312.45, True, "", {})
    played.until(62)
    assert len(played.calls("nvmlDeviceGetUtilizationRates")) - before == 6  # after 0, 1, 3, 7, 15, 31 s
    played.script["devices"][0]["calls"]["nvmlDeviceGetUtilizationRates"] = {"value": {"gpu": 5, "memory": 1}}
    (gpu,) = played.until(93).gpus()
    assert (gpu.util_pct, gpu.stale) == (5, False)


@pytest.mark.parametrize("name", ["NotFound", "NoData", "NotReady"])
def test_a_value_that_is_not_there_now_is_asked_for_at_the_next_tick(scene: Any, name: str) -> None:
    played = scene("rtx4090_normal").until(2)
    calls = played.script["devices"][0]["calls"]
    calls["nvmlDeviceGetPowerUsage"] = {
        "raises": name,
        "code": {"NotFound": 6, "NoData": 21, "NotReady": 27}[name],
    }
    before = len(played.calls("nvmlDeviceGetPowerUsage"))
    (gpu,) = played.until(3).gpus()
    assert gpu.power_w == 312.45
    assert len(played.calls("nvmlDeviceGetPowerUsage")) - before >= 9


@pytest.mark.parametrize("name", ["GpuIsLost", "ResetRequired", "GpuNotFound"])
def test_all_three_ways_to_lose_a_card_end_the_calls_on_it(scene: Any, name: str) -> None:
    played = scene("rtx4090_normal").until(2)
    calls = played.script["devices"][0]["calls"]
    code = {"GpuIsLost": 15, "ResetRequired": 16, "GpuNotFound": 28}[name]
    calls["nvmlDeviceGetPowerUsage"] = {"raises": name, "code": code}
    (gpu,) = played.until(2.2).gpus()
    assert (gpu.reason, gpu.util_pct) == ("GPU lost", 97)
    asked = len(played.nvml.calls)
    played.until(30)
    assert len(played.nvml.calls) == asked


@pytest.mark.parametrize(("opens", "again"), [(2, 2), (9, 3)])
def test_a_driver_that_was_restarted_is_opened_at_once_and_then_every_30_s(
    scene: Any, monkeypatch: pytest.MonkeyPatch, opens: int, again: int
) -> None:
    played = scene("rtx4090_normal").until(40)

    def power(handle: object) -> int:
        if len(played.calls("nvmlInit")) < opens:
            raise pynvml.NVMLError(1)
        return 20_000

    monkeypatch.setattr(played.nvml, "nvmlDeviceGetPowerUsage", power, raising=False)
    (gpu,) = played.until(75).gpus()
    assert len(played.calls("nvmlInit")) == again
    assert (gpu.reason, gpu.power_w) == (("", 20) if opens == 2 else ("NVIDIA driver restarted", None))


def test_cards_that_were_not_lost_go_on_while_one_is_looked_for(scene: Any) -> None:
    played = scene("eight_h100")
    played.until(2)
    played.script["devices"][5]["calls"]["nvmlDeviceGetMemoryInfo:v2"] = {"raises": "GpuIsLost"}
    played.until(4)
    assert [i for i, gpu in enumerate(played.gpus()) if gpu.reason] == [5]
    asked = len(played.calls("nvmlDeviceGetMemoryBusWidth"))
    played.until(40)
    assert len(played.calls("nvmlInit")) == 2
    assert len(played.calls("nvmlDeviceGetMemoryBusWidth")) <= asked + 1
    assert sum(1 for gpu in played.gpus() if not gpu.reason) == 7


def test_a_card_that_comes_back_is_asked_for_everything_again(scene: Any) -> None:
    played = scene("gpu_lost_mid_run")
    played.script["timeline"].append({"at_s": 20.0, "devices": {"0": played.script["devices"][0]}})
    assert played.until(7).gpus()[0].reason == "GPU lost"
    back = played.until(45).gpus()[0]
    assert (back.reason, back.util_pct, back.stale) == ("", 97, False)


def test_one_card_that_does_not_open_leaves_the_others(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    played = scene("eight_h100")
    opened = played.nvml.nvmlDeviceGetHandleByIndex

    def open_one(i: int) -> Any:
        if i == 3:
            raise played.nvml.NVMLError(15)
        return opened(i)

    monkeypatch.setattr(played.nvml, "nvmlDeviceGetHandleByIndex", open_one, raising=False)
    assert len(played.until(1).gpus()) == 7


def test_a_card_that_is_lost_before_it_was_ever_read_is_no_missing_card(scene: Any) -> None:
    played = scene("rtx4090_normal")
    calls = played.script["devices"][0]["calls"]
    names = dict(calls)
    calls |= {name: {"raises": "GpuIsLost", "code": 15} for name in names}
    assert played.until(1).gpus() == ()
    assert played.reason() == "NVIDIA GPU lost: it is there and does not answer"
    calls |= names
    (gpu,) = played.until(32).gpus()
    assert (gpu.reason, gpu.util_pct) == ("", 97)


def test_a_share_of_time_over_100_is_none(scene: Any) -> None:
    played = scene("rtx4090_normal")
    rates = played.script["devices"][0]["calls"]["nvmlDeviceGetUtilizationRates"]
    rates["value"] = {"gpu": 133, "memory": 3}
    (gpu,) = played.until(1).gpus()
    assert (gpu.util_pct, gpu.mem_busy_pct, gpu.power_w) == (None, None, 312.45)
    rates["value"] = {"gpu": 40, "memory": 255}
    (gpu,) = played.until(2).gpus()
    assert (gpu.util_pct, gpu.mem_busy_pct) == (40, None)
