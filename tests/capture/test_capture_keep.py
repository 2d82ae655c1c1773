"""Of a side observation only what is needed goes into the recording: no paths, no whole pages."""

import pytest

from tui.capture.orders import LookOrder, StreamOrder, decode, encode
from tui.domain.wire import Poll

PAGE = b"# HELP a_sum x\na_sum 1\na_bucket 2\nb_count 3\nab 4\n"
PROPS = b'{"is_sleeping": false, "model_path": "/home/someone/m.gguf"}'


def test_an_order_keeps_what_is_to_be_kept_on_its_way() -> None:
    look = LookOrder("/p", "http://x/p", "before", (0.0, 0.5), "[]", {}, ("a", "b"))
    order = StreamOrder(1, "http://x/", looks=(look,))
    assert decode(encode(order)) == order


@pytest.mark.parametrize(
    ("body", "keep", "kept"),
    [
        (PROPS, (), PROPS),
        (PROPS, ("is_sleeping", "absent"), b'{"is_sleeping": false}'),
        (PAGE, ("a_sum", "b_"), b"a_sum 1\nb_count 3\n"),
        (b"[1, 2]", ("a",), b"{}"),
        (b"\xff\n", ("a",), b""),
    ],
)
def test_only_named_keys_and_lines_are_recorded(inbox, server, wire, body, keep, kept):
    look = LookOrder("/p", f"http://127.0.0.1:{server.port}/p", "before", keep=keep)
    inbox.channel.send(StreamOrder(40, server.url, looks=(look,)))
    asker = server.accept()
    asker.request()
    asker.answer(body)
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.LAST)
    (poll,) = [it for it in inbox.records(40) if isinstance(it, Poll)]
    assert poll.body == kept
