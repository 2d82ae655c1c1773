"""What is remembered for the next start."""

import json
import stat
from pathlib import Path

import pytest

from tui.domain.knobs import Cache, Knobs, Profile
from tui.settings import last
from tui.settings.config import merged
from tui.settings.last import Last

KNOBS = Knobs(
    2048, 128, Cache.TAIL, 32, Profile.OWN, "ask \ud800 [/", 0.7, 42, ignore_eos=True, auto=True, rivals=3
)


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    return tmp_path / "state" / "last.json"


def test_what_was_saved_comes_back() -> None:
    last.save(Last(KNOBS, "light", "http://a:1/v1", "m", api_key_env="A_KEY", ca_file="ca.pem"))
    layer, notice = last.recall()
    settings = merged([layer])
    assert notice == ""
    assert settings.knobs == KNOBS
    assert (settings.url, settings.model, settings.api_key_env) == ("http://a:1/v1", "m", "A_KEY")
    assert (settings.ca_file, settings.theme, settings.embedded) == ("ca.pem", "light", False)


def test_defaults_come_back_too() -> None:
    last.save(Last(Knobs(), "dark", "http://a", embedded=True))
    settings = merged([last.recall()[0]])
    assert settings.knobs == Knobs()
    assert (settings.embedded, settings.url) == (True, "")


def test_the_stage_is_never_remembered() -> None:
    last.save(Last(Knobs(), "dark"))
    assert not merged([last.recall()[0]]).stage
    assert merged([last.recall()[0], {"stage": True}]).stage


def test_the_file_is_its_owners_alone_and_nothing_else_is_left(file: Path) -> None:
    for theme in ("dark", "light"):
        last.save(Last(Knobs(), theme))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["last.json"]
    assert json.loads(file.read_text())["theme"] == "light"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://me:secret@host:8/p?key=secret#secret", "https://host:8/p"),
        ("me:secret@host:8", "host:8"),
        ("localhost:8080", "localhost:8080"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
        ("http://[secret", ""),
    ],
)
def test_nothing_secret_of_an_address_is_kept(url: str, kept: str, file: Path) -> None:
    last.save(Last(Knobs(), "dark", url))
    assert "secret" not in file.read_text()
    assert last.recall()[0].get("url", "") == kept


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"[]", b"\xff", b'{"theme": 3}', b'{"odd": 1}', b'{"prompt_tokens": -5}', b"[" * 100_000],
)
def test_a_damaged_file_is_ignored_and_said_so_in_one_line(damaged: bytes, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(damaged)
    layer, notice = last.recall()
    assert layer == {}
    assert str(file) in notice
    assert notice.isprintable()


def test_nothing_to_remember_is_no_news() -> None:
    assert last.recall() == ({}, "")


def test_a_failed_save_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last.save(Last(Knobs(), "light"))

    def full(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        last.save(Last(Knobs(), "dark"))
    assert json.loads(file.read_text())["theme"] == "light"
    assert len(list(file.parent.iterdir())) == 1
