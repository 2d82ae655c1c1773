"""The built-in engine: real llama.cpp on a real model, in a process that never outlives the program."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import psutil
import pytest

from tui.engines import embedded
from tui.engines.embedded import EmbeddedEngine, Failed, Loading, Ready, Starting

DEADLINE_S = 60

PARENT = """
import sys, threading
from pathlib import Path
from tui.engines import embedded
started = []
start = lambda: started.append(embedded.start(Path(sys.argv[1])))
if sys.argv[2] == "thread":
    thread = threading.Thread(target=start); thread.start(); thread.join()
else:
    start()
if sys.argv[3] == "ready":
    started[0].wait()
print(started[0].pid, flush=True)
threading.Event().wait()
"""


def ask(engine: EmbeddedEngine, path: str, key: str | None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.get(engine.base_url + path, headers=headers, trust_env=False, timeout=DEADLINE_S)


def test_it_answers_who_has_the_key(engine: EmbeddedEngine, gguf: Path) -> None:
    models = ask(engine, "/v1/models", engine.api_key).json()
    assert models["data"][0]["id"] == gguf.stem
    assert ask(engine, "/v1/models", None).status_code == 401
    assert ask(engine, "/slots", engine.api_key).json()[0]["n_ctx"] == 8192


def test_it_reports_the_prefill_every_64_tokens(engine: EmbeddedEngine) -> None:
    body = {
        "messages": [{"role": "user", "content": "one two three four " * 45}],
        "max_tokens": 2,
        "stream": True,
        "return_progress": True,
        "cache_prompt": False,
    }
    with httpx.stream(
        "POST",
        engine.base_url + "/v1/chat/completions",
        json=body,
        headers={"Authorization": f"Bearer {engine.api_key}"},
        trust_env=False,
        timeout=DEADLINE_S,
    ) as reply:
        stream = reply.read().decode()
    assert reply.status_code == 200
    assert '"processed":64,' in stream
    assert '"processed":128,' in stream
    assert stream.rstrip().endswith("[DONE]")


def test_it_listens_on_loopback_only(engine: EmbeddedEngine) -> None:
    listening = [c.laddr for c in psutil.Process(engine.pid).net_connections() if c.status == "LISTEN"]
    assert [address.ip for address in listening] == ["127.0.0.1"]
    assert engine.base_url == f"http://127.0.0.1:{listening[0].port}"


def test_the_key_shows_nowhere(engine: EmbeddedEngine) -> None:
    process = psutil.Process(engine.pid)
    seen = [repr(engine), *process.cmdline(), *process.environ().values()]
    assert not any(engine.api_key in text for text in seen)


def test_the_start_does_not_wait_and_every_state_is_told(gguf: Path) -> None:
    with embedded.start(gguf) as engine:
        assert isinstance(engine.state, Starting | Loading)
        ready = engine.wait(DEADLINE_S)
        assert isinstance(ready, Ready)
        assert 0 < ready.load_ns < ready.start_ns
    assert engine.state == Failed("the built-in engine was stopped")
    assert not psutil.pid_exists(engine.pid)
    engine.stop()


def test_ctrl_c_is_not_for_the_engine(engine: EmbeddedEngine) -> None:
    os.kill(engine.pid, signal.SIGINT)
    assert ask(engine, "/health", None).status_code == 200
    assert os.getpgid(engine.pid) != os.getpgid(0)


def test_it_outlives_the_thread_that_started_it(gguf: Path) -> None:
    started: list[EmbeddedEngine] = []
    thread = threading.Thread(target=lambda: started.append(embedded.start(gguf)))
    thread.start()
    thread.join()
    with started[0] as engine:
        assert isinstance(engine.wait(DEADLINE_S), Ready)


@pytest.mark.parametrize(("where", "when"), [("main", "loading"), ("thread", "loading"), ("thread", "ready")])
def test_a_killed_program_leaves_no_engine(gguf: Path, where: str, when: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(gguf), where, when], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        engine = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        engine.wait(DEADLINE_S)  # raises when it is still there


def test_an_engine_that_dies_says_how(gguf: Path) -> None:
    with embedded.start(gguf) as engine:
        engine.wait(DEADLINE_S)
        os.kill(engine.pid, signal.SIGKILL)
        with engine._changed:
            assert engine._changed.wait_for(lambda: isinstance(engine.state, Failed), DEADLINE_S)
    assert engine.state == Failed("the built-in engine has ended (signal 9)")


@pytest.mark.parametrize(
    ("name", "why"),
    [("text.gguf", "invalid magic characters"), ("none.gguf", "No such file")],
)
def test_a_file_that_is_no_model_is_named(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "text.gguf").write_text("\x1b[31mnot a model\n" * 100)
    with embedded.start(tmp_path / name) as engine:
        failed = engine.wait(DEADLINE_S)
    assert isinstance(failed, Failed)
    assert why in failed.why
    assert failed.why.isprintable()


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ModuleNotFoundError(name='xllamacpp')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with embedded.start(tmp_path / "any.gguf") as engine:
        failed = engine.wait(DEADLINE_S)
    assert failed == Failed(
        "the built-in engine needs the module xllamacpp:"
        " .venv/bin/pip install '.[embedded]' in the clone of toklane"
    )
