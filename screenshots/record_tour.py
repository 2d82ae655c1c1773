"""Records what `toklane tour` plays beside the recordings of the demo: `python screenshots/record_tour.py [NAME …]`.

Each one is a real request to the built-in engine of this machine, kept as it came. They go to tui/tour, packed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from record_demo import keep, sent, warm

from tui.domain.knobs import Knobs

PLACE = Path(__file__).parents[1] / "tui" / "tour"
ASKED = {
    "deep": Knobs(prompt_tokens=128, answer_limit=1024, ignore_eos=True),
    "rivals": Knobs(prompt_tokens=256, answer_limit=48, rivals=2),
}
"""Those with rivals come last: the engine starts anew for them."""


def main() -> int:
    """Record both, or those named on the command line."""
    wanted = sys.argv[1:]
    with warm() as session:
        for name, knobs in ASKED.items():
            if not wanted or name in wanted:
                keep(name, sent(session, knobs), place=PLACE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
