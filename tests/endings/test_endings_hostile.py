"""Text from outside is only ever text: in a terminal, in pipes, in files, wherever it is shown."""

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.hostile import ALL, LINES, SEQUENCES, Server, alien, streamed
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment
from tui.capture.lines import to_line
from tui.domain.wire import End, Meta, Note, Read, Sample

STREAM = streamed(
    "begin ",
    *SEQUENCES.values(),
    "\n" + LINES,
    *ALL,
    " the end",
    reasoning=f"thinks {ALL}",
    tool=f"tool{ALL}",
    finish=f"stop{ALL}",
)
PAGES = "?eidwn23456\x10"
RULE = "─" * 20
_DRAWN = {"svg", "style", "defs", "clipPath", "rect", "g", "circle", "text", "title"}


def sound(terminal: Terminal) -> None:
    """It goes when it is told to, and sent nothing but text."""
    for _ in range(5):
        terminal.press("q")
        with suppress(AssertionError):
            terminal.end(4)
            break
        terminal.press(
            "\x1b"
        )  # a busy program read the escape before the q and that as one key: a page is open
        terminal.settle(1)
    assert terminal.process.returncode == 0
    assert terminal.restored
    assert alien(terminal.written) == []


def seen(terminal: Terminal, pages: str) -> None:
    """Open each page and go back."""
    for page in pages:
        terminal.press(page)
        terminal.settle(0.2)
        terminal.press("\x1b")
        terminal.settle(0.15)  # at once with the next key it would be alt


def ruled(terminal: Terminal) -> list[int]:
    """How long each rule of the screen is."""
    return [len(line) for line in terminal.text.split("\n") if RULE in line]


def plain(text: str) -> None:
    """Lines for a pipe: no control but the line's end, nothing that turns or hides text."""
    assert alien(text.encode("utf-8", "surrogateescape")) == []
    assert "\x1b" not in text and "\r" not in text


