"""What one chat chunk generated: answer, reasoning and tool calls, under all the names that servers use."""

from __future__ import annotations

import json

from tui.domain.events import Generated, ToolDelta
from tui.domain.values import count
from tui.engines.shapes import Object, items, mapping, parsed_or_none, text

_REASONING = ("reasoning_content", "reasoning", "reasoning_text", "thinking")


class Parts:
    """Reads the parts of one run in order; tool calls are told apart by index and id.

    Think tags inside the content stay there unchanged.
    """

    def __init__(self) -> None:
        self._used: set[int] = set()  # numbers of the tool calls so far
        self._ids: dict[str, int] = {}
        self._newest: dict[int, int] = {}  # told index → number of its newest call
        self._names: dict[int, str] = {}
        self._arguments: dict[int, list[str]] = {}  # in pieces: they may be long

    def generated(self, at_ns: int, choice: Object, part: Object, running: int | None) -> Generated | None:
        """The output in the `part` (delta or message) of a choice; None where there is none."""
        content = part.get("content")
        reasoning = _reasoning(part)
        if isinstance(content, list):
            answer, thought = _pieces(content)
            reasoning = reasoning or thought
        else:
            answer = text(content)
        answer = answer or text(choice.get("text")) or text(part.get("refusal"))
        tools = self._tools(part)
        if not (answer or reasoning or tools):
            return None
        return Generated(at_ns, answer, reasoning, tools, running)

    def _tools(self, part: Object) -> tuple[ToolDelta, ...]:
        calls = items(part.get("tool_calls"))
        if not calls:
            alone = part.get("function_call")  # as it was before there could be several
            if not alone:
                return ()
            calls = [{"index": 0, "function": alone}]
        told = tuple(self._tool(mapping(call)) for call in calls)
        return tuple(tool for tool in told if tool.name or tool.arguments)

    def _tool(self, call: Object) -> ToolDelta:
        function = mapping(call.get("function"))
        name = text(function.get("name"))
        given = function.get("arguments")
        arguments = text(given) or (json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else "")
        number = self._number(call, name)
        if name:
            self._names.setdefault(number, name)
        self._arguments.setdefault(number, []).append(arguments)
        return ToolDelta(number, name, text(arguments))

    def _number(self, call: Object, name: str) -> int:
        """Which call this piece belongs to.

        Some servers leave the index out: a name begins the next call. Others give every call the index 0:
        there a name under another id begins the next one, unless it only repeats that of an unfinished call.
        """
        told, call_id = count(call.get("index")), text(call.get("id"))
        last = max(self._used, default=-1)
        if call_id in self._ids:
            number = self._ids[call_id]
        elif told is None:
            number = last + 1 if name else max(0, last)
        elif told in self._newest and not (name and call_id and self._over(self._newest[told], name)):
            number = self._newest[told]
        else:
            number = last + 1 if told in self._used else told
        self._used.add(number)
        if told is not None:
            self._newest[told] = number
        if call_id:
            self._ids[call_id] = number
        return number

    def _over(self, number: int, name: str) -> bool:
        """Whether a call with an id of its own is whole, now that `name` comes under another id."""
        old_name = self._names.get(number)
        if number not in self._ids.values() or not old_name:
            return False
        return name != old_name or isinstance(parsed_or_none("".join(self._arguments[number])), dict)


def _reasoning(part: Object) -> str:
    for name in _REASONING:
        if (told := part.get(name)) and (words := text(told)):
            return words
    details = items(part.get("reasoning_details"))
    return "".join(text(mapping(one).get("text")) or text(mapping(one).get("summary")) for one in details)


def _pieces(content: list[object]) -> tuple[str, str]:
    """(answer, reasoning) of a content that came as a list of parts."""
    answer, thought = "", ""
    for piece in map(mapping, content):
        inner = piece.get("thinking")
        thought += text(inner) or "".join(text(mapping(one).get("text")) for one in items(inner))
        answer += text(piece.get("text"))
    return answer, thought
