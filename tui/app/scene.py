"""All that the panels show at one moment, frozen: the request's View and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tui.app.enter import Enter, enter_does
from tui.app.feed import BuiltIn, Feed, Playback, demo, live, playback
from tui.app.history import Second
from tui.app.tour.shown import Shown
from tui.capture.target import UNCHECKED, Target
from tui.domain.insight import Insight
from tui.domain.knobs import Knobs
from tui.domain.pressure import Pressure
from tui.domain.shelf import Curve, Ghost
from tui.domain.view import View
from tui.plot.cells import clean
from tui.settings.keys import KEYS

if TYPE_CHECKING:
    from tui.engines.detect import Found

EMPTY = View()
_KEYS: Mapping[str, str] = {key.action: key.shown for key in KEYS}


@dataclass(frozen=True, slots=True)
class Engine:
    """Who answers, in words that are safe to draw; "" where not known.

    unchecked: over TLS, but whoever answers is believed.
    """

    name: str = ""
    model: str = ""
    address: str = ""
    loading: bool = False
    unchecked: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """The built-in engine: what it does, how many bytes of how many are here (0: unknown), its process."""

    state: str = "off"
    stage: str = ""
    done_bytes: int = 0
    total_bytes: int = 0
    why: str = ""
    pid: int | None = None


@dataclass(frozen=True, slots=True)
class Reel:
    """Which recording of a demo is played, from 1, of how many, and what it shows.

    next_in_s: seconds until the one after it begins by itself, None while it does not.
    """

    number: int
    of: int
    title: str
    caption: str
    next_in_s: int | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """A recording is played instead of a live request. `sampled`: it holds readings of the machine.

    position_ns, end_ns: since sent. held: it stands still because a phase has begun. scrubbed: somebody
    jumped about in it. reel: of a demo, None for a file of one's own.
    """

    file: str
    speed: float
    playing: bool
    sampled: bool = True
    position_ns: int = 0
    end_ns: int = 0
    loop: bool = False
    freeze: bool = False
    held: bool = False
    scrubbed: bool = False
    reel: Reel | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """One moment of the monitor. `running`: a request is prepared or under way.

    `run_number`: below 0 in a replay, so that nothing of it is taken for a live run's.
    `calibrating`: how far a calibration is. `asked`: prompt tokens wished for in the run.
    `remaining`: the time to the first token in words.
    `expected_ns`: when it should come, since sent, and `expectation`: the same in words, longest first.
    `told`: what the machine's readings say about the request, `history`: the machine's last two minutes.
    `keys`: how the key of each action is written. `calm`: the view that the slow panels show, whose times
    all that is written goes by; None while it is this one.
    """

    view: View = EMPTY
    knobs: Knobs = field(default_factory=Knobs)
    engine: Engine = Engine()
    context: int | None = None
    run_number: int = 0
    run_note: str = ""
    asked: int = 0
    running: bool = False
    activity: str = ""
    calibrating: str = ""
    problem: str = ""
    enter: Enter = Enter.SEND
    setup: Setup = Setup()
    aiming: bool = False
    searching: bool = False
    ghost: Ghost | None = None
    ttft_s: Mapping[int, float] = field(default_factory=dict)
    failed: frozenset[int] = frozenset()
    pressure: Pressure = field(default_factory=Pressure)
    told: Insight | None = None
    history: Sequence[Second] = ()
    remaining: str = ""
    expected_ns: int | None = None
    expectation: tuple[str, ...] = ()
    paused: bool = False
    again: bool = False
    replay: Replay | None = None
    tour: Shown | None = None
    keys: Mapping[str, str] = field(default_factory=lambda: _KEYS)
    calm: View | None = None

    @property
    def written(self) -> View:
        """The view that times in words are taken from: one for all panels, however often each looks."""
        return self.calm or self.view


def gather(feed: Feed, view: View, knobs: Knobs, *, ghost: Ghost | None, paused: bool, again: bool) -> Scene:
    """The scene of a feed now; `view` may be a frozen one."""
    engine_side, player = live(feed), playback(feed)
    found = engine_side.found if engine_side else None
    engine = _engine(found, engine_side.target if engine_side else None, view)
    run = feed.run
    shown = run.knobs if player and run else knobs
    ttft_s, failed = _curve(feed, engine, view, shown)
    return Scene(
        view=view,
        knobs=shown,
        engine=engine,
        context=engine_side.context if engine_side else _told_context(view),
        run_number=(-run.number if player else run.number) if run else 0,
        run_note=clean(run.note) if run else "",
        asked=run.knobs.prompt_tokens if run and not run.knobs.own else 0,
        running=feed.running,
        activity=clean(engine_side.activity) if engine_side else "",
        calibrating=engine_side.calibrating.words if engine_side and engine_side.calibrating else "",
        problem=clean(engine_side.problem) if engine_side else "",
        enter=enter_does(feed),
        setup=_setup(engine_side.builtin) if engine_side else Setup(),
        aiming=engine_side is not None and engine_side.aiming,
        searching=engine_side is not None and found is None and engine_side.discovered is None,
        ghost=ghost,
        ttft_s=ttft_s,
        failed=failed,
        pressure=feed.pressure,
        paused=paused,
        again=again,
        replay=_replay(feed, player) if player else None,
    )


def _replay(feed: Feed, player: Playback) -> Replay:
    recordings = demo(feed)
    reel = None
    if recordings is not None:
        at, reels = recordings.at, recordings.reels
        shown = reels[at]
        reel = Reel(at + 1, len(reels), clean(shown.title), clean(shown.caption), recordings.next_in_s)
    return Replay(
        file=clean(player.file),
        speed=player.speed,
        playing=player.playing,
        sampled=player.sampled,
        position_ns=player.position_ns,
        end_ns=player.end_ns,
        loop=player.loop,
        freeze=player.freeze,
        held=player.held,
        scrubbed=player.scrubbed,
        reel=reel,
    )


def _told_context(view: View) -> int | None:
    told = view.conditions.get("context_length")
    return told if isinstance(told, int) and not isinstance(told, bool) else None


def _engine(found: Found | None, target: Target | None, view: View) -> Engine:
    """What was found, else what the run tells."""
    if found is not None:
        root = found.base.root
        unchecked = target is not None and target.trust(root) == UNCHECKED
        return _named(found.engine, found.shown, root, found.loading, unchecked)
    engine, model = (str(view.conditions.get(key) or "") for key in ("engine", "model"))
    return _named(engine, model, "", False, view.conditions.get("certificate") == UNCHECKED)


@lru_cache(maxsize=8)
def _named(engine: str, model: str, root: str, loading: bool, unchecked: bool) -> Engine:
    """Kept: every frame asks for the same one."""
    address = urlsplit(root).netloc or root
    return Engine(clean(engine), clean(model), clean(address), loading, unchecked)


def _setup(builtin: BuiltIn) -> Setup:
    return Setup(
        builtin.state,
        builtin.stage,
        builtin.done_bytes,
        builtin.total_bytes,
        clean(builtin.why),
        builtin.engine.pid if builtin.engine else None,
    )


def _curve(feed: Feed, engine: Engine, view: View, knobs: Knobs) -> tuple[dict[int, float], frozenset[int]]:
    """TTFT by prompt length, and the lengths that failed, for this engine, model, cache mode and profile."""
    told = view.conditions.get
    names = str(told("engine") or engine.name), str(told("model") or engine.model)
    key = Curve(*names, knobs.cache.value, knobs.profile.value, knobs.rivals)
    shelf = feed.shelf
    ttft_s = {length: ttft for (curve, length), ttft in shelf.ttft_s.items() if curve == key}
    return ttft_s, frozenset(length for curve, length in shelf.failed if curve == key)
