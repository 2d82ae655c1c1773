"""The built-in engine's own process: llama.cpp's server on loopback, gone as soon as its parent is.

Run as a file, so it imports nothing of toklane. The first line on stdin is the Config; stdin then stays
open, and its end means that the parent is gone. What happens is told on stdout, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from typing import TextIO

PR_SET_PDEATHSIG = 1
CONTEXT_TOKENS = 8192
BATCH_TOKENS = 64  # a progress report and a chance to cancel every 64 tokens, for some 4 % of prefill speed
CACHE_RAM_MIB = 64  # the default would let it grow to 8 GiB
ERRORS_ONLY = 1


@dataclass(frozen=True, slots=True)
class Config:
    """What the parent asks for. `tied`: it may be killed with the thread that started it (Linux)."""

    gguf: str
    port: int
    api_key: str
    slots: int
    threads: int
    tied: bool


def main() -> None:
    import ctypes  # the parent imports this file for its Config, without these two
    from importlib.metadata import version

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c is for the program
    status = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing that a library prints gets between the status lines
    config = Config(**json.loads(sys.stdin.buffer.readline()))
    if config.tied and sys.platform == "linux":
        # Loading holds the interpreter's lock and the watcher below is deaf; the kernel is not.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _tell(status, state="loading")
    began_ns = time.monotonic_ns()
    try:
        server = _serve(config)
    except ImportError as error:
        _tell(status, state="failed", missing=error.name or str(error))
        return
    except Exception as error:  # a damaged model, a version with other parameters, a library that lacks one
        _tell(status, state="failed", why=str(error) or type(error).__name__)
        return
    _tell(status, state="ready", load_ns=time.monotonic_ns() - began_ns, version=version("xllamacpp"))
    _silence()
    threading.Event().wait()
    del server


def _serve(config: Config) -> object:
    import xllamacpp  # here, so that a missing extra is an answer and not a traceback

    params = xllamacpp.CommonParams()
    params.model.path = config.gguf
    params.model_alias = {os.path.basename(config.gguf).removesuffix(".gguf")}
    params.port = config.port  # on 127.0.0.1: the default of every version, whose name for it changes
    params.api_keys = [config.api_key]
    params.endpoint_slots = True
    params.ui = False
    params.n_ctx = CONTEXT_TOKENS * config.slots  # is divided among the slots
    params.n_parallel = config.slots
    params.n_threads_http = config.slots + 8  # a waiting request keeps one; some must be left for the polls
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = config.threads
    params.cache_ram_mib = CACHE_RAM_MIB
    params.fit_params = False  # the context is given; trying others first would double the loading time
    params.verbosity = ERRORS_ONLY
    return xllamacpp.Server(params)


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


def _tell(status: TextIO, **fields: object) -> None:
    print(json.dumps(fields), file=status, flush=True)


def _silence() -> None:
    """Errors while loading were the parent's to read; from now on a log would only grow."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


if __name__ == "__main__":
    main()
