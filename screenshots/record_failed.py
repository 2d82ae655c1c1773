"""Records the request that fails in the pictures: `python screenshots/record_failed.py`.

It is a real request to the built-in engine of this machine, kept as it came; the engine's process is killed amid
the answer, on purpose, and the recording says so. The file goes to screenshots/recordings, packed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from record_demo import keep, sent, warm

from tui.domain.knobs import Knobs
from tui.domain.view import View

PLACE = Path(__file__).parent / "recordings"
AT_TOKEN = 24
KILLED = f"the engine's process was killed at token {AT_TOKEN}, on purpose"


def main() -> int:
    """Record it."""
    killed = threading.Event()
    with warm() as session:

        def kill(view: View) -> None:
            engine = session.builtin.engine
            tokens = view.tokens or 0
            if tokens >= AT_TOKEN and engine is not None and not killed.is_set():
                killed.set()
                os.kill(engine.pid, signal.SIGKILL)

        keep("failed", sent(session, Knobs(prompt_tokens=512, answer_limit=64), meanwhile=kill), KILLED, PLACE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
