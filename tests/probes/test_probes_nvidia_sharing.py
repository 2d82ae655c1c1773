"""Which NVIDIA GPU the server works on, and who else is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Gpu
from tui.probes.nvidia_tenants import UNKNOWN, Held, shared
from tui.probes.nvidia_visible import visible

WHOLE = ("GPU-aa01", "GPU-aa02", "GPU-bb03")
PARTS = ("MIG-cc04",)


def environ(**values: str) -> bytes:
    return "\0".join(f"{name}={value}" for name, value in values.items()).encode()


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, None),
        ({"CUDA_VISIBLE_DEVICES": "GPU-aa01,GPU-bb03"}, {"GPU-aa01", "GPU-bb03"}),
        ({"CUDA_VISIBLE_DEVICES": "GPU-b"}, {"GPU-bb03"}),
        ({"CUDA_VISIBLE_DEVICES": "GPU-aa"}, None),
        ({"CUDA_VISIBLE_DEVICES": "GPU-ff"}, None),
        ({"CUDA_VISIBLE_DEVICES": "MIG-cc04"}, {"MIG-cc04"}),
        ({"CUDA_VISIBLE_DEVICES": "0,1"}, None),
        ({"CUDA_VISIBLE_DEVICES": "2, 1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, {"GPU-bb03", "GPU-aa02"}),
        ({"CUDA_VISIBLE_DEVICES": "7", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, None),
        ({"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "FASTEST_FIRST"}, None),
        ({"CUDA_VISIBLE_DEVICES": ""}, set()),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, set()),
        ({"CUDA_VISIBLE_DEVICES": "GPU-aa01,-1,GPU-aa02"}, {"GPU-aa01"}),
    ],
)
def test_the_environment_names_gpus_only_where_it_is_certain(
    values: dict[str, str], found: set[str] | None
) -> None:
    assert visible([environ(PATH="/bin", **values)], WHOLE, PARTS) == found


def test_of_several_processes_those_that_tell_count_together() -> None:
    told = [environ(), environ(CUDA_VISIBLE_DEVICES="GPU-aa01"), environ(CUDA_VISIBLE_DEVICES="GPU-bb03")]
    assert visible(told, WHOLE, PARTS) == {"GPU-aa01", "GPU-bb03"}


def test_others_on_the_servers_gpu_are_counted(scene: Any) -> None:
    played = scene("rtx4090_normal")
    calls = played.script["devices"][0]["calls"]
    more = [{"pid": 7, "usedGpuMemory": 100}, {"pid": 8, "usedGpuMemory": 200}]
    calls["nvmlDeviceGetGraphicsRunningProcesses"] = {"value": more}
    (gpu,) = played.until(1).gpus(4242)
    assert (gpu.server_bytes, gpu.other_processes, gpu.other_bytes) == (21160263680, 2, 300)
    assert gpu.note == "2 other processes on this GPU"


def test_a_server_that_holds_nothing_holds_zero_when_the_driver_tells_our_processes(
    scene: Any, tmp_path: Path
) -> None:
    for name in ("self", "4242"):
        (tmp_path / name).mkdir()
    (gpu,) = scene("rtx4090_normal", proc=tmp_path).until(1).gpus(77)
    assert (gpu.server_bytes, gpu.serving, gpu.other_processes) == (0, False, 1)


def test_in_a_container_the_list_says_nothing_about_the_server(scene: Any, tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (gpu,) = scene("rtx4090_normal", proc=tmp_path).until(1).gpus(77)
    assert (gpu.server_bytes, gpu.serving, gpu.other_processes) == (None, False, None)
    assert gpu.note == "1 process (pid of the host)"


def test_eight_cards_are_told_apart_by_process(scene: Any) -> None:
    played = scene("eight_h100").until(2)
    gpus = played.gpus(*played.script["server_pids"])
    assert [i for i, gpu in enumerate(gpus) if gpu.serving] == played.script["expect"]["highlighted"]
    assert [i for i, gpu in enumerate(gpus) if gpu.other_processes] == [5]
    assert gpus[5].note == "1 other process on this GPU"


def test_eight_cards_are_told_apart_by_the_environment_where_no_process_matches(
    scene: Any, tmp_path: Path
) -> None:
    for pid in ("self", "300"):
        (tmp_path / pid).mkdir()
    played = scene("eight_h100", proc=tmp_path)
    (tmp_path / "300/environ").write_bytes(environ(**played.script["env_of_server"]))
    for device in played.script["devices"]:
        device["calls"]["nvmlDeviceGetComputeRunningProcesses"] = {"raises": "NotSupported"}
    gpus = played.until(2).gpus(300)
    assert [i for i, gpu in enumerate(gpus) if gpu.serving] == played.script["expect"]["highlighted"]
    assert all(gpu.server_bytes is None and gpu.note == "" for gpu in gpus)


def test_several_cards_and_no_sign_of_the_server_is_said() -> None:
    gpus = shared((Gpu(uuid="a"), Gpu(uuid="b")), (None, None), (5,), None)
    assert [gpu.note for gpu in gpus] == [UNKNOWN, UNKNOWN]
    assert not any(gpu.serving for gpu in gpus)


def test_sizes_that_are_not_told_make_the_sum_unknown_not_smaller() -> None:
    (gpu,) = shared((Gpu(),), (Held({5: None, 6: 10}, True),), (5, 6), None)
    assert (gpu.server_bytes, gpu.serving) == (None, True)


def test_what_the_server_holds_tells_more_than_what_it_may_use() -> None:
    gpus = (Gpu(uuid="a"), Gpu(uuid="b"))
    told = shared(gpus, (Held({5: 10}, True), Held({}, False)), (5,), frozenset("ab"))
    assert [gpu.serving for gpu in told] == [True, False]


def test_a_server_that_holds_nothing_yet_is_not_unknown() -> None:
    gpus = (Gpu(uuid="a"), Gpu(uuid="b"))
    told = shared(gpus, (Held({7: 10}, True), Held({}, False)), (5,), None)
    assert [gpu.note for gpu in told] == ["1 other process on this GPU", ""]
    assert [gpu.server_bytes for gpu in told] == [0, 0]


def test_a_list_of_processes_that_makes_no_sense_is_not_used(scene: Any) -> None:
    played = scene("rtx4090_normal")
    one = played.script["devices"][0]["calls"]["nvmlDeviceGetComputeRunningProcesses"]["value"][0]
    one["usedGpuMemory"] = 2**60
    (gpu,) = played.until(5).gpus(4242)
    assert (gpu.server_bytes, gpu.serving, gpu.absent["server_bytes"]) == (None, False, "not supported here")
    assert len(played.calls("nvmlDeviceGetComputeRunningProcesses")) == 1


def test_a_server_told_to_use_no_gpu_works_on_none() -> None:
    gpus = shared((Gpu(uuid="a"), Gpu(uuid="b")), (None, None), (5,), frozenset())
    assert [(gpu.serving, gpu.note) for gpu in gpus] == [(False, ""), (False, "")]
