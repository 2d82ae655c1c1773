"""What an address has answered so far, by path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui.engines.asking import Answer, Ask, Asking
from tui.engines.prometheus import Page
from tui.engines.shapes import Object, items, mapping, parsed_or_none, text

MODELS = "/v1/models"
_UNASKED = Answer(0, error="not asked")
_DENIED = (401, 403)


class Heard:
    """The answers at one address. A status alone is no evidence: only what a body holds counts."""

    def __init__(self, patience_s: float = 2.0) -> None:
        self._answers: dict[str, Answer] = {}
        self._patience_s = patience_s

    def ask(self, asks: Sequence[Ask]) -> Asking[None]:
        """Ask what was not asked yet, all at once."""
        new = [replace(ask, timeout_s=self._patience_s) for ask in asks if ask.path not in self._answers]
        if new:
            answers = yield new
            self._answers |= {ask.path: answer for ask, answer in zip(new, answers, strict=True)}

    def answer(self, path: str) -> Answer:
        """The answer of a path, with status 0 when none came or it was not asked."""
        return self._answers.get(path, _UNASKED)

    def json(self, path: str) -> object:
        """The JSON value of a good answer, else None."""
        answer = self.answer(path)
        return parsed_or_none(answer.body) if answer.status == 200 else None

    def object(self, path: str) -> Object:
        """The JSON object of a good answer, else an empty one."""
        return mapping(self.json(path))

    def words(self, path: str) -> str:
        """The text of a good answer."""
        answer = self.answer(path)
        return answer.body.decode("utf-8", "replace").strip() if answer.status == 200 else ""

    def page(self, path: str) -> Page:
        """The metrics of a good answer."""
        answer = self.answer(path)
        return Page(answer.body if answer.status == 200 else b"")

    @property
    def models(self) -> list[Object]:
        """Entries of `/v1/models` that have an id; some gateways send the bare list."""
        listed = self.json(MODELS)
        entries = listed if isinstance(listed, list) else items(mapping(listed).get("data"))
        return [entry for entry in map(mapping, entries) if text(entry.get("id"))]

    @property
    def owner(self) -> str:
        """`owned_by` of the first model."""
        return text(self.models[0].get("owned_by")) if self.models else ""

    def serves(self, name: str) -> bool:
        """Any answer's `Server` header begins with the name."""
        return any(it.headers.get("server", "").startswith(name) for it in self._answers.values())

    @property
    def silent(self) -> bool:
        """Nothing came but failures."""
        return all(answer.status == 0 for answer in self._answers.values())

    @property
    def denied(self) -> bool:
        """A key is wanted for the models."""
        return self.refuses(MODELS)

    def refuses(self, path: str) -> bool:
        """It wants a key there, or another one."""
        return self.answer(path).status in _DENIED

    @property
    def failure(self) -> Answer:
        """The first failure."""
        return next((it for it in self._answers.values() if it.error), Answer(0, error="no answer"))
