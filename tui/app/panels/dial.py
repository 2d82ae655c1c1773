"""The prompt dial above the footer; maximised, the curve of TTFT over the length of the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.layout import Form
from tui.app.panels.lines import column, dotted, most
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.replaying import caption
from tui.app.panels.titles import rule, titled
from tui.app.scene import Scene
from tui.app.tour import rows as touring
from tui.domain.knobs import steps
from tui.domain.view import Stage
from tui.plot.dial import DialStep, Tried, dial_rows
from tui.plot.gauge import gauge
from tui.plot.glyphs import Fill
from tui.plot.numbers import ABSENT, duration, prompt_length
from tui.plot.rows import Row, join

_S = 1_000_000_000


class Dial(Panel):
    every = SLOW

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        dial, selected = dial_steps(scene)
        if self.plan.maximised:
            title = titled("time to the first token by length of the prompt", width, self.fill)
            if scene.knobs.own:
                return (title, *own(scene, width))[:height]
            return (title, *curve(dial, selected, width, self.fill))[:height]
        if scene.tour and not scene.tour.turned:
            lines = touring.caption(scene.tour, width, min(2, height), self.plan.form is Form.STAGE)
        elif scene.replay and scene.replay.reel:
            lines = caption(scene.replay, width, min(2, height), scene.keys)
        elif scene.knobs.own:
            lines = own(scene, width)
        else:
            lines = dial_rows(dial, selected, width, self.fill)
        above = (rule(width, self.fill),) if self.plan.form is Form.LARGE and height > len(lines) else ()
        return (*above, *lines)[:height]


def own(scene: Scene, width: int) -> Sequence[Row]:
    """An own prompt in the place of the lengths, of which it has none that was asked for."""
    keys = scene.keys
    told = ("sent as it is", f"{keys['own']} changes it", f"{keys['profile']} goes on to lengths")
    head: Row = ((" prompt  ", "text bold"), ("own prompt", "text bold"))
    return head, most(((" " * 8, "text"),), dotted(told, "secondary"), width)


def dial_steps(scene: Scene) -> tuple[Sequence[DialStep], int | None]:
    """All lengths that can be chosen, and which one is; none in the replay of a prompt of unknown length."""
    lengths = [step for step in steps(scene.knobs, scene.context) if step[0]]
    asked = scene.asked if scene.running else None
    dial = [_step(scene, tokens, reachable, tokens == asked) for tokens, reachable in lengths]
    chosen = [n for n, (tokens, _) in enumerate(lengths) if tokens == scene.knobs.prompt_tokens]
    return dial, chosen[0] if chosen else None


def _step(scene: Scene, tokens: int, reachable: bool, running: bool) -> DialStep:
    if running and scene.view.stage is not Stage.FINISHED:
        return DialStep(tokens, Tried.RUNNING, None, reachable)
    if tokens in scene.failed:
        return DialStep(tokens, Tried.FAILED, None, reachable)
    ttft_s = scene.ttft_s.get(tokens)
    if ttft_s is None:
        return DialStep(tokens, Tried.NEVER, None, reachable)
    return DialStep(tokens, Tried.DONE, round(ttft_s * _S), reachable)


def curve(dial: Sequence[DialStep], selected: int | None, width: int, fill: Fill) -> Sequence[Row]:
    """One bar for each length, as long as its time to the first token."""
    longest = max((step.ttft_ns or 0 for step in dial), default=0)
    rows: list[Row] = []
    for n, step in enumerate(dial):
        style = "text bold" if n == selected else "secondary"
        told = (
            duration(step.ttft_ns)
            if step.ttft_ns
            else fill.glyphs.failed
            if step.tried is Tried.FAILED
            else ABSENT
        )
        bar = (
            gauge((step.ttft_ns or 0) / longest if longest else 0, width - 24, fill, "prefill")
            if step.ttft_ns
            else ()
        )
        head = (column(prompt_length(step.tokens), 9, style, right=True), ("  ", "text"))
        rows.append(join(head, (column(told, 10, style),), bar))
    return rows
