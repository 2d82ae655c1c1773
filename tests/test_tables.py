"""The tables of tests/README.md name tests that are there, and leave no situation out."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOLD = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", TOLD)))


def test_every_test_that_is_named_is_there() -> None:
    missing = [
        f"{file}::{name}"
        for file, name in NAMED
        if not re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.M)
    ]
    assert missing == []


def test_every_situation_has_a_row_with_a_test() -> None:
    rows = dict(re.findall(r"^\| (N\d\d) \|(.*)\|$", TOLD, re.M))
    assert list(rows) == [f"N{number:02}" for number in range(1, 41)]
    assert [name for name, row in rows.items() if "::test_" not in row] == []
