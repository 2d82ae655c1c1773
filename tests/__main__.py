"""Runs every check of the project: `python -m tests` (arguments go to pytest)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE = [sys.executable, "-m"]
CHECKS = {
    "ruff check": [*MODULE, "ruff", "check"],
    "ruff format": [*MODULE, "ruff", "format", "--check"],
    "mypy": [*MODULE, "mypy"],
    "import-linter": [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
    "pytest": [*MODULE, "pytest", *sys.argv[1:]],
}


def main() -> int:
    """All checks run, also after one has failed; the exit status is 1 when one did."""
    failed = []
    for name, command in CHECKS.items():
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
