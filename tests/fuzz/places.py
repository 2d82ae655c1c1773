"""Every other place where bytes from outside come in: what must hold there, whatever they are."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.engines.answering import drive
from tests.fuzz.made import APART
from tui.capture.experience import Experience, Key
from tui.capture.frames import Gone, Unpacker
from tui.domain.calibration import fields_of
from tui.domain.gguf import LONGEST_NAME, LONGEST_TEXT, NotGguf, parse, weights
from tui.domain.gguf_shape import shape_of
from tui.domain.machine import Reading, raw_from, reading_from
from tui.domain.shape import MOST
from tui.engines.asking import Answer, Ask
from tui.engines.detect import Found, detect
from tui.engines.prometheus import Page, grown_ns
from tui.engines.urls import Base
from tui.plot.cells import clean
from tui.settings import config, last, themes, tour_script
from tui.settings.usage import WrongUsage

BASES = ("http://127.0.0.1:8080", "https://far.example", "https://openrouter.ai/api")
_STATUS = (200, 200, 200, 401, 404, 503)
_KEY = Key("llama.cpp", "http://127.0.0.1:8080", "m", "cold")
_EVERY = 7  # bytes between two cuts of a pipe


def a_model_file(data: bytes) -> None:
    """A header is read or refused, and its shape fits between the processes and into a recording."""
    try:
        header = parse(data)
    except NotGguf:
        return
    texts = [words for words in header.metadata.values() if isinstance(words, str)]
    assert all(len(words) <= LONGEST_TEXT for words in texts)
    assert all(len(tensor.name) <= LONGEST_NAME for tensor in header.tensors)
    shape = shape_of(header.metadata, weights(header, len(data)), len(data))
    told = json.loads(_json(raw_from(Reading(0, model=shape))))
    back = reading_from(0, told).model
    assert back == shape or _beyond(told), (back, shape)


def _beyond(told: Mapping[str, object]) -> bool:
    """It holds a number that no real model has: reading it back leaves that out."""
    numbers = [n for n in _flat(told) if isinstance(n, int)]
    return any(n > MOST for n in numbers)


def _flat(value: object) -> list[object]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if inside is None else [each for inner in inside for each in _flat(inner)]


def an_address(data: bytes) -> None:
    """Whatever it answers, there is an engine or a reason; data[0]: which address, [1]: is it only looked at.

    Every piece is an answer: its status by the first byte, a path, LF, a `Server` header, LF, the body.
    """
    head = (data[:2] + b"\0\0")[:2]
    answers: dict[str, Answer] = {}
    for piece in data[2:].split(APART):
        path, _, rest = piece[1:].partition(b"\n")
        server, _, body = rest.partition(b"\n")
        status = _STATUS[piece[0] % len(_STATUS)] if piece else 404
        told = Answer(status, {"server": server.decode("latin-1")} if server else {}, body)
        answers[path.decode("utf-8", "replace")] = told

    def answer(ask: Ask) -> Answer:
        return answers.get(ask.path.partition("?")[0], Answer(404, {}, b"{}"))

    match drive(detect(Base(BASES[head[0] % len(BASES)]), "", chosen=not head[1] % 2), answer):
        case Found() as found:
            _json(dict(found.conditions))
            _json([[model.name, model.label, model.quantization, model.parameters] for model in found.models])
            _json([found.engine, found.version, found.shown, found.unnamed, found.context, found.slots])
        case nothing:
            assert nothing.reason == clean(nothing.reason)


def a_pipe(data: bytes) -> None:
    """What comes out of it does not hang on how it was cut, and nothing comes after what is no frame."""
    frames = _framed(data, len(data) or 1)
    assert repr(frames) == repr(_framed(data, _EVERY))
    assert not any(isinstance(frame, Gone) for frame in frames[:-1])


def _framed(data: bytes, every: int) -> list[object]:
    unpacker = Unpacker()
    frames: list[object] = []
    for at in range(0, len(data), every):
        frames += unpacker.feed(data[at : at + every])
    return frames


def counters(data: bytes) -> None:
    """Two pages: what is read of them are numbers, and they never grow by less than nothing."""
    before, _, after = data.partition(APART)
    pages = Page(before), Page(after)
    for line in data.decode("utf-8", "replace").split("\n"):
        name = line.partition("{")[0].partition(" ")[0]
        grown = grown_ns(*pages, name)
        assert grown is None or grown >= 0
        _json([pages[0].total(name), pages[1].first("no", name)])
        _json([dict(one.labels) for one in pages[0].series(name)])


def a_file_of_the_user(data: bytes) -> None:
    """Settings, a theme, a tour: what can't be used is one line that says so."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    with contextlib.suppress(WrongUsage):
        assert config.merged([config.parse_file(text)]).knobs
    with contextlib.suppress(themes.ThemeError):
        assert set(themes.parse("own", text).colours) >= set(themes.ROLES)
    with contextlib.suppress(WrongUsage):
        for act in tour_script.parse(text, Path("tour.toml")):
            assert act.title and all(tour_script.filled(words, {}) for words in act.captions.values())


def what_was_kept(data: bytes) -> None:
    """The memory of the last start, and what was learned from runs."""
    with contextlib.suppress(ValueError, RecursionError):
        assert config.merged([last.decode(data.decode("utf-8", "replace"))]).knobs
    with tempfile.TemporaryDirectory() as folder:
        kept = Experience(Path(folder) / "experience.jsonl")
        kept.path.write_bytes(data)
        for run in kept.runs(_KEY):
            assert run.ttft_s > 0 and run.asked > 0
        if (calibration := kept.calibration(_KEY)) is not None:
            _json(fields_of(calibration))
            assert calibration.ttft_s(calibration.most) >= 0
            assert clean(calibration.source)
        kept._shorten()
        assert not kept.problem


PLACES: Mapping[str, Callable[[bytes], None]] = {
    "gguf": a_model_file,
    "detect": an_address,
    "frames": a_pipe,
    "counters": counters,
    "toml": a_file_of_the_user,
    "kept": what_was_kept,
}


def _json(value: object) -> str:
    words = json.dumps(value, allow_nan=False, ensure_ascii=False)
    words.encode()  # no half of a surrogate pair
    return words
