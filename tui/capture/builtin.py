"""The built-in engine as the session sees it: fetch its model, start its process, say how far it is."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from tui.engines import embedded, model
from tui.engines.model_fetch import FetchFailed, fetch
from tui.exhausted import exhausted

_SLOTS_WITH_RIVALS = 2  # the second one costs 180 MB, so there is one until then
_TAKEN = "couldn't bind"
_DAMAGED = re.compile(r"magic|GGUF|tensor|string length|corrupt|bounds", re.IGNORECASE)


class _Stopped(Exception):
    """The fetch is no longer wanted."""


class BuiltIn:
    """`state` is off, fetching, starting, ready or failed. Fetching runs in a thread; all else never blocks.

    done_bytes, total_bytes and stage tell about the fetch; `why` is one line when it failed.
    slots: requests it serves at once, from its next start on.
    """

    def __init__(self) -> None:
        self.state = "off"
        self.done_bytes = 0
        self.total_bytes = model.DOWNLOAD_BYTES
        self.stage = ""
        self.why = ""
        self.engine: embedded.EmbeddedEngine | None = None
        self.slots = 1
        self._gguf: Path | None = None
        self._started = 0
        self._retried = False
        self._worker: threading.Thread | None = None
        self._ending: threading.Thread | None = None
        self._unwanted = threading.Event()
        self._fetched: Path | str | None = None

    def begin(self, gguf: Path | None, download: bool) -> None:
        """Start the engine on `gguf`, or on the built-in model, fetched first when `download` allows it."""
        if self.state in ("fetching", "starting", "ready"):
            return
        found = gguf or model.locate()
        if gguf is not None and not os.path.isfile(gguf):
            self._fail(f"{gguf} is not a file; give the path of a GGUF model")
        elif found is not None:
            self._start(found)
        elif not download:
            self._fail("the built-in model is not here; `toklane model --fetch` fetches it (93 MB, once)")
        else:
            self.state, self.why, self._fetched = "fetching", "", None
            self._unwanted.clear()
            worker = threading.Thread(target=self._fetch, name="model fetch", daemon=True)
            try:
                worker.start()
            except RuntimeError as error:
                self._fail(f"the model can't be fetched: {exhausted(error) or error}")
            else:
                self._worker = worker

    @property
    def chosen(self) -> bool:
        """Requests are meant for it, whatever became of its process; not while it has no model yet."""
        return self.state in ("starting", "ready") or (self.state == "failed" and self._gguf is not None)

    @property
    def narrow(self) -> bool:
        """It runs, with fewer slots than it should have."""
        return self.engine is not None and self._started < self.slots

    def make_room(self, rivals: int) -> None:
        """A second slot at its next start, when there are rivals."""
        if rivals:
            self.slots = _SLOTS_WITH_RIVALS

    def anew(self) -> None:
        """Start it once more on the same model, with the `slots` of now."""
        if self._gguf is not None:
            self.leave()
            self._start(self._gguf)

    def tick(self) -> bool:
        """Look how far it is; True when the state changed."""
        before = self.state
        if self.state == "fetching" and self._fetched is not None:
            # the process must be started from the main thread, whose end is the program's end
            if isinstance(self._fetched, Path):
                self._start(self._fetched)
            else:
                self._fail(self._fetched)
        if self.engine is not None and self.state in ("starting", "ready"):
            match self.engine.state:
                case embedded.Ready():
                    self.state, self._retried = "ready", False
                case embedded.Failed(why=why) if _TAKEN in why and not self._retried and self._gguf:
                    self._retried = True  # somebody took the port between its choice and its use
                    self._start(self._gguf)
                case embedded.Failed(why=why):
                    self._fail(f"{why}{self._remedy(why)}")
                case _:
                    pass
        return self.state != before

    def knows(self, root: str) -> dict[str, object]:
        """Conditions of the built-in engine that its address does not tell; none for another address."""
        engine = self.engine
        if engine is None or engine.base_url != root or not isinstance(engine.state, embedded.Ready):
            return {}
        return engine.state.conditions

    def leave(self) -> None:
        """It is not wanted any more: end the fetch and the process, without waiting for them."""
        self._unwanted.set()
        if self.engine is not None:
            self._ending = threading.Thread(target=self.engine.stop, name="built-in engine's end")
            self._ending.start()
        self.state, self.engine = "off", None

    def close(self) -> None:
        """End the fetch and the process, whichever runs, and wait for that."""
        self.leave()
        for thread in (self._worker, self._ending):
            if thread is not None:
                thread.join()

    def _start(self, gguf: Path) -> None:
        self._gguf, self._started = gguf, self.slots
        try:
            self.engine = embedded.start(gguf, slots=self.slots)
        except (OSError, RuntimeError) as error:  # no process, thread, port or temporary file to be had
            why = getattr(error, "strerror", None) or error
            told = exhausted(error) or f"{why}; see to that, then try again"
            self._fail(f"the built-in engine can't be started: {told}")
        else:
            self.state, self.why = "starting", ""

    def _remedy(self, why: str) -> str:
        """The model that we fetched ourselves is of the right size, or it would not have been taken."""
        if self._gguf != model.path() or not _DAMAGED.search(why):
            return ""
        return f"; the file is damaged: delete {self._gguf}, then try again"

    def _fail(self, why: str) -> None:
        self.state, self.why, self.engine = "failed", why, None

    def _fetch(self) -> None:
        def progress(done: int, total: int, stage: str) -> None:
            if self._unwanted.is_set():
                raise _Stopped
            self.done_bytes, self.total_bytes, self.stage = done, total, stage

        try:
            self._fetched = fetch(progress)
        except FetchFailed as error:
            self._fetched = str(error)
        except _Stopped:
            self._fetched = "the download was stopped; it starts anew when it is asked for again"
        except Exception as error:  # whoever waits for it must hear that nothing comes
            self._fetched = f"the model could not be fetched: {type(error).__name__}: {error}"
            raise
