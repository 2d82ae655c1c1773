"""How far toklane reaches: what listens and for whom, what is asked without a key, and where no key goes."""

from __future__ import annotations

import json
import os
import socket
import stat
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from tests.endings.conftest import Start
from tests.secrets.echoing import KEY, Echoing
from tui.capture.recorder import Recorder
from tui.capture.shelf import Shelf
from tui.domain.knobs import Knobs
from tui.engines.embedded import EmbeddedEngine
from tui.settings import last, owned
from tui.settings.surroundings import without_keys


def own_addresses() -> list[str]:
    """Addresses of this machine beside 127.0.0.1; the first one is there on every Linux."""
    told = [
        each.address
        for all_of in psutil.net_if_addrs().values()
        for each in all_of
        if each.family == socket.AF_INET
    ]
    return ["127.0.0.2", *(address for address in told if not address.startswith("127."))]


def test_the_built_in_engine_listens_on_loopback_only(engine: EmbeddedEngine) -> None:
    port = int(engine.base_url.rpartition(":")[2])
    for address in own_addresses():
        with pytest.raises(ConnectionError), socket.create_connection((address, port), 5):
            pass


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/completion", "/slots", "/props", "/tokenize"])
def test_the_built_in_engine_wants_its_key(engine: EmbeddedEngine, path: str) -> None:
    body = None if path in ("/slots", "/props") else b"{}"
    for key in ("", "Bearer ", "Bearer wrong"):
        request = urllib.request.Request(engine.base_url + path, body, {"Authorization": key} if key else {})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
        with refused.value as answer:
            assert answer.status == 401
    assert len(engine.api_key) >= 32
    assert engine.api_key not in " ".join(psutil.Process(engine.pid).cmdline())
    assert engine.api_key not in repr(psutil.Process(engine.pid).environ())


def test_a_redirect_takes_the_key_nowhere(start: Start, tmp_path: Path) -> None:
    with Echoing() as other, Echoing(307, f"{other.url}/v1/chat/completions") as server:
        process = start(
            "run", "--url", server.url, "--api-key-env", "MY_KEY", "--prompt-tokens", "128", MY_KEY=KEY
        )
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "307" in errors and other.url in errors
        assert other.asked == []
        assert KEY in server.keys


def test_looking_for_an_engine_only_reads(start: Start) -> None:
    with Echoing() as server:
        process = start("doctor", "--url", server.url, "--api-key-env", "MY_KEY", MY_KEY=KEY)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert {method for method, _ in server.asked} == {"GET"}


def test_no_proxy_is_asked_for_anything(start: Start) -> None:
    """A proxy that everybody names, and an engine that is no loopback name to it."""
    with Echoing() as proxy, Echoing() as server:
        names = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
        told = dict.fromkeys(names, proxy.url) | {"NO_PROXY": "", "no_proxy": ""}
        process = start("run", "--url", server.url, "--prompt-tokens", "128", **told)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        process = start("doctor", "--url", server.url, "--json", **told)
        out, errors = process.communicate(timeout=60)
        assert proxy.asked == []
        assert json.loads(out)["proxies_ignored"]
        assert proxy.url not in out, "only its variable is named: it may hold a password"


def test_whatever_the_umask_files_are_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path / "a" / "b"))
    before = os.umask(0)
    try:
        last.save(last.Last(Knobs(), "dark"))
        from datetime import datetime

        Shelf(tmp_path / "a" / "b" / "state" / "runs").reserve(datetime(2026, 1, 1))
    finally:
        os.umask(before)
    made = [tmp_path / "a", *(tmp_path / "a").rglob("*")]
    assert len(made) == 6
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("trick", ["symbolic", "hard"])
def test_nothing_is_written_through_a_link(tmp_path: Path, trick: str) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    bait = tmp_path / "bait.jsonl"
    if trick == "symbolic":
        bait.symlink_to(victim)
    else:
        bait.hardlink_to(victim)
    with pytest.raises(OSError):
        owned.plain(bait, os.O_WRONLY | os.O_APPEND)
    with pytest.raises(OSError):
        owned.new(bait)
    with pytest.raises(OSError):
        Recorder(str(bait), lambda reason: None)
    owned.replaced(bait, b"new")
    assert victim.read_bytes() == b""
    assert bait.read_bytes() == b"new" and not bait.is_symlink()


def test_a_link_in_the_draft_s_place_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"old")
    (tmp_path / f"last.json.{os.getpid()}").symlink_to(victim)
    owned.replaced(tmp_path / "last.json", b"new")
    assert victim.read_bytes() == b"old" and (tmp_path / "last.json").read_bytes() == b"new"


def test_what_sounds_like_a_key_stays_with_its_parent() -> None:
    kept = {
        "PATH": "/bin",
        "TOKLANE_HOME": "/h",
        "TOKLANE_API_KEY_ENV": "MY_KEY",
        "PYTHONPATH": "x",
        "LANG": "C",
    }
    secret = dict.fromkeys(
        ("MY_KEY", "OPENAI_API_KEY", "hf_token", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD"), "x"
    )
    assert without_keys(kept | secret) == kept
