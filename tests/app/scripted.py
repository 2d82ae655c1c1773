"""A session without an engine: it answers every request from a script of events, through the real reducer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tui.capture.calibrating import Calibrating
from tui.capture.target import Run, Target
from tui.domain import events as ev
from tui.domain.knobs import Knobs
from tui.domain.look import look
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.pressure import Pressure, step
from tui.domain.reduce import reduce
from tui.domain.shelf import Shelf
from tui.domain.state import State
from tui.domain.view import View
from tui.engines.detect import Found, Model
from tui.engines.urls import Base

MS = 1_000_000
S = 1_000_000_000
GIB = 2**30
LLAMA = ev.Dialect("llama.cpp", names_wait=True)
WORDS = (
    "Prefill", " reads", " the", " whole", " prompt", " in", " parallel,", " so", " it", " is", " limited",
    " by", " arithmetic.", " Decode", " writes", " one", " token", " after", " another. ",
)  # fmt: skip
ENGINE = Found(
    engine="llama.cpp",
    base=Base("http://127.0.0.1:8080", ()),
    model="SmolLM2-135M Q4_1",
    models=(Model("SmolLM2-135M Q4_1", context=8192, loaded=True),),
    conditions={},
    slots=1,
    context=8192,
    auth_needed=False,
    loading=False,
)


def opening(knobs: Knobs, dialect: ev.Dialect = LLAMA) -> Iterator[ev.Event]:
    """What comes before the first sign of life."""
    told = {"engine": dialect.name, "model": ENGINE.model, "answer_limit": knobs.answer_limit}
    yield ev.Began(0, dialect)
    yield ev.Learned(0, told)
    yield ev.Connecting(-200_000)
    yield ev.Connected(-100_000, warm=False)
    yield ev.SentAll(20_000)


def reading(
    knobs: Knobs, prefill_ns: int, cached: int = 0, step_tokens: int = 256, queue_ns: int = 1_200_000
) -> Iterator[ev.Event]:
    """An engine that tells its progress; the reading slows down as the context grows."""
    total = knobs.prompt_tokens
    yield ev.TokenizeProbed(0, 3_700_000)
    begin = 3_720_000 + queue_ns
    yield ev.Head(begin, 200)
    done = cached
    while done < total:
        share = (done - cached) / max(1, total - cached)
        took = round(prefill_ns * (0.7 * share + 0.3 * share * share))
        yield ev.Arrived(begin + took, None, begin + took + 60_000, True, 1, 0)
        yield ev.Progress(begin + took, total, cached, done, took)
        done += step_tokens
    yield ev.Progress(begin + prefill_ns, total, cached, total, prefill_ns)


def writing(
    start_ns: int,
    tokens: int,
    gap_ns: int,
    stall: tuple[int, int] | None = None,
    words: Iterable[str] = WORDS,
) -> Iterator[ev.Event]:
    """One token a message; `stall` is (token, extra ns before it)."""
    said = list(words)
    at = start_ns
    for n in range(1, tokens + 1):
        if stall and n == stall[0]:
            at += stall[1]
        wobble = (n * 7919 % 13 - 6) * gap_ns // 40
        yield ev.Arrived(at + wobble, None, at + wobble + 60_000, True, 1, 1)
        turn, place = divmod(n - 1, len(said))
        word = said[place] if place else f"{turn + 1}. {said[0]}"
        yield ev.Generated(at + wobble, answer=word, count=n)
        at += gap_ns


def closing(
    at_ns: int, knobs: Knobs, tokens: int, prefill_ns: int, decode_ns: int, cached: int = 0
) -> Iterator[ev.Event]:
    """The engine's own account, and the end."""
    worked = knobs.prompt_tokens - cached
    yield ev.Usage(at_ns, prompt=knobs.prompt_tokens, completion=tokens, cached=cached)
    yield ev.Timings(
        at_ns,
        prompt_n=worked,
        cached_n=cached,
        prompt_ns=prefill_ns,
        predicted_n=tokens,
        predicted_ns=decode_ns,
        final=True,
    )
    yield ev.Finish(at_ns, "length" if tokens >= knobs.answer_limit else "stop")
    yield ev.Done(at_ns + 50_000)
    yield ev.Ended(at_ns + 100_000, "eof")


def whole(
    knobs: Knobs,
    prefill_ns: int = 7 * S,
    tokens: int = 28,
    gap_ns: int = 50 * MS,
    cached: int = 0,
    stall: tuple[int, int] | None = None,
    gpu: bool = False,
) -> list[ev.Event]:
    """A request from beginning to end, with the machine's readings in between."""
    first = 4_920_000 + prefill_ns + MS
    events = [*opening(knobs), *reading(knobs, prefill_ns, cached), *writing(first, tokens, gap_ns, stall)]
    last = max(event.at_ns for event in events)
    events += closing(last + 2 * MS, knobs, tokens, prefill_ns, last - first, cached)
    events += machine(last + 2 * MS, gpu)
    return sorted(events, key=lambda event: event.at_ns)


