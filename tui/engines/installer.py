"""The package installer at hand (pip, else uv): its command, its surroundings, and what its failures mean."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

# What of PIP_* says where packages come from; everything else may clash with a target folder.
INDEX_SETTINGS = frozenset(
    {
        *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_TRUSTED_HOST"),
        *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_KEYRING_PROVIDER", "PIP_CONFIG_FILE"),
        *("PIP_RETRIES", "PIP_RESUME_RETRIES", "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT"),
    }
)

# The same settings may stand in a pip.conf, which the environment overrules.
OVERRULED = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_REQUIRE_HASHES": "0", "PIP_DRY_RUN": "0"}

NO_SPACE = re.compile(r"no space left|errno 28|errno 122|winerror 112|disk quota", re.IGNORECASE)
NO_NETWORK = re.compile(
    r"max retries|failed to establish|name resolution|connection (refused|reset|broken|aborted)"
    r"|unreachable|timed? ?out|proxyerror|sslerror|certificate|dns error|error sending request"
    r"|connectionerror|incompleteread|retrying after connection",
    re.IGNORECASE,
)
SECRET = re.compile(r"//[^/@\s]+@")


def command(package: str, target: Path) -> list[str] | None:
    """What puts the wheel of `package` into `target` and runs none of its code; None without an installer."""
    what = ["--no-deps", "--only-binary", ":all:", "--target", str(target), package]
    if importlib.util.find_spec("pip"):
        quiet = ["--no-input", "--no-cache-dir", "--no-compile", "--disable-pip-version-check"]
        return [sys.executable, "-m", "pip", "install", "--progress-bar", "off", *quiet, *what]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--no-progress", "--no-cache", "--python", sys.executable, *what]
    return None


def by_hand(package: str, target: Path) -> list[str]:
    """What a person can run with any other Python that has pip."""
    return ["python3", "-m", "pip", "install", "--no-deps", "--target", str(target), package]


def environment(inherited: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """`inherited` without the pip settings that clash; temporary files go to `scratch`."""
    kept = {k: v for k, v in inherited.items() if not k.startswith("PIP_") or k in INDEX_SETTINGS}
    few = {"PIP_RETRIES": "2"}  # without a network, say so in seconds
    return few | kept | OVERRULED | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))


def reason(output: str) -> str:
    """Why the installer failed and what to do, from what it printed; secrets in addresses are left out."""
    if NO_SPACE.search(output):
        return "the disk is full; make room"
    if NO_NETWORK.search(output):
        return "the package index cannot be reached; check network and proxy"
    lines = [line for line in output.splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else "")
    told = "".join(c for c in SECRET.sub("//", told) if c.isprintable()).strip()
    return f"the installer says: {told[:200] or 'nothing'}; see to that"
