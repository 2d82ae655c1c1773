"""The end of the time axis: grows by steps while a request runs, settles once when it is over."""

from __future__ import annotations

from dataclasses import dataclass

from tui.plot.scale import grown_top, running_end, settled_end

_BOLD_NS = 1_000_000_000
FIRST_TOP_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class Extent:
    """What the axis has to hold, ns since sent; 0 = there is none."""

    run: int
    now_ns: int
    over: bool
    ghost_ns: int = 0
    expected_ns: int = 0
    median_ns: float = 0.0
    holds: bool = False  # auto mode: bars stay comparable from run to run


class Axis:
    """Remembers between frames how far the axis has grown."""

    def __init__(self) -> None:
        self.end_ns = 0
        self.top_ns = 0
        self._run = -1
        self._settled = False
        self._grew_ns = -_BOLD_NS

    def follow(self, extent: Extent) -> None:
        """Take in one moment: end of the axis and top of the gap scale."""
        if extent.run != self._run or (self._settled and not extent.over):
            kept = self.end_ns if extent.holds else 0
            self._run, self._settled, self.end_ns, self.top_ns = extent.run, False, kept, 0
            self._grew_ns = -_BOLD_NS
        if extent.over and not self._settled:
            self._settled = True
            if not extent.holds or not self.end_ns:
                self.end_ns = settled_end(max(1, extent.now_ns), extent.ghost_ns)
        elif not extent.over:
            end_ns = running_end(
                max(0, extent.now_ns),
                ghost_ns=extent.ghost_ns,
                estimate_ns=extent.expected_ns,
                previous_ns=self.end_ns,
            )
            if self.end_ns and end_ns > self.end_ns:
                self._grew_ns = extent.now_ns
            self.end_ns = end_ns
        self.top_ns = (
            grown_top(extent.median_ns, self.top_ns) if extent.median_ns else self.top_ns or FIRST_TOP_NS
        )

    def stands_out(self, now_ns: int) -> bool:
        """Whether the axis has just grown, so that its labels are bold."""
        return 0 <= now_ns - self._grew_ns < _BOLD_NS
