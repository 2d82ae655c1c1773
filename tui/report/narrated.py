"""A request as it happens, a line for each change and for each second: for screen readers and logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TextIO

from tui.capture.live import Live
from tui.capture.recording import Recording
from tui.capture.replay import Player
from tui.domain.state import learned
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.plot.numbers import count, duration, three
from tui.plot.read_so_far import read_so_far

_S = 1_000_000_000
_STEP_NS = _S // 10
_LATE_NS = _S // 5  # what is told so long after it began is told with when it began


class Narrator:
    """Turns the views of one request into lines, each once; `12.3 s  writing  token 87 of at most 256`.

    It may be asked at any pace: what happened between two views is told with the later one.
    """

    def __init__(self) -> None:
        self._sent = self._read = self._wrote = self._over = False
        self._stage = Stage.EMPTY
        self._stalls = 0
        self._told_ns = -_S

    def follow(self, view: View) -> list[str]:
        """The lines that this view adds; mostly none."""
        if view.stage is Stage.EMPTY or self._over:
            return []
        told = [*self._beginnings(view), *self._stalled(view)]
        self._over = not view.running
        if self._over:
            told.append(_ending(view))
        elif not told and view.now_ns - self._told_ns >= _S:
            told.append(_state(view))
        if told:
            self._told_ns = view.now_ns
        self._stage = view.stage
        return [f"{max(0, view.now_ns) / _S:6.1f} s  {clean(line)}" for line in told]

    def _beginnings(self, view: View) -> Iterator[str]:
        """Sent, loading, reading, writing."""
        if view.stage is Stage.CONNECTING:
            if self._stage is Stage.EMPTY:
                yield "connecting"
            return
        if not self._sent:
            self._sent = True
            yield "sent  waiting for the engine"
        if view.prefill_start_ns is not None and not self._read and not self._wrote:
            self._read = True
            yield f"reading the prompt{_since(view, view.prefill_start_ns)}"
        if view.ttft.number is not None and not self._wrote:
            self._wrote = True
            yield f"{_writing(view)}  the first token came after {duration(round(view.ttft.number * _S))}"

    def _stalled(self, view: View) -> Iterator[str]:
        for stall in view.stalls[self._stalls :]:
            unit = "token" if stall.counted else "message"
            yield f"went on  a stall of {duration(stall.gap_ns)} ended with {unit} {count(stall.at_token)}"
        self._stalls = len(view.stalls)
        if view.stage is Stage.STALLED and self._stage is not Stage.STALLED:
            yield _state(view)


def _since(view: View, start_ns: int) -> str:
    return f"  since {start_ns / _S:.1f} s" if view.now_ns - start_ns >= _LATE_NS else ""


def _writing(view: View) -> str:
    return "writing" if view.answer.length or not view.reasoning.length else "thinking"


def _state(view: View) -> str:
    """What goes on, how far it is, how fast."""
    match view.stage:
        case Stage.PREFILL:
            done = read_so_far(view.reports[-1]) if view.reports else "the engine has not told how far"
            return _joined("reading", done, _speed(view.prefill_now.number, "at the last report"))
        case Stage.DECODING:
            limit = learned(view.conditions, "answer_limit")
            most = f" of at most {count(limit)}" if limit else ""
            return _joined(
                _writing(view), f"{_so_far(view)}{most}", _speed(view.decode_now.number, "last 1 s")
            )
        case Stage.STALLED:
            stall = view.open_stall
            gap = f"nothing for {duration(stall.gap_ns)}" if stall else ""
            return _joined("stalled", gap, f"after {_so_far(view)}")
        case Stage.WAITING if any(phase.name == "load" and phase.running for phase in view.phases):
            return _joined("loading", "the engine loads its model")
        case Stage.WAITING if view.slots_busy:
            return _joined("waiting", "other requests hold all of the engine's slots")
        case Stage.WAITING:
            return _joined("waiting", "nothing has come back yet")
        case _:
            return str(view.stage.value)


def _ending(view: View) -> str:
    match view.stage:
        case Stage.FAILED:
            return _joined("failed", " ".join(view.failure.whole.split()) if view.failure else "")
        case Stage.FINISHED if not view.complete:
            return _joined("incomplete", f"after {_so_far(view)}")
        case stage:
            return _joined("stopped" if stage is Stage.CANCELLED else "finished", f"after {_so_far(view)}")


def _joined(word: str, *parts: str) -> str:
    return "  ".join(filter(None, (word, " · ".join(filter(None, parts)))))


def _speed(tokens_per_s: float | None, over: str) -> str:
    return "" if tokens_per_s is None else f"{three(tokens_per_s)} tok/s ({over})"


def _so_far(view: View) -> str:
    """How many tokens came, by the engine's count; else messages, which are not tokens."""
    track = view.track
    tokens = track.columns.tokens[track.reads - 1] if track.reads else 0
    if tokens or not view.chunks:
        return f"token {count(tokens)}" if tokens else "no token"
    return f"message {count(view.chunks)}"


def narrate(
    recording: Recording,
    speed: float,
    out: TextIO,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> View:
    """Tell a recording while it plays, `speed` times as fast as it happened; its last View."""
    player, live, narrator = Player(recording), Live(), Narrator()
    began, step_ns = clock(), 0
    while True:
        live.feed(player.at(step_ns))
        view = live.view(player.position_ns(step_ns))
        write(narrator.follow(view), out)
        if player.finished:
            return view
        step_ns += _STEP_NS
        if (early := began + step_ns / _S / speed - clock()) > 0:
            sleep(early)


def write(lines: list[str], out: TextIO) -> None:
    """Each line at once: who reads along must not wait for a buffer."""
    for line in lines:
        out.write(line + "\n")
        out.flush()
