"""Which process is the server: the listener, its tree, and those that only stand before it."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tui.probes.listener import is_ours, listeners, serving
from tui.probes.server import GONE, OUTSIDE, REMOTE, Found, Process, family, find, guess, judge, printable
from tui.probes.tree import TreeSource
from tui.probes.watch import AGAIN_S, CHILDREN_S, EAGER, EAGER_S, ServerWatch

LOOPBACK = ipaddress.ip_address("127.0.0.1")


def shape(panels: Path, name: str) -> tuple[dict[str, Any], list[Process]]:
    """A process list of the fixtures."""
    told = json.loads((panels / "net" / "process_trees.json").read_text())[name]
    return told, [
        Process(one["pid"], one["ppid"], one["name"], tuple(one["cmdline"]), one["uid"])
        for one in told["procs"]
    ]


@pytest.mark.parametrize("target", ["127.0.0.1:8080", "127.0.0.1:11434", "127.0.0.1:8081"])
def test_the_listener_of_a_port(panels: Path, target: str) -> None:
    expected = json.loads((panels / "net" / "expected.json").read_text())[target]
    table = (panels / "net" / "proc_net_tcp").read_text()
    found = serving(LOOPBACK, list(listeners(table, int(target.partition(":")[2]))))
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found.uid, found.inode) == (expected["uid"], expected["inode"])


def test_a_listener_on_all_ipv6_addresses_gets_ipv4_too(panels: Path) -> None:
    expected = json.loads((panels / "net" / "expected.json").read_text())["[::]:8000"]
    found = serving(LOOPBACK, list(listeners((panels / "net" / "proc_net_tcp6").read_text(), 8000)))
    assert found is not None
    assert (found.uid, found.inode) == (expected["uid"], expected["inode"])


@pytest.mark.parametrize("name", ["ollama_2026", "ollama_mlx_runner", "vllm", "llama_server_router"])
def test_the_tree_holds_the_process_with_the_memory(panels: Path, name: str) -> None:
    told, everyone = shape(panels, name)
    listener = next(one for one in everyone if one.pid == told["listener"])
    found = judge(listener, [*everyone, Process(9, 1, "other", (), 1000)], "")
    assert (found.pid, found.name) == (told["listener"], listener.name)
    assert set(found.tree) == {one.pid for one in everyone}
    assert set(told.get("memory_holders", [told.get("memory_holder")])) <= set(found.tree)


def test_behind_a_tunnel_the_server_works_elsewhere(panels: Path) -> None:
    _, everyone = shape(panels, "ssh_tunnel")
    assert judge(everyone[0], everyone, "") == Found(
        reason="behind ssh: the real server is elsewhere", remote=True
    )


@pytest.mark.parametrize(
    ("name", "remote"),
    [
        *((name, True) for name in ("kubectl", "socat", "nginx", "caddy", "traefik", "haproxy", "litellm")),
        *(("wslrelay.exe", True), ("com.docker.back", True), ("sshd", True)),
        *(("rootlesskit", False), ("rootlessport", False), ("llama-server", False)),
    ],
)
def test_who_only_passes_requests_on(name: str, remote: bool) -> None:
    one = Process(600, 1, name, (name,), 1000)
    found = judge(one, [one], "")
    assert found.remote is remote
    assert bool(found.pid) is (name == "llama-server")


def test_behind_docker_proxy_the_devices_are_still_the_right_ones(panels: Path) -> None:
    _, everyone = shape(panels, "docker_proxy")
    assert judge(everyone[0], everyone, "") == Found(reason="server is in a container (behind docker-proxy)")


def test_the_server_of_a_service_user_is_matched_by_its_name(panels: Path) -> None:
    told, everyone = shape(panels, "ollama_2026")
    found = guess([*everyone, Process(8, 1, "bash", ("bash",), 997)], 997, told["listen_port"])
    assert found is not None and found.pid == told["listener"]
    assert guess(everyone, 1000, told["listen_port"]) is None


def test_a_port_on_the_command_line_comes_before_a_known_name() -> None:
    everyone = [
        Process(5, 1, "ollama", ("ollama", "serve"), 997),
        Process(6, 1, "python3", ("python3", "-m", "engine", "--port=8123"), 997),
    ]
    found = guess(everyone, 997, 8123)
    assert found is not None and found.pid == 6


def test_an_address_of_another_machine_is_remote() -> None:
    assert not is_ours(ipaddress.ip_address("192.0.2.1"))
    assert find("192.0.2.1", 8080) == Found(reason=REMOTE, remote=True)


def test_inside_of_windows_the_server_may_be_outside_of_this_machine(panels: Path) -> None:
    assert find("127.0.0.1", 8080, panels / "procfs" / "wsl2_16g") == Found(reason=OUTSIDE)
    told, everyone = shape(panels, "no_listener")
    assert (told["listener"], everyone) == (None, [])


def test_names_lose_control_characters() -> None:
    assert printable("ll\x1b[31mama\nserver") == "ll[31mamaserver"


def test_a_real_listener_and_its_child_are_found_and_read() -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            found = find("localhost", port)
            assert found.pid == os.getpid()
            assert child.pid in found.tree and child.pid in family(os.getpid())
            server = TreeSource().read(found, 0)
        finally:
            child.communicate(b"\n")
    assert server is not None
    assert (server.rss_bytes or 0) > 1_000_000
    assert (server.cpu_s or 0) > 0
    assert server.processes == len(found.tree)
    assert find("127.0.0.1", port).reason == "server process not visible: nothing listens here"


def test_counters_of_an_ended_child_stay_in_the_sum(tmp_path: Path) -> None:
    for pid, ticks in ((10, 100), (11, 50)):
        folder = tmp_path / str(pid)
        folder.mkdir()
        (folder / "stat").write_text(f"{pid} (a b) c) S 1 {'0 ' * 9} {ticks} {'0 ' * 9} 5\n")
        (folder / "io").write_text("rchar: 1\nread_bytes: 4096\n")
    source = TreeSource(tmp_path)
    found = Found(10, "server", (10, 11))
    first = source.read(found, 0)
    (tmp_path / "11" / "stat").write_text("")
    second = source.read(found, 1)
    assert first is not None and second is not None
    assert (first.processes, second.processes) == (2, 1)
    assert second.cpu_s == first.cpu_s
    assert second.read_bytes == first.read_bytes == 8192
    assert second.rss_bytes == (first.rss_bytes or 0) / 2
    (tmp_path / "10" / "stat").write_text("")
    assert source.read(found, 2) is None


def test_one_unreadable_process_makes_the_sum_unknown(tmp_path: Path) -> None:
    for pid in (10, 11):
        folder = tmp_path / str(pid)
        folder.mkdir()
        (folder / "stat").write_text(f"{pid} (a) S 1 {'0 ' * 19} 5\n")
    (tmp_path / "10" / "io").write_text("read_bytes: 4096\n")
    server = TreeSource(tmp_path).read(Found(10, "server", (10, 11)), 0)
    assert server is not None
    assert server.read_bytes is None


def test_the_watch_searches_again_when_the_process_is_gone() -> None:
    answers = [Found(5, "server", (5,)), Found(reason="server process not visible"), Found(6, "server", (6,))]
    asked: list[tuple[str, int]] = []

    def search(host: str, port: int) -> Found:
        asked.append((host, port))
        return answers.pop(0)

    watch = ServerWatch(search, lambda pid: (pid, pid + 100))
    watch.refresh()
    assert asked == []
    watch.target("127.0.0.1", 80)
    watch.refresh()
    assert watch.found.pid == 5
    watch.refresh()
    assert (watch.found.tree, len(asked)) == ((5, 105), 1)
    watch.gone(watch.found)
    watch.refresh()
    assert watch.found == Found(reason=GONE)
    watch.refresh()
    assert watch.found.pid == 6
    assert asked == [("127.0.0.1", 80)] * 3


def test_children_are_looked_for_often_after_a_phase_began() -> None:
    watch = ServerWatch(lambda host, port: Found(5, "server", (5,)), family)
    assert watch.pause_s() == AGAIN_S
    watch.target("127.0.0.1", 80)
    watch.refresh()
    assert watch.pause_s() == CHILDREN_S
    watch.look()
    assert [watch.pause_s() for _ in range(EAGER + 1)] == [EAGER_S] * EAGER + [CHILDREN_S]


def test_a_remote_server_is_not_searched_again() -> None:
    asked = []
    watch = ServerWatch(lambda host, port: asked.append(host) or Found(reason=REMOTE, remote=True), family)
    watch.target("example.org", 443)
    watch.refresh()
    watch.refresh()
    assert (asked, watch.found.remote) == (["example.org"], True)