def told(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    plain(err)
    return out, err


def test_an_answer_a_model_and_a_version_are_only_text_on_every_page(monitor: Monitor) -> None:
    with Server(ALL, STREAM) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.settle(0.2)
        before = ruled(terminal)
        terminal.press("\r")
        terminal.wait_for("Finished")
        terminal.settle(0.2)
        # those around the answer; the titles of the machine's panels above change with the machine
        assert ruled(terminal)[-2:] == before[-2:]
        seen(terminal, PAGES)
        terminal.wait_for("Finished")
        assert "[@click=app.quit]" in terminal.text
        sound(terminal)


@pytest.mark.parametrize(
    "word", ["[/", "m [b +", "m\x1b[", "m\x1b]0;PWNED", "\u202em", "漢\u0301"], ids=ascii
)
def test_names_that_begin_something_and_never_end_it_are_only_text(monitor: Monitor, word: str) -> None:
    with Server(word, streamed(word, reasoning=word, tool=word), cut=1) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.wait_for("Finished")
        seen(terminal, "e")
        sound(terminal)


@pytest.mark.parametrize("status", [307, 404, 500])
def test_a_servers_error_is_only_text(monitor: Monitor, status: int) -> None:
    with Server(ALL, refusal=status) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.until(lambda: f"{status}" in terminal.text)
        seen(terminal, "d")
        sound(terminal)


def test_an_address_is_only_text(monitor: Monitor) -> None:
    """One that can be none is refused, one that can is shown."""
    terminal = monitor("--url", f"http://127.0.0.1:9/{ALL}".replace("\0", ""))
    assert terminal.end() == 2
    assert alien(terminal.written) == []
    terminal = monitor("--url", "http://127.0.0.1:9/[b/[@click=app.quit]%1b[2J")
    terminal.wait_for("127.0.0.1:9")
    seen(terminal, "e")
    sound(terminal)


def test_a_word_of_a_megabyte_is_shown_and_leaves_the_keys_alive(monitor: Monitor) -> None:
    word = "\u202e漢\x1b[2J" * 100_000
    with Server(
        "m", streamed(*(word[at : at + 50_000] for at in range(0, len(word), 50_000))), cut=60_000
    ) as server:
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.wait_for("Finished")
        seen(terminal, "6")
        sound(terminal)


@pytest.mark.parametrize("words", [(), ("--json",), ("--plain",)], ids=str)
def test_a_request_without_a_screen_tells_only_text(start: Start, words: tuple[str, ...]) -> None:
    with Server(ALL, STREAM) as server:
        out, _ = told(start("run", "--url", server.url, *words))
    plain(out)
    if "--json" in words:
        (run,) = json.loads(out)["runs"]
        assert run["answer_text"].endswith("the end")
        assert SEQUENCES["csi"] in run["answer_text"]


@pytest.mark.parametrize("words", [(), ("--json",)], ids=str)
def test_the_doctor_tells_only_text(start: Start, words: tuple[str, ...]) -> None:
    with Server(ALL) as server:
        out, _ = told(start("doctor", "--url", server.url, *words))
    plain(out)
    assert out.isascii() and json.loads(out) if words else "llama.cpp" in out


@pytest.mark.parametrize("status", [307, 404, 500])
def test_an_error_without_a_screen_is_only_text(start: Start, status: int) -> None:
    with Server(ALL, refusal=status) as server:
        out, err = told(start("run", "--url", server.url))
    plain(out)
    assert str(status) in err


# -- files --------------------------------------------------------------------------------------------------


def recording(folder: Path) -> Path:
    """One whose every word is hostile, its name too."""
    conditions = {name: ALL for name in ("engine_version", "model", "file", "quantization", "connection")}
    meta = {
        "engine": "llama.cpp",
        "title": ALL,
        "url": f"http://127.0.0.1:1/{ALL}",
        "engine_version": ALL,
        "request": {"path": "/v1/chat/completions", "body": {"model": ALL, "seed": ALL}},
        "conditions": conditions | {"\x1b[2J": ALL, "start_time": ALL, "note": [ALL, {"a": "\ud800"}]},
    }
    gpu = {"name": ALL, "uuid": ALL, "util_pct": 5, "reason": ALL, "note": ALL}
    host = {"cpu": ALL, "memory": "\udcff", "\x1b[2J": ALL}
    fields = {"gpus": [gpu], "host": host, "server": {"pid": 1, "name": f"{ALL}\udcff", "note": ALL}}
    records = [
        Meta(meta),
        Note(0, "sent"),
        Sample(1, fields),
        Note(1000, "head", {"status": 200, "headers": [["Server", ALL], [ALL, "x"]]}),
        *(Read(2000 + 1000 * n, data) for n, data in enumerate(STREAM[:-1])),
        End(9_000_000, "error", f"gone {ALL}"),
    ]
    file = folder / os.fsdecode(b"run \x1b[2J\n\xff[bold]\xe2\x80\xae.jsonl")
    file.write_bytes(b"".join(map(to_line, records)))
    return file


def test_a_recording_is_only_text_on_the_screen(monitor: Monitor, tmp_path: Path) -> None:
    terminal = monitor("replay", str(recording(tmp_path)))
    terminal.wait_for("Finished")
    seen(terminal, PAGES)
    sound(terminal)


@pytest.mark.parametrize("words", [("--json",), ("--plain",), ()], ids=str)
def test_a_recording_without_a_screen_is_only_text(
    start: Start, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out, _ = told(start("replay", str(recording(tmp_path)), *words))
    plain(out)
    if "--json" in words:
        assert out.isascii() and "\\ud800" not in out
        assert json.loads(out)["answer_text"].startswith("begin")


def test_a_file_that_is_none_is_named_in_text(start: Start, tmp_path: Path) -> None:
    for name in (b"none\x1b[2J\n\xff", b"there\x1b]0;PWNED\x07"):
        file = tmp_path / os.fsdecode(name)
        if name.startswith(b"there"):
            file.write_text("\x1b[2J")
        out, err = told(start("replay", str(file)))
        assert out == "" and err.count("\n") == 1


def test_themes_of_the_user_are_only_text(monitor: Monitor, start: Start, own_home: Path) -> None:
    shipped = (Path(__file__).parents[2] / "themes" / "dark.toml").read_text()
    title = next(line for line in shipped.split("\n") if line.startswith("title"))
    folder = own_home / "config" / "themes"
    folder.mkdir(parents=True)
    for number, word in enumerate(SEQUENCES.values()):
        name = f"{number}{word}".replace("/", "_").replace("\0", "")
        (folder / f"{name}.toml").write_text(shipped.replace(title, f"title = {json.dumps(word)}"))
    (folder / os.fsdecode(b"\xff\x1b[2J.toml")).write_text("title = \x1b")
    out, _ = told(start("themes"))
    plain(out)
    terminal = monitor("--demo")
    terminal.wait_for("e your engine")
    for _ in range(4):
        terminal.press("t")
        terminal.settle(0.2)
    terminal.press("\x10")
    terminal.wait_for("type what you want to do")
    terminal.press("theme")
    terminal.wait_for("take these colours")
    terminal.press("\x1b")
    terminal.wait_for("e your engine")
    terminal.settle(0.2)
    sound(terminal)


@pytest.mark.parametrize(
    "words",
    [
        (ALL,),
        ("run", "--engine", ALL),
        ("run", "--url", f"http://127.0.0.1:1/{ALL}"),
        ("run", "--url", ALL),
        ("run", f"--{ALL}"),
        ("run", "--prompt-tokens", ALL),
        ("run", "--api-key-env", ALL),
        ("run", "--api-key-file", ALL),
        ("run", "--cache", ALL),
        ("completions", ALL),
    ],
    ids=lambda words: " ".join(words)[:14],
)
def test_words_that_were_typed_come_back_as_text(start: Start, words: tuple[str, ...]) -> None:
    process = start(*(word.replace("\0", "") for word in words))
    out, err = told(process)
    plain(out)
    assert process.returncode in (2, 3) and err.count("\n") <= 2


@pytest.mark.parametrize(
    "line", ["theme = {0}", "url = {0}", "{0} = 1", "[keys]\n{0} = 'q'", "[keys]\nquit = {0}"]
)
def test_settings_that_cannot_be_used_are_named_in_text(start: Start, own_home: Path, line: str) -> None:
    folder = own_home / "config"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(line.format(json.dumps(ALL.replace("\x7f", ""))))
    process = start("run", "--plain")
    out, err = told(process)
    assert process.returncode in (2, 3) and out == "" and err.count("\n") <= 2


def test_a_screenshot_is_sound_xml(own_home: Path, tmp_path: Path) -> None:
    """It is written where the program was started."""
    words = ["env", "-C", str(tmp_path), *TOKLANE, "--url"]
    environ = environment(own_home, PYTHONPATH=str(ROOT))
    with Server(ALL, STREAM) as server, Terminal([*words, server.url], environ) as terminal:
        terminal.wait_for("enter sends")
        terminal.press("\r")
        terminal.wait_for("Finished")
        terminal.press("\x13")
        terminal.wait_for("saved ")
        sound(terminal)
    (picture,) = tmp_path.glob("*.svg")
    drawn = ET.fromstring(picture.read_text(encoding="utf-8"))
    assert {it.tag.rpartition("}")[2] for it in drawn.iter()} <= _DRAWN
    assert "[@click=app.quit]" in "".join(drawn.itertext()).replace("\xa0", " ")
