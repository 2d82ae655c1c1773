"""Amounts in words for evidence: memory in GiB (2^30 bytes), flows in decimal bytes per second."""

from __future__ import annotations

GIB = 2**30
MIB = 2**20


def gib(size: float) -> str:
    """ "7.0 GiB", small ones "512 MiB"."""
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / MIB:.0f} MiB"


def per_s(bytes_s: float) -> str:
    """ "2.1 GB/s", slower ones "84 MB/s"."""
    return f"{bytes_s / 1e9:.1f} GB/s" if bytes_s >= 1e9 else f"{bytes_s / 1e6:.0f} MB/s"
