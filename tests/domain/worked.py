"""Worked examples of the derived values, by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[1] / "data" / "panels" / "derived_expected.json"
WORKED: dict[str, dict[str, Any]] = json.loads(_FILE.read_text(encoding="utf-8"))
