"""Explanations as text: numbers written as everywhere else."""

from __future__ import annotations

from tui.domain.explain import Explanation
from tui.domain.facts import Fact, Quantity, Words
from tui.plot.numbers import count, duration, percent, size, three


def told(words: Words) -> str:
    """The words with their numbers."""
    return "".join(word if isinstance(word, str) else _number(word) for word in words)


def _number(quantity: Quantity) -> str:
    match quantity.unit:
        case "ns":
            return duration(round(quantity.number))
        case "n":
            return count(round(quantity.number))
        case "B":
            return size(quantity.number)
        case "%":
            return percent(quantity.number)
        case "x":
            return f"{three(quantity.number)} times"


def evidence_line(fact: Fact) -> str:
    """`words — source mark`."""
    return f"{told(fact.words)} · {fact.source} {fact.provenance.mark}"


def paragraph(explanation: Explanation) -> str:
    """The explanation in one breath, for a line or for a copy."""
    causes = "; ".join(told(fact.words) for fact in explanation.causes)
    return f"{told(explanation.sentence)}. {explanation.verdict[:1].upper()}{explanation.verdict[1:]}" + (
        f" {causes}." if causes else "."
    )
