"""The rules of the house that import-linter cannot see."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PURE = ("domain", "plot")


def modules(folder: Path) -> list[str]:
    return [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in sorted(folder.rglob("*.py"))]


def loaded_by(*names: str, without_packages: bool = False) -> set[str]:
    """The top-level modules that a fresh interpreter has after importing `names`."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {', '.join(names)}; print(*sys.modules)"
    flags = ["-I", "-S"] if without_packages else ["-I"]
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("room", PURE)
def test_pure_rooms_need_only_the_standard_library(room: str) -> None:
    loaded_by(*modules(ROOT / "tui" / room), without_packages=True)


def test_the_command_starts_without_the_screen() -> None:
    assert not {"textual", "rich", "httpx", "pynvml", "xllamacpp"} & loaded_by("tui.__main__")


def test_every_module_says_what_it_is() -> None:
    for file in (ROOT / "tui").rglob("*.py"):
        text = file.read_text()
        assert not text or text.startswith('"""'), file.relative_to(ROOT)


def test_themes_are_data_only() -> None:
    """One Python file there would break editable installs."""
    assert {file.suffix for file in (ROOT / "themes").rglob("*") if file.is_file()} <= {".toml"}


def test_ci_runs_what_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text()
    command = readme.partition("<!-- test -->")[2].partition("```sh\n")[2].partition("```")[0]
    assert "python -m tests" in command
    shown = subprocess.run(
        ["bash", str(ROOT / ".ci" / "run"), "--show"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == command
