"""What the pictures are of: recordings of real requests on a clock that stands still, and what is laid over them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tui import locations
from tui.capture.demo import DemoSession
from tui.capture.recording import Recording, parse
from tui.capture.replay_session import ReplaySession
from tui.capture.tour_session import TourSession

if TYPE_CHECKING:
    from tui.app.desk import Desk
    from tui.app.main import Monitor
    from tui.engines.found import Found
    from tui.settings.tour_script import Act

RECORDINGS = Path(__file__).parent / "recordings"
LENGTHS = ("128", "256", "512", "1k", "2k")  # the others are earlier runs: they fill the dial
DEMO_AT = 1  # the long prompt
SCENE = 3  # the rivals
AMID = 0.7  # of a phase: so far is it when a picture shows it


def session(show: str, clock: Callable[[], int]) -> ReplaySession:
    """The feed of a picture, at its beginning."""
    if show == "demo":
        demo = DemoSession(clock=clock)
        for _ in range(DEMO_AT):
            demo.next()
        return demo
    if show == "tour":
        return TourSession([(act.title, act.recording) for act in acts()], clock)
    file = _file(show)
    played = ReplaySession(recording(file), file, clock=clock)
    for name in _before(show):
        played.remember(recording(_file(name)))
    return played


def _before(show: str) -> tuple[str, ...]:
    """The runs of before: shorter ones, the last of them is the ghost."""
    return LENGTHS[: LENGTHS.index(show)] if show in LENGTHS else ()


def moment(feed: ReplaySession, at: float | str | None) -> float | None:
    """Seconds since sent; None: the end. LookupError where the recording has no such phase."""
    if not isinstance(at, str):
        return at
    whole = feed._points.whole.live.view()  # to go there would teach the dial what is still to come
    if at == "stall":
        spans = [(stall.start_ns, stall.end_ns) for stall in whole.stalls]
    else:
        spans = [(phase.start_ns, phase.end_ns) for phase in whole.phases if phase.name == at]
    if not spans:
        raise LookupError(f"{feed.file} has no {at}")
    begin_ns, end_ns = spans[0]
    return (begin_ns + AMID * (end_ns - begin_ns)) / 1e9


def lead(desk: Desk, feed: ReplaySession, show: str) -> None:
    """Through a tour to its scene; nothing for the others."""
    if show != "tour":
        return
    knobs = desk.pump.knobs
    desk.begin_tour(acts(), behind=lambda: (feed, knobs), own=knobs)
    for _ in range(SCENE):
        desk.step_in_tour()
        feed.seek(None)
        desk.pump.tick()
        desk.step_in_tour()
    desk.step_in_tour()


@lru_cache(maxsize=1)
def acts() -> tuple[Act, ...]:
    """The tour that comes along, not the speaker's own."""
    from tui.settings import tour_script

    return tour_script.load(locations.tour_dir() / tour_script.FILE)


@lru_cache(maxsize=16)
def recording(file: Path) -> Recording:
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
        return parse(lines, file.name)


def _file(show: str) -> Path:
    for folder in (RECORDINGS, locations.demo_dir(), locations.tour_dir()):
        for file in (folder / f"{show}.jsonl", folder / f"{show}.jsonl.gz"):
            if file.exists():
                return file
    raise FileNotFoundError(show)


def lay(app: Monitor, name: str) -> None:
    """Lay a page over the monitor."""
    from tui.app.screens.choices import BuiltIn
    from tui.app.screens.engine import EngineScreen

    assert name == "engine"
    app.push_screen(EngineScreen(found, BuiltIn(there=True), environ={}))


def found() -> tuple[Found, ...]:
    """Engines as they describe themselves: llama.cpp, vLLM and Ollama at their usual ports."""
    from tui.engines.found import Found, Model
    from tui.engines.urls import Base

    small = Model("SmolLM2-135M-Instruct", context=8192, loaded=True, quantization="Q4_1")
    qwen = Model("Qwen/Qwen2.5-0.5B-Instruct", context=32768, loaded=True)
    others = (
        Model("llama3.2:3b", context=131072, quantization="Q4_K_M", loaded=True),
        Model("qwen3:32b", context=40960, quantization="Q4_K_M", loaded=False),
    )
    return (
        Found("llama.cpp", Base("http://127.0.0.1:8080"), small.name, (small,), context=8192, slots=1),
        Found("vllm", Base("http://127.0.0.1:8000"), qwen.name, (qwen,), context=32768),
        Found("ollama", Base("http://127.0.0.1:11434"), others[0].name, others),
    )


def doctor() -> str:
    """What `toklane doctor` says of the first of them: its own section alone, for the rest is this machine's."""
    from tui.report.doctor.findings import Findings, engine_of
    from tui.report.doctor.lines import lines
    from tui.report.doctor.probed import groups
    from tui.report.doctor.program import BuiltIn, program
    from tui.report.doctor.terminal import Terminal

    shell = Terminal("xterm-256color", 256, False, True, "utf-8", (120, 36), "", False, True)
    inside = BuiltIn("", "", None, False)
    told = Findings(program(), tuple(map(engine_of, found()[:2])), (), inside, groups(None), {}, shell, ())
    told_lines = list(lines(told))
    begin, end = told_lines.index("engines"), told_lines.index("built-in engine")
    return "\n".join(["$ toklane doctor", *told_lines[begin:end]]).rstrip()
