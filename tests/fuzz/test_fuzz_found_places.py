"""What mangled bytes have broken once beside the stream: each kind, as small as it can be."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.domain.headers import LLAMA_8B, gguf
from tui import cli
from tui.capture.channel import Child
from tui.capture.frames import BROKEN, Gone, Mark, Unpacker, pack
from tui.capture.recording import read
from tui.domain.calibration import calibration_from
from tui.domain.gguf import parse, weights
from tui.domain.gguf_shape import shape_of
from tui.domain.state import learned
from tui.plot.cells import clean, shorn
from tui.settings import toml
from tui.settings.options import BY_NAME
from tui.settings.themes import ThemeError
from tui.settings.themes import parse as theme
from tui.settings.tour_script import ScriptError
from tui.settings.tour_script import parse as tour

MARK = Mark(1, "sent", 5)
DEEP, DIGITS = "a = " + "[" * 5000, "\n\na = " + "9" * 5000


def test_a_file_that_holds_a_vocabulary_only_has_a_shape() -> None:
    data = gguf(LLAMA_8B)
    assert weights(parse(data), len(data)) == ()
    shape = shape_of(parse(data).metadata, (), len(data))
    assert (shape.layers, shape.heads, shape.file_bytes) == (32, 32, len(data))


@pytest.mark.parametrize(("text", "says"), [(DEEP, "nested too deep"), (DIGITS, "too many digits")])
def test_toml_that_breaks_its_parser_is_no_toml(text: str, says: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=says):
        toml.loads(text)
    with pytest.raises(ThemeError, match=f"^theme 'own' is not TOML: a .* {says}$"):
        theme("own", text)
    with pytest.raises(
        ScriptError, match=f"^tour.toml: a .* {says}; a line is"
    ):  # on which line is not known
        tour(text, Path("tour.toml"))


@pytest.mark.parametrize("name", ["temperature", "timeout", "seed", "prompt_tokens", "rivals"])
def test_numbers_of_more_digits_than_python_reads_are_told_as_any_other(name: str) -> None:
    for raw in (16**5000, "9" * 5000, -(16**5000), float("nan")):
        with pytest.raises(ValueError, match=r"^(a (whole )?number|at most)"):
            BY_NAME[name].read(raw)
    assert BY_NAME["seed"].read(10**300) == 10**300
    assert BY_NAME["timeout"].read(1e308) == 1e6


@pytest.mark.parametrize("name", ["prompt_file", "api_key_file", "ca_file", "gguf"])
def test_no_path_holds_a_nul(name: str) -> None:
    with pytest.raises(ValueError, match="the path of a file"):
        BY_NAME[name].read("a\0b")
    assert BY_NAME["prompt"].read("a\0b") == "a\0b"


def test_counts_that_nothing_can_measure_are_not_known() -> None:
    told = {"a": 10**400, "b": 512, "c": True, "d": -(10**400), "e": "5"}
    assert [learned(told, key) for key in told] == [None, 512, None, None, None]
    curve = {"a_s": 0.1, "b_s": 1e-4, "c_s": 0.0, "spread": 0.01, "runs": 8, "least": 128, "most": 10**400}
    assert calibration_from(curve) is None
    assert calibration_from(curve | {"most": 2048}) is not None


@pytest.mark.parametrize(
    "junk",
    [
        b"a library says hello\n",
        b"\xff" * 40,
        b"\1\0\0\0\5" + bytes(9),  # a Read without its times
        b"\6\0\0\0\3" + bytes(8) + b"\2\0\0\0{]",
        b"\5\0\0\0\0" + bytes(8) + b"\1\0\0\0007",  # a Reply that is a number
        b"\6\0\0\0\1" + bytes(8) + b"\2\0\0\0{}",
        b"\6\0\0\0\x63" + bytes(8) + b"\2\0\0\0{}",
    ],
)
def test_what_is_no_frame_is_the_last_one(junk: bytes) -> None:
    for cut in (1, 7, 1000):
        unpacker = Unpacker()
        data = pack(MARK) + junk + bytes(64) + pack(MARK)
        told = [frame for at in range(0, len(data), cut) for frame in unpacker.feed(data[at : at + cut])]
        assert told == [MARK, Gone(BROKEN)]


def test_a_reader_that_writes_no_frames_is_told_as_gone() -> None:
    pipe = subprocess.PIPE
    words = [sys.executable, "-c", "print('no frame at all, ' * 9)"]
    child = Child(subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0))
    assert child.wait(20)
    assert child.drain() == [Gone(BROKEN)]
    assert child.drain() == []
    child.close()


def test_a_complaint_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    cli.complain(f"theme {'k' * 1_000_000}\x1b[2J is none; there are dark, light")
    said = capsys.readouterr().err
    assert said.startswith("toklane: theme kkk") and said.endswith("␛[2J is none; there are dark, light\n")
    assert len(said) < 2100 and " … " in said
    cli.complain("short")
    assert capsys.readouterr().err == "toklane: short\n"


def test_what_is_edited_holds_nothing_that_is_not_seen() -> None:
    text = "a\tb\nc\r\x1b[2J\x9b\u202ed\u2066\u200b\ufeff\u2028\ud800\U000e0041 漢 e\u0301 \u200d"
    assert shorn(text) == "a\tb\nc[2Jd 漢 e\u0301 \u200d"
    assert all(clean(line.replace("\t", " ")) for line in shorn(text).split("\n"))


@pytest.mark.parametrize("cut", [0, 5, 100, 1000])
def test_a_packed_recording_that_breaks_off_is_none(tmp_path: Path, cut: int) -> None:
    from tui import locations

    whole = next(locations.demo_dir().glob("*.gz")).read_bytes()
    file = tmp_path / "a.gz"
    file.write_bytes(whole[:cut])
    with pytest.raises((OSError, ValueError)):
        read(file)
    file.write_bytes(whole[:200] + bytes(200) + whole[400:])
    with pytest.raises((OSError, ValueError)):
        read(file)
