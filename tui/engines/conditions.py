"""What is known about a run before its first byte: engine, model and the knobs that its request asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tui.domain.values import count
from tui.engines.shapes import Object, items, mapping, plain, text

_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "seed", "repeat_penalty", "ignore_eos")
_LIMITS = ("max_tokens", "max_completion_tokens", "n_predict", "max_output_tokens")
_RUN = re.compile(r"([\s=_*#.~|+-])\1{3,}")  # indents, rules, padding of tables: a few tokens each
_OF_RUN = 4


def conditions_of(fields: Mapping[str, object]) -> dict[str, object]:
    """Keys of the product's `conditions` that the first line of a recording tells.

    `prompt_chars`: characters of text in the request, to judge whether the engine read all of it.
    """
    body = mapping(mapping(fields.get("request")).get("body"))
    options = mapping(body.get("options"))  # Ollama keeps its knobs there
    found: dict[str, object] = {
        "engine": text(fields.get("engine")),
        "engine_version": text(fields.get("engine_version")),
        "model": shown_model(text(body.get("model")) or text(fields.get("model"))),
    }
    limits = [body.get(key) for key in _LIMITS] + [options.get("num_predict")]
    found["answer_limit"] = next((n for n in map(count, limits) if n is not None), None)
    found["context_length"] = count(options.get("num_ctx"))
    sampling = {
        key: place[key] for place in (options, body) for key in _SAMPLING if place.get(key) is not None
    }
    found["sampling"] = sampling or None
    found["prompt_chars"] = _characters(body) or None
    known = {key: value for key, value in found.items() if value not in (None, "")}
    return dict(mapping(plain(known | dict(mapping(fields.get("conditions"))))))


def _characters(body: Object) -> int:
    """Characters of text in a chat or completion request; images and templates are not counted."""
    total = sum(_length(text(body.get(key))) for key in ("prompt", "system", "input", "system_prompt"))
    for message in items(body.get("messages")):
        content = mapping(message).get("content")
        total += _length(text(content))
        total += sum(_length(text(mapping(part).get("text"))) for part in items(content))
    return total


def _length(words: str) -> int:
    """Characters, four at most of a run of the same blank or stroke."""
    return len(words) - sum(run.end() - run.start() - _OF_RUN for run in _RUN.finditer(words))


def shown_model(name: str) -> str:
    """A model's name without the folders above it, when it is a file's path: they are the person's own."""
    if name.endswith(".gguf") or name.startswith(("/", "~", "\\", "./", "../")) or name[1:3] == ":\\":
        return last_part(name)
    return name


def last_part(path: str) -> str:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
