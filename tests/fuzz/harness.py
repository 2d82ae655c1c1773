"""A coverage-guided fuzzer over all that comes from outside; no test, run by hand.

    python -m pip install atheris    # in an environment of its own: nothing here needs it
    python -m tests.fuzz.harness --seeds CORPUS
    python -m tests.fuzz.harness PLACE CORPUS/PLACE -max_total_time=900

PLACE: `run` makes a run of each input (framing, every adapter, the reducer, the run object; see `made`),
`file` reads it as a recording, and there are those of `places`. `--seeds` writes inputs for each of them:
captures, cases, and what lies in `seeds`. What it finds becomes a test in `test_fuzz_found`.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.domain.wire import Record


_DATA = Path(__file__).parents[1] / "data"
_MOST = 3000  # bytes of a piece; the fuzzer is quick with small inputs only
_NAMES = {"lm-studio": "lmstudio", "tensorrt-llm": "trtllm"}


def main(words: list[str]) -> None:
    if words[:1] == ["--seeds"]:
        return _seed(Path(words[1]))
    import atheris

    from tests.fuzz.mangled import mangled

    with atheris.instrument_imports(include=["tui", "tomllib"]):
        from tests.fuzz.made import run_from
        from tests.fuzz.places import PLACES
        from tests.fuzz.sound import run_of
        from tui.capture.recording import NotARecording, parse

    def one_run(data: bytes) -> None:
        run_of(run_from(data))

    def one_file(data: bytes) -> None:
        with contextlib.suppress(NotARecording):
            run_of(parse(data.splitlines(keepends=True)).records, timed=False)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.randrange(2):
            return bytes(atheris.Mutate(data, most))
        return (data[:3] + mangled(data[3:], chance))[:most]

    places = {"run": one_run, "file": one_file, **PLACES}
    atheris.Setup(words, places[words[0]], custom_mutator=mutate)
    atheris.Fuzz()


def _seed(folder: Path) -> None:
    """Write each capture and case as an input of both kinds, and the seeds of all other places."""
    from tests.fuzz.made import APART, speaker
    from tests.fuzz.seeds import found, seeds
    from tui.capture.recording import NotARecording, read

    for place, inputs in seeds().items():
        for data in (*inputs, *found(place)):
            _keep(folder / place, data)
    for path in sorted(_DATA.glob("ca*/**/*.jsonl")):
        _keep(folder / "file", b"".join(path.read_bytes().splitlines(keepends=True)[:12]))
        try:
            recording = read(path)
        except NotARecording:
            continue
        fields = recording.meta.fields
        request = fields.get("request")
        asked = str(request.get("path", "")) if isinstance(request, dict) else ""
        engine = str(fields.get("engine"))
        head = bytes([speaker(_NAMES.get(engine, engine), asked.partition("?")[0]), 0, 0])
        _keep(folder / "run", head + APART.join(_pieces(recording.records)))


def _pieces(records: tuple[Record, ...]) -> list[bytes]:
    """The first and the last ones; what lies between says the same again."""
    from tui.domain.wire import Poll, Read

    pieces = []
    for record in records:
        if isinstance(record, Read):
            pieces.append(record.data[:_MOST])
        elif isinstance(record, Poll):
            mark = b"<" if record.at_ns < 0 else b"?"
            pieces.append(mark + record.path.encode() + b"\n" + record.body[:_MOST])
    return pieces if len(pieces) < 9 else [*pieces[:5], *pieces[-4:]]


def _keep(folder: Path, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
