"""Who works on which NVIDIA GPU: the server, by what its processes hold or may use, and everybody else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tui.domain.machine import Gpu

UNKNOWN = "GPU used by the server unknown"


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes each process holds on one GPU, None where not told. `here`: one of them is a process we can see.

    A driver tells the numbers of the host. Inside a container they belong to nobody, or to somebody else.
    """

    sizes: dict[int, int | None]
    here: bool


def shared(
    gpus: Sequence[Gpu], held: Sequence[Held | None], server: tuple[int, ...], chosen: frozenset[str] | None
) -> tuple[Gpu, ...]:
    """The GPUs with what their processes say. `chosen`: UUIDs that the server may use, None: not known."""
    lists = [one for one in held if one]
    matched = any(pid in one.sizes for one in lists for pid in server)
    ours = matched or any(one.here for one in lists)  # the numbers are those of this machine
    may = None if matched else chosen  # what it does tells more than what it may
    known = [_one(gpu, one, server if ours else (), may) for gpu, one in zip(gpus, held, strict=True)]
    if server and len(known) > 1 and not ours and chosen is None:
        return tuple(replace(gpu, note=_joined(gpu.note, UNKNOWN)) for gpu in known)
    return tuple(known)


def _one(gpu: Gpu, held: Held | None, server: tuple[int, ...], chosen: frozenset[str] | None) -> Gpu:
    named = chosen is not None and gpu.uuid in chosen
    if held is None:
        return replace(gpu, serving=named)
    if not server:
        count = len(held.sizes)
        note = f"{_processes(count)} (pid of the host)" if count and not held.here else ""
        return replace(gpu, serving=named, note=_joined(gpu.note, note))
    its = [size for pid, size in held.sizes.items() if pid in server]
    others = [size for pid, size in held.sizes.items() if pid not in server]
    return replace(
        gpu,
        serving=bool(its) or named,
        server_bytes=_sum(its),
        other_processes=len(others),
        other_bytes=_sum(others),
        note=_joined(gpu.note, f"{_processes(len(others), 'other ')} on this GPU" if others else ""),
    )


def _processes(count: int, kind: str = "") -> str:
    return f"{count} {kind}process{'es' if count != 1 else ''}"


def _sum(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if None in known else sum(size for size in known if size is not None)


def _joined(*notes: str) -> str:
    return ", ".join(filter(None, notes))
