"""Which GPUs a process was allowed to use: CUDA_VISIBLE_DEVICES in its environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_NONE = ("", "-1", "NoDevFiles")


def visible(environs: Iterable[bytes], whole: Sequence[str], parts: Sequence[str]) -> frozenset[str] | None:
    """UUIDs the processes with these environments may use; None when they do not tell.

    `whole` are the UUIDs of the cards in the order of the PCI bus, `parts` those of their slices. CUDA takes
    prefixes of UUIDs, and numbers; it counts the fastest card first unless told to count along the bus, so
    numbers alone say nothing.
    """
    told = [one for environ in environs if (one := _visible(environ, whole, parts)) is not None]
    return frozenset().union(*told) if told else None


def _visible(environ: bytes, whole: Sequence[str], parts: Sequence[str]) -> frozenset[str] | None:
    pairs = (text.partition("=") for text in environ.decode(errors="replace").split("\0"))
    values = {name: value for name, _, value in pairs}
    if "CUDA_VISIBLE_DEVICES" not in values:
        return None
    along_bus = values.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    found: list[str] = []
    for word in map(str.strip, values["CUDA_VISIBLE_DEVICES"].split(",")):
        if word in _NONE:
            break  # CUDA stops at the first one that is none
        if word.startswith(("GPU-", "MIG-")):
            hits = sorted(uuid for uuid in {*whole, *parts} if uuid.startswith(word))
        else:
            known = along_bus and word.isdecimal() and int(word) < len(whole)
            hits = [whole[int(word)]] if known else []
        if len(hits) != 1:
            return None
        found += hits
    return frozenset(found)
