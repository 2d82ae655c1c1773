"""Doctor: what it tells of the machine, the terminal and the files, and what `--clear` deletes."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tui import cli, locations
from tui.capture.target import Target
from tui.domain.machine import Gpu, Reading, Server
from tui.engines.abilities.ability import Case
from tui.engines.abilities.table import abilities
from tui.engines.found import Found, Model
from tui.engines.urls import Base
from tui.report.doctor import places
from tui.report.doctor.findings import Findings, engine_of
from tui.report.doctor.lines import _abilities, lines
from tui.report.doctor.objects import findings_object
from tui.report.doctor.probed import groups
from tui.report.doctor.program import BuiltIn, program
from tui.report.doctor.start import doctor
from tui.report.doctor.terminal import Terminal, terminal

ENGINES = (
    "llama.cpp", "vllm", "nim", "nim-vllm", "nim-sglang", "sglang", "trtllm", "ollama", "lmstudio", "mlx-lm",
    "koboldcpp", "tgi", "lmdeploy", "exo", "mistralrs", "omlx", "lemonade", "llamafiler", "ovms", "groq",
    "fireworks", "openai",
)  # fmt: skip
XTERM = Terminal("xterm-256color", 256, False, True, "utf-8", (120, 36), "", False, True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    return tmp_path


def findings(*found: Found, built_in: str = "2026.9", problem: str = "") -> Findings:
    inside = BuiltIn(built_in, "SmolLM2", Path("/cache/model.gguf"), bool(built_in))
    engines = tuple(map(engine_of, found))
    return Findings(program(), engines, (), inside, groups(None), {}, XTERM, (), problem)


def text(told: Findings) -> str:
    return "\n".join(lines(told)) + "\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("features", [{}, {"metrics": True}, {"per_request": True}, {"native_chat": False}])
def test_every_phase_is_one_line_of_80_columns(engine: str, features: dict[str, bool]) -> None:
    told = abilities(Case(engine, features=features))
    written = list(_abilities(told))
    rows = [line for line in written if "→" not in line and line.startswith("    ") and line[4] != " "]
    assert len(rows) == len(told)
    assert max(map(len, written)) <= 80
    first = next((at for at, line in enumerate(written) if "→" in line), len(written))
    assert first == len(told), written


def test_without_an_engine_the_built_in_one_is_described() -> None:
    told = text(findings())
    assert "engines\n  none answers on the usual local ports; --url names another address\n" in told
    assert "    prefill        ● measured         prompt_ms in its timings\n" in told
    missing = text(findings(built_in=""))
    told = " ".join(missing.split())
    assert " library not installed: .venv/bin/pip install '.[embedded]' in the clone of toklane " in told
    assert "prompt_ms" not in missing


def test_another_machine_and_a_wanted_key_are_said() -> None:
    base = Base("http://10.0.0.7:8000")
    found = Found("vllm", base, "m", (Model("m"),), auth_needed=True, loading=True)
    told = text(findings(found))
    assert "    key            it wants one: --api-key-env VAR or --api-key-file FILE\n" in told
    assert "    loading        it is not ready yet: it loads its model\n" in told
    assert "the engine is on another machine: none of this is about it" in told
    assert findings_object(findings(found))["machine"]["about_the_server"] is False  # type: ignore[index]


def test_models_are_told_with_what_is_known_and_many_are_counted() -> None:
    models = (
        Model("/home/x/q.gguf", "q.gguf", "Q4_1", context=8192, loaded=True),
        Model("b", context_most=4096, loaded=False, remote=True),
        *(Model(f"m{n}") for n in range(6)),
    )
    told = text(findings(Found("llama.cpp", Base("http://127.0.0.1:8080"), "/home/x/q.gguf", models)))
    assert "    model          q.gguf · Q4_1 · context 8,192 · loaded (requests go to it)\n" in told
    assert "    model          b · at most 4,096 · not loaded · runs elsewhere\n" in told
    assert "                   and 3 more\n" in told
    assert "/home/x" not in told


def test_a_certificate_that_nobody_checks_and_a_proxy_that_nobody_uses_are_said() -> None:
    found = Found("openai", Base("https://h:1"), "m")
    engines = (engine_of(found, Target("https://h:1", insecure=True)),)
    told = replace(findings(found), engines=engines, proxies=("HTTPS_PROXY",))
    assert "    certificate    not checked (--insecure): anybody could answer there\n" in text(told)
    assert "  proxy          none is used; not heeded: HTTPS_PROXY\n" in text(told)
    as_json = json.loads(json.dumps(findings_object(told)))
    assert (as_json["engines"][0]["certificate"], as_json["proxies_ignored"]) == (
        "unchecked",
        ["HTTPS_PROXY"],
    )


def test_hostile_names_are_made_harmless() -> None:
    found = Found("vllm", Base("http://127.0.0.1:1"), "m", (Model("\x1b[31mred\n\u202e"),))
    told = text(findings(replace(found, conditions={"engine_version": "1\x07"})))
    assert "\x1b" not in told and "\x07" not in told and "\u202e" not in told


def test_json_has_all_keys_always() -> None:
    told = json.loads(json.dumps(findings_object(findings()), allow_nan=False))
    assert told["format"] == "toklane/1"
    assert set(told) == {
        "format", "usable", "problem", "program", "engines", "slow", "proxies_ignored", "built_in", "machine",
        "terminal", "files",
    }  # fmt: skip
    full = json.loads(json.dumps(findings_object(findings(Found("openai", Base("http://h:1"), "m")))))
    (engine,) = full["engines"]
    assert set(engine) == {
        "name", "version", "address", "model", "models", "context_length", "slots", "auth_needed", "loading",
        "hosted", "here", "features", "phases", "counts", "tokenizer", "certificate", "cold", "caution",
    }  # fmt: skip
    queue = engine["phases"][2]
    assert queue == {
        "name": "queue",
        "status": "waited",
        "mark": "–",
        "source": "queue, tokenize and prefill are one wait",
        "when": None,
        "remedy": "`toklane run --calibrate` estimates the split (≈)",
    }


def test_a_command_that_a_remedy_names_is_one() -> None:
    commands = {
        ability.remedy.split("`")[1]
        for engine in ENGINES
        for ability in abilities(Case(engine))
        if "`" in ability.remedy
    }
    assert commands
    for command in commands:
        name, *words = command.split()
        assert name == "toklane"
        assert cli.parse(words).command in cli.COMMANDS


def test_each_group_of_the_machine_is_readable_or_says_why() -> None:
    gpu = Gpu("RTX", util_pct=3.0, power_w=20.0, note="power of the whole card")
    reading = Reading(
        1,
        ram_total_bytes=2**34,
        ram_available_bytes=2**33,
        limit_bytes=2**32,
        swap_in_bytes=0,
        cpu_busy_s=1.0,
        cpu_cores=8,
        gpus=(gpu,),
        server=Server(7, "llama-server", rss_bytes=5),
        absent={"stall_some_us": "the kernel counts no stalls"},
    )
    told = {group.name: group for group in groups(reading)}
    assert told["memory"].told == "16.0 GiB, limit of its group 4.00 GiB"
    assert told["swap"].told == "there is none"
    assert not told["memory stalls"].readable and told["memory stalls"].told == "the kernel counts no stalls"
    assert not told["clock"].readable and told["clock"].told == "not readable on this machine"
    assert told["GPU"].told.startswith("RTX: use, power; not memory, energy")
    assert told["server"].told == "process 7 llama-server, memory"
    slow = Reading(1, gpu_reason="asking the NVIDIA driver", server_reason="looking for the server")
    late = {group.name: group.told for group in groups(slow)}
    assert late["GPU"] == late["server"] == "no answer"


class Tty(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "colours", "inside", "ssh", "screen"),
    [
        ({"TERM": "xterm-256color"}, 256, "", False, True),
        ({"TERM": "xterm", "COLORTERM": "truecolor", "TMUX": "/tmp/x,1,0"}, 1 << 24, "tmux", False, True),
        ({"TERM": "linux", "SSH_TTY": "/dev/pts/1"}, 16, "", True, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, 0, "", False, True),
        ({"TERM": "dumb"}, 0, "", False, False),
    ],
)
def test_a_terminal_is_described_by_its_variables(
    environ: dict[str, str], colours: int, inside: str, ssh: bool, screen: bool
) -> None:
    stream = Tty(io.BytesIO(), encoding="utf-8")
    told = terminal(environ, stream, stream)
    assert (told.colours, told.inside, told.ssh, told.screen) == (colours, inside, ssh, screen)
    assert told.utf8 and told.size is not None
    piped = terminal(environ, io.TextIOWrapper(io.BytesIO(), encoding="latin-1"), None)
    assert not piped.screen and piped.size is None and not piped.utf8


def recorded(home: Path) -> Path:
    runs = home / "state" / "runs"
    runs.mkdir(parents=True)
    for number in (1, 2):
        (runs / f"20260901-10000{number}-run000{number}.jsonl").write_bytes(b"x" * 1024)
    (runs / "mine.jsonl").write_text("not ours")
    (home / "state" / "last.json").write_text("{}")
    return runs


def test_clear_deletes_runs_and_what_they_taught_and_nothing_else(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = recorded(home)
    locations.experience_file().write_bytes(b"y" * 512)
    assert doctor(cli.parse(["doctor", "--clear"])) == 0
    assert capsys.readouterr().out == (
        f"deleted 2 recorded runs and what they taught, 2.50 KiB, from {runs}\n"
    )
    assert sorted(file.name for file in (home / "state").rglob("*")) == ["last.json", "mine.jsonl", "runs"]
    assert doctor(cli.parse(["doctor", "--clear"])) == 0
    assert capsys.readouterr().out == f"nothing to delete: no recorded runs in {runs}\n"


def test_clear_as_json(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(home)
    assert doctor(cli.parse(["doctor", "--clear", "--json"])) == 0
    assert json.loads(capsys.readouterr().out) == {
        "format": "toklane/1",
        "cleared": {"runs": 2, "learned": 0, "size_bytes": 2048, "problem": None},
    }


def test_files_are_told_with_number_and_size(home: Path) -> None:
    recorded(home)
    told = {place.name: place for place in places.places()}
    assert (told["recordings"].count, told["recordings"].size_bytes) == (2, 2048)
    assert told["last used"].size_bytes == 2 and told["settings"].size_bytes is None
    written = " ".join(text(replace(findings(), places=places.places())).split())
    assert f" recordings {home}/state/runs (2 runs, 2.00 KiB) learned " in written