def machine(
    end_ns: int, gpu: bool = False, every_ns: int = 100 * MS, start_ns: int = -S
) -> Iterator[ev.Event]:
    """Readings at a steady pace: two busy cores, and a GPU when wanted."""
    for n, at_ns in enumerate(range(start_ns, end_ns + every_ns, every_ns)):
        yield ev.Sampled(at_ns, machine_reading(at_ns, n, gpu, at_ns >= 0))


def machine_reading(at_ns: int, n: int, gpu: bool = False, busy: bool = True) -> Reading:
    """One reading; `n` counts them."""
    load = (97 if busy else 4, 312 if busy else 40)
    return Reading(
        at_ns=at_ns,
        ram_total_bytes=round(23.4 * GIB),
        ram_available_bytes=round(9.2 * GIB),
        swap_total_bytes=2 * GIB,
        swap_used_bytes=0,
        swap_in_bytes=0,
        swap_out_bytes=0,
        stall_some_us=0,
        disk_read_bytes=0,
        cpu_busy_s=0.1 * n * (1.98 if busy else 0.1),
        cpu_total_s=0.2 * n,
        cpu_cores=2,
        cpu_mhz=2800.0,
        cpu_max_mhz=4000.0,
        gpus=(
            Gpu(
                name="NVIDIA GeForce RTX 4090",
                util_pct=float(load[0]),
                mem_used_bytes=20 * GIB,
                mem_total_bytes=24 * GIB,
                power_w=float(load[1]),
                power_limit_w=450.0,
                energy_mj=round(n * 0.1 * load[1] * 1000),
                temperature_c=66.0,
            ),
        )
        if gpu
        else (),
        gpu_reason="" if gpu else "no NVIDIA driver",
        server=Server(pid=7, name="llama-server", rss_bytes=327 * 2**20, cpu_s=0.19 * n, read_bytes=0),
    )


@dataclass
class ScriptedProcess:
    """A process that has nothing but its number."""

    pid: int


@dataclass
class ScriptedBuiltIn:
    """The built-in engine in whatever state a test wants."""

    state: str = "off"
    done_bytes: int = 0
    total_bytes: int = 92_871_040
    stage: str = ""
    why: str = ""
    engine: ScriptedProcess | None = None


@dataclass
class ScriptedSession:
    """Answers each request with `script(knobs)`, in the time that `clock` tells (ns)."""

    clock: Callable[[], int]
    script: Callable[[Knobs], list[ev.Event]] = whole
    found: Found | None = ENGINE
    discovered: tuple[Found, ...] | None = (ENGINE,)
    slow: tuple[str, ...] = ()
    target: Target | None = None
    note: str = ""
    parts: tuple[tuple[str, int], ...] = ()
    problem: str = ""
    lost: bool = False
    notice: str = ""
    aiming: bool = False
    activity: str = ""
    calibrating: Calibrating | None = None
    builtin: ScriptedBuiltIn = field(default_factory=ScriptedBuiltIn)
    pressure: Pressure = field(default_factory=Pressure)
    shelf: Shelf = field(default_factory=Shelf)
    run: Run | None = None
    running: bool = False
    sent: list[Knobs] = field(default_factory=list)
    cancelled: int = 0
    embedded: int = 0
    targets: list[Target] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._state = State()
        self._coming: list[ev.Event] = []
        self._zero_ns = 0

    @property
    def context(self) -> int | None:
        return self.found.context if self.found else None

    def send(self, knobs: Knobs) -> None:
        self.cancel()
        number = self.shelf.begin()
        label = f"run {number} · {knobs.prompt_tokens} · {knobs.cache.value}"
        self.sent.append(knobs)
        self.run = Run(number, knobs, label, Path(f"run-{number}.jsonl"), self.parts, self.note)
        coming = sorted(self.script(knobs), key=lambda event: event.at_ns)
        self._state, self._coming, self._zero_ns = State(), coming, self.clock()
        self.running = True

    def calibrate(self, knobs: Knobs) -> str:
        self.calibrating = Calibrating(knobs, self.context)
        return self.calibrating.cost

    def cancel(self) -> None:
        self.calibrating = None
        if self.running:
            self.cancelled += 1
            self._take(ev.Ended(self.clock() - self._zero_ns, "cancelled"))

    def drain(self) -> bool:
        now_ns = self.clock() - self._zero_ns
        due = [event for event in self._coming if event.at_ns <= now_ns]
        self._coming = self._coming[len(due) :]
        for event in due:
            self._take(event)
        return bool(due)

    def _take(self, event: ev.Event) -> None:
        if isinstance(event, ev.Sampled):
            self.pressure = step(self.pressure, event.reading, self._state.first_ns is not None)
        reduce(self._state, event)
        if self.running and self._state.over and self.run is not None:
            self.running = False
            self.shelf.keep(look(self._state), self.run.knobs, self.run.label)

    def view(self) -> View:
        return look(self._state, self.clock() - self._zero_ns if self.running else None)

    def raw(self) -> list[str]:
        return []

    def aim(self, target: Target) -> None:
        self.targets.append(target)

    def discover(self) -> None:
        self.discovered = None

    def embed(self) -> None:
        self.embedded += 1
