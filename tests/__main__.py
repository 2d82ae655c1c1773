"""Runs every check of the project: `python -m tests` (arguments go to pytest).

The tests run on several processors; those that measure time do so afterwards, with the machine to themselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE = [sys.executable, "-m"]
PYTEST = [*MODULE, "pytest"]
MOST = 4  # more at once start more engines than they save time
# A file stays together: its tests share what is costly to start. Many tests wait: two even on one processor.
TOGETHER = ["-n", str(max(2, min(MOST, os.cpu_count() or 1))), "--dist", "loadfile", "--no-loadscope-reorder"]
NONE_CHOSEN = 5  # pytest's status where its arguments leave no test
STYLE = {
    "ruff check": [*MODULE, "ruff", "check"],
    "ruff format": [*MODULE, "ruff", "format", "--check"],
    "mypy": [*MODULE, "mypy"],
    "import-linter": [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
}
TESTS = {
    "pytest": [*PYTEST, *TOGETHER, "-m", "not alone", *sys.argv[1:]],
    "pytest, what measures time": [*PYTEST, "-m", "alone", *sys.argv[1:]],
}


def main() -> int:
    """All checks run, also after one has failed; the exit status is 1 when one did."""
    with tempfile.TemporaryDirectory(prefix="toklane-tests-") as folder:
        # processes that share the tests must name them alike, also where a name shows a set
        environ = {**compiling(Path(folder)), "PYTHONHASHSEED": "0"}
        ended = {name: _run(name, command, environ) for name, command in (STYLE | TESTS).items()}
    none_chosen = all(ended[name] == NONE_CHOSEN for name in TESTS)
    failed = [
        name
        for name, status in ended.items()
        if status and not (name in TESTS and status == NONE_CHOSEN and not none_chosen)
    ]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def compiling(folder: Path) -> Mapping[str, str]:
    """The environment, with a place for compiled modules: the tests start toklane some thousand times."""
    if not sys.dont_write_bytecode:
        return os.environ
    told = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return told | {"PYTHONPYCACHEPREFIX": str(folder)}


def _run(name: str, command: list[str], environ: Mapping[str, str]) -> int:
    print(f"== {name}", flush=True)
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
