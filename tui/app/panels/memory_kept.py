"""Who holds the memory: the server's processes, the KV cache, what still fits, and what went wrong when."""

from __future__ import annotations

from tui.app.panels.fold import Block
from tui.app.panels.machine_rows import STYLES, facts, said
from tui.app.panels.spent import marked
from tui.app.scene import Scene
from tui.domain.flow import Flow
from tui.domain.machine import Reading, Server
from tui.domain.stored import Stored
from tui.domain.values import Value
from tui.plot.cells import clean
from tui.plot.numbers import count, duration, percent, size, size_of, throughput
from tui.plot.rows import Row

_LIKELY = 700  # of 1000: the kernel would end this one first
_MOST_EVENTS = 6


def holders(now: Reading, flow: Flow | None, width: int) -> list[Block]:
    """The server's tree of processes, and the parts of its memory."""
    server = now.server
    if server is None:
        return []
    return [
        Block(9, _parts(server, width)),
        Block(10, _tree(server, width)),
        Block(17, _work(server, flow, width)),
    ]


def _parts(server: Server, width: int) -> list[Row]:
    parts = [
        f"own {size(server.rss_anon_bytes)}" if server.rss_anon_bytes is not None else "",
        f"mapped files {size(server.rss_file_bytes)}" if server.rss_file_bytes is not None else "",
        f"swapped {size(server.swap_bytes)}" if server.swap_bytes else "",
        f"footprint {size(server.footprint_bytes)}" if server.footprint_bytes is not None else "",
    ]
    return _dotted(parts, width)


def _tree(server: Server, width: int) -> list[Row]:
    most = f"most in {clean(server.holder)} {server.holder_pid or ''}".strip() if server.holder else ""
    parts = [
        f"process {server.pid}",
        f"{server.processes} in its tree" if server.processes > 1 else "",
        most if server.holder_pid != server.pid else "",
        f"the kernel would end it first ({server.oom_score} of 1000)"
        if server.oom_score is not None and server.oom_score >= _LIKELY
        else "",
    ]
    return _dotted(parts, width)


def _work(server: Server, flow: Flow | None, width: int) -> list[Row]:
    paged = flow.pagein_bytes_s if flow else None
    parts = [
        f"{server.threads} threads" if server.threads else "",
        f"CPU {percent(100 * flow.server_cpu_cores)}" if flow and flow.server_cpu_cores is not None else "",
        f"busiest thread {percent(server.thread_pct)}" if server.thread_pct is not None else "",
        f"{count(server.major_faults)} major faults" if server.major_faults else "",
        f"paged in {throughput(paged)}" if paged is not None else "",
    ]
    return _dotted(parts, width)


def _dotted(parts: list[str], width: int) -> list[Row]:
    told = [part for part in parts if part]
    return [facts("", [("· " if i else "") + part for i, part in enumerate(told)], width)] if told else []


def cache(scene: Scene, width: int) -> list[Block]:
    """The KV cache of this request, computed, beside what the engine reserved."""
    told = scene.told
    if told is None:
        return []
    kept = told.stored
    if kept.used.number is None:
        return [Block(18, said("KV", f"– {clean(kept.used.note)}", width, "secondary"))]
    grown = kept.grown.number
    parts = [
        *_of_reserved(kept),
        "· computed",
        f"· {size(kept.token.number)} a token" if kept.token.number else "",
        ""
        if grown is None
        else f"· GPU memory grew by {size(grown)}"
        if grown > 0
        else "· GPU memory did not grow",
    ]
    return [Block(7, [facts("KV", parts, width)])]


def _of_reserved(kept: Stored) -> list[str]:
    used, reserved = kept.used.number or 0.0, kept.reserved.number
    if reserved is None:
        return [f"≈ {size(used)}"]
    both = size_of(used, reserved)
    return [f"≈ {both.number} {both.unit}", "reserved"]


def room(scene: Scene, now: Reading, width: int) -> list[Block]:
    """How many tokens still fit, how fast the model was loaded, and memory kept in other ways."""
    blocks: list[Block] = []
    told = scene.told
    if told is not None and not now.remote:
        left = marked(told.stored.headroom, lambda tokens: f"{count(round(tokens))} tokens")
        blocks += _noted("room", told.stored.headroom, left, 8, width)
        if told.load_rate.known:
            blocks += _noted("load", told.load_rate, marked(told.load_rate, throughput), 12, width)
    if now.compressed_bytes:
        of = f"for {size(now.compressed_original_bytes)}" if now.compressed_original_bytes else ""
        blocks.append(Block(9, [facts("packed", [size(now.compressed_bytes), of, "compressed"], width)]))
    if now.commit_bytes is not None and now.commit_limit_bytes:
        both = size_of(now.commit_bytes, now.commit_limit_bytes)
        blocks.append(Block(5, [facts("commit", [f"{both.number} {both.unit}", "promised"], width)]))
    return blocks


def _noted(name: str, value: Value, text: str, rank: int, width: int) -> list[Block]:
    """A figure with how it was made behind it; one that is absent is the first to go."""
    if not value.known:
        return [Block(19, said(name, f"– {clean(value.note)}", width, "secondary"))]
    return [Block(rank, [facts(name, [text, f"· {clean(value.note)}"], width)])]


def events(scene: Scene, width: int, rank: int, sources: tuple[str, ...]) -> list[Block]:
    """What stood in the way during this request, and when; `sources` as in the moments."""
    every = scene.told.moments.marks if scene.told is not None else ()
    marks = [mark for mark in every if mark.source in sources and mark.end_ns >= 0]
    rows: list[Row] = []
    for n, mark in enumerate(marks[-_MOST_EVENTS:]):
        span = f"{duration(max(0, mark.start_ns))} to {duration(mark.end_ns)}"
        parts = [clean(mark.word), span, f"· {clean(mark.why)}" if mark.why else ""]
        style = "text" if mark.level == "info" else STYLES[mark.level]
        rows.append(facts("" if n else "marks", parts, width, style))
    return [Block(rank, rows)] if rows else []
