"""From the records of one run to its events: the part that is the same for every engine.

A `Decoder` sees stamped bytes and notes in order and says what they mean. It keeps no clock: every event
carries the stamp of the record that completed it. What a message means is asked of a `Tongue`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from tui.domain.events import (
    Arrived,
    Began,
    Done,
    Ended,
    Event,
    Failed,
    Finish,
    Generated,
    Head,
    Learned,
    Oddity,
    Sampled,
    Sent,
    Timings,
    Usage,
)
from tui.domain.machine import reading_from
from tui.domain.wire import End, Meta, Note, Poll, Read, Record, Sample
from tui.engines.body import Body
from tui.engines.coding import CodingError
from tui.engines.conditions import conditions_of
from tui.engines.failures import (
    ended_unsaid,
    engine_error,
    is_page,
    not_chat_reply,
    timed_out,
    told_error,
    unreadable,
)
from tui.engines.framing import Message
from tui.engines.meaning import meaning
from tui.engines.notes import noted
from tui.engines.reply_head import ReplyHead
from tui.engines.shapes import are_chunks, parsed_or_none, text
from tui.engines.tongue import Tongue

_NO_REASON = "it ended without a reason: another request may have cut it off"  # as in llama-cpp-python
USAGE_WAIT_NS = 5_000_000_000  # after a finish reason usage may still come; a live request is closed then


class Decoder:
    """Turns the records of one run into events; total: odd input becomes an `Oddity` or a `Failed`."""

    def __init__(self, tongue: Tongue) -> None:
        self._tongue = tongue
        self._reply = ReplyHead()
        self._head_told = False
        self._body: Body | None = None
        self._last_ns = 0
        self._over = False  # a terminal signal or a failure was seen: nothing after it counts
        self._finished = False
        self._finish_ns: int | None = None
        self._sent = False
        self._failed = False
        self._heard = False
        self._counted = False  # an engine that counted the answer had it to its end
        self._told: set[str] = set()

    def decode(self, record: Record) -> list[Event]:
        """The events of one record, in order."""
        match record:
            case Read():
                return self._read(record)
            case Poll():
                return self._tongue.poll(record) if record.status == 200 else []
            case Sample():
                return [Sampled(record.at_ns, reading_from(record.at_ns, record.fields))]
            case Note():
                return self._note(record)
            case Meta():
                return self._meta(record.fields)
            case End():
                return self._end(record)
            case _:
                assert_never(record)

    # -- what the client did ------------------------------------------------------------------------------

    def _meta(self, fields: Mapping[str, object]) -> list[Event]:
        self._reply.asked(fields)
        told = self._tongue.begin(fields)
        return [Began(0, self._tongue.dialect), Learned(0, conditions_of(fields)), *told]

    def _note(self, note: Note) -> list[Event]:
        at_ns, fields = note.at_ns, note.fields
        match note.name:
            case "head":
                self._reply.take(fields.get("status"), fields.get("headers"))
                return self._head(at_ns)
            case "sent":
                self._sent = True
                return [Sent(at_ns)]
            case "failed" if fields.get("kind") == "timeout" and self._sent and not self._over:
                # before anything was sent it is no limit of the user's: the connection failed
                return [] if self._finished else self._fail(timed_out(at_ns, text(fields.get("message"))))
            case _:
                return noted(note)

    def _head(self, at_ns: int) -> list[Event]:
        reply = self._reply
        if self._head_told or reply.status is None:
            return []
        self._head_told = True
        told = [] if reply.refused else self._tongue.head(at_ns, reply.headers)
        return [Head(at_ns, reply.status), *told]

    # -- the body -----------------------------------------------------------------------------------------

    def _read(self, read: Read) -> list[Event]:
        events = self._head(read.at_ns)  # a capture need not tell when the head came: no later than this
        if self._finish_ns is not None and read.at_ns - self._finish_ns > USAGE_WAIT_NS:
            self._over = True
        if self._over:
            return events
        if read.data:
            self._last_ns = read.at_ns
        messages, completed = self._completed(read)
        texts = sum([isinstance(event, Generated) for event in completed])
        events.append(Arrived(read.at_ns, read.floor_ns, read.recv_ns, read.kernel, messages, texts))
        return events + completed

    def _completed(self, read: Read) -> tuple[int, list[Event]]:
        """(how many messages the read completed, their events)."""
        try:
            body = self._body or self._open_body()
            messages = body.feed(read.data)
        except CodingError as error:
            return 0, self._unreadable(read.at_ns, error)
        if not body.may_be_whole():
            return self._messages(read.at_ns, messages)
        raw = body.whole()
        if not self._reply.refused and are_chunks(raw):
            return self._messages(read.at_ns, body.as_records())
        events = self._whole(read.at_ns, raw)
        return int(bool(events)), events

    def _open_body(self) -> Body:
        if self._body is None:
            self._body = self._reply.body(self._tongue.json_lines)
        return self._body

    @property
    def _streams(self) -> bool:
        return self._body is not None and self._body.streams

    def _messages(self, at_ns: int, messages: list[Message]) -> tuple[int, list[Event]]:
        number = 0
        events: list[Event] = []
        for message in messages:
            self._heard = True
            if message.comment:
                events += self._settled(self._tongue.comment(at_ns, message.data.decode("utf-8", "replace")))
            elif message.data and not message.data.isspace():
                number += 1
                events += self._settled(meaning(self._tongue, at_ns, message))
            if self._over:
                break
        return number, events

    def _settled(self, events: list[Event]) -> list[Event]:
        """`events` after terminal signs were noted; each kind of oddity is told once a run."""
        kept: list[Event] = []
        for event in events:
            match event:
                case Done():
                    if not (self._finished or self._failed or self._counted):
                        kept.append(Oddity(event.at_ns, "done_without_finish", _NO_REASON))
                    self._over = self._finished = True
                case Usage() | Timings():
                    self._counted = True
                case Finish():
                    self._finished = True
                    self._finish_ns = event.at_ns if self._finish_ns is None else self._finish_ns
                case Failed():
                    self._failed = True
                    self._over = self._over or self._tongue.errors_end or not self._streams
                case Oddity() if event.code in self._told:
                    continue
                case Oddity():
                    self._told.add(event.code)
            kept.append(event)
        return kept

    def _whole(self, at_ns: int, raw: bytes) -> list[Event]:
        """The events of a reply that came as one JSON object or page; none while it is not complete."""
        value = parsed_or_none(raw)
        if not isinstance(value, dict) and not is_page(raw):
            return []
        if self._reply.refused:
            return self._fail(self._reply.refusal(at_ns, raw))
        if not isinstance(value, dict):
            return self._fail(not_chat_reply(at_ns, raw))
        told = told_error(value)
        if told:
            return self._fail(engine_error(at_ns, told, raw))
        answer = self._tongue.whole(at_ns, value)
        if not answer:
            return self._fail(not_chat_reply(at_ns, raw))
        odd = Oddity(at_ns, "not_streamed", "the answer came as one whole reply")
        return self._settled([odd, *answer, Done(at_ns)])

    def _fail(self, failed: Failed) -> list[Event]:
        return self._settled([failed])

    # -- the end ------------------------------------------------------------------------------------------

    def _end(self, end: End) -> list[Event]:
        events = self._head(end.at_ns)
        if not self._over:
            events += self._rest(end)
        if self._finished and not self._failed and end.how in ("reset", "error"):
            events.append(Oddity(end.at_ns, "closed_uncleanly", end.detail or end.how))
        return [*events, Ended(end.at_ns, end.how, end.detail)]

    def _rest(self, end: End) -> list[Event]:
        """What the end of the body completes or leaves open."""
        try:
            body = self._open_body()
        except CodingError as error:
            return self._unreadable(end.at_ns, error)
        if self._reply.refused:
            return self._fail(self._reply.refusal(end.at_ns, body.whole()))
        if end.how != "eof":
            return []
        if not body.streams and (body.begun or not self._reply.may_be_empty):
            return self._fail(not_chat_reply(end.at_ns, body.whole()))
        _, events = self._messages(self._last_ns, body.close())
        if not (self._heard or self._failed) and self._reply.status == 200:
            return [*events, *self._fail(ended_unsaid(end.at_ns))]
        if not self._finished and not self._failed:
            events.append(Oddity(end.at_ns, "ended_without_finish", "no sign came that the answer is whole"))
        return events

    def _unreadable(self, at_ns: int, error: CodingError) -> list[Event]:
        if self._reply.refused:
            return self._fail(self._reply.refusal(at_ns, b""))
        return self._fail(unreadable(at_ns, str(error), begun=self._streams))
