"""Control groups: the limit that holds, stalls, and kills that are counted after the end."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tui.domain.machine import Reading
from tui.probes.cgroup import Group, events, home, limit
from tui.probes.linux import LinuxSource

SECOND = 1_000_000_000


@pytest.mark.parametrize("case", ["v2_limited", "v2_unlimited", "v2_parent_lower", "v1_limited"])
def test_the_smallest_limit_of_all_ancestors_holds(panels: Path, case: str) -> None:
    folder = panels / "cgroup" / case
    expected = json.loads((folder / "expected.json").read_text())
    found = limit((folder / "proc_self_cgroup").read_bytes(), folder / "sys_fs_cgroup")
    if expected["limit"] is None:
        assert found is None
    else:
        assert found is not None
        assert (found.limit_bytes, found.available_bytes) == (expected["limit"], expected["available"])
        assert found.group == expected.get("limited_by", "/")


def test_the_group_of_a_container_tells_its_own_stalls_and_kills(panels: Path, tmp_path: Path) -> None:
    folder = panels / "cgroup" / "v2_limited"
    proc = tmp_path / "4242"
    proc.mkdir()
    (proc / "cgroup").write_bytes((folder / "proc_self_cgroup").read_bytes())
    group = Group(tmp_path, folder / "sys_fs_cgroup")
    expected = json.loads((folder / "expected.json").read_text())
    told = group.read(4242, expected["host_total_if_naive"], 0)
    assert (told["group_stall_some_us"], told["group_stall_full_us"]) == (812330, 401220)
    assert (told["group_oom_kills"], told["limit_hits"]) == (0, 0)
    assert (told["limit_bytes"], told["limit_available_bytes"]) == (expected["limit"], expected["available"])
    assert told["limit_group"] == "/"
    assert set(Reading.__dataclass_fields__) >= set(told)
    assert "limit_bytes" not in group.read(4242, 2**30, 0)


def test_the_group_of_a_server_is_counted_after_its_end(panels: Path, tmp_path: Path) -> None:
    root, proc = tmp_path / "cgroup", tmp_path / "proc"
    shutil.copytree(panels / "cgroup" / "v2_limited" / "sys_fs_cgroup", root)
    (proc / "7").mkdir(parents=True)
    (proc / "7" / "cgroup").write_text("0::/\n")
    group = Group(proc, root)
    assert group.read(7, None, 0)["group_oom_kills"] == 0
    shutil.rmtree(proc / "7")
    (root / "memory.events").write_text("oom 1\noom_kill 1\n")
    assert group.read(7, None, SECOND)["group_oom_kills"] == 1
    assert "group_oom_kills" not in group.read(0, None, 2 * SECOND)


def test_a_host_with_a_terabyte_shows_its_container(panels: Path) -> None:
    proc = panels / "procfs" / "container_host_1t"
    ram_bytes = LinuxSource(proc, proc / "sys", 4096).read(0)["ram_total_bytes"]
    assert ram_bytes > 10**12
    folder = panels / "cgroup" / "v2_limited"
    group = Group(panels / "procfs" / "container_host_1t", folder / "sys_fs_cgroup")
    told = group.read(0, ram_bytes, 0)
    assert told["limit_bytes"] == 96636764160


def test_the_first_version_of_control_groups_counts_kills_but_no_soft_limit(panels: Path) -> None:
    folder = panels / "cgroup" / "v1_limited"
    found = home((folder / "proc_self_cgroup").read_bytes(), folder / "sys_fs_cgroup")
    assert found == (folder / "sys_fs_cgroup" / "memory", 1)
    assert events(b"oom_kill_disable 0\nunder_oom 0\noom_kill 3\n") == {
        "group_oom_kills": 3,
        "limit_hits": None,
    }


def test_what_is_left_is_the_least_below_any_limit_on_the_way(tmp_path: Path) -> None:
    """The parent's limit is larger, but others have used it up."""
    (tmp_path / "slice/unit").mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory\n")
    for folder, most, current in (("slice", 8 << 30, (8 << 30) - 1000), ("slice/unit", 4 << 30, 1 << 30)):
        (tmp_path / folder / "memory.max").write_text(f"{most}\n")
        (tmp_path / folder / "memory.current").write_text(f"{current}\n")
    found = limit(b"0::/slice/unit\n", tmp_path)
    assert found is not None
    assert (found.limit_bytes, found.group, found.available_bytes) == (4 << 30, "/slice/unit", 1000)
