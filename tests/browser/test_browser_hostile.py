"""Text from outside is only ever text in a page too, and an address that asks for more gets no more."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.chromium import chromium
from tests.browser.conftest import Served, Tab, tab
from tests.browser.test_browser_page import pytestmark as in_a_browser
from tests.endings.hostile import ALL, SEQUENCES, Server, alien, streamed
from tests.secrets.echoing import KEY, Echoing, leaks
from tui.app.web.guard import refusal

Start = Callable[..., Served]
HERE = "127.0.0.1:8000"


def kept(page: Tab) -> bytearray:
    """All that its terminal is sent from here on."""
    written = bytearray()
    take = page.screen.take

    def both(data: bytes) -> None:
        written.extend(data)
        take(data)

    page.screen.take = both  # type: ignore[method-assign]
    return written


async def test_an_answer_and_a_model_reach_the_page_as_text(serve: Start) -> None:
    with Server(ALL, streamed("begin ", *SEQUENCES.values(), " the end", reasoning=ALL, tool=ALL)) as engine:
        server = serve("--url", engine.url)
        async with tab(server) as each:
            written = kept(each)
            await each.sees("1/5")
            await each.press("\x1b")  # to the monitor
            await each.sees("Ready")
            await each.press("\r")
            await each.sees("Finished")
            await each.sees("[@click=app.quit]")
            await each.press("d")
            await each.sees("raw detail")
            await each.press("\x1b")
            await each.until(lambda: "raw detail" not in each.screen.text)
            await each.press("q")
            assert each.told == [], "nothing opens, and nothing is sent to the page itself"
        assert server.end() == (130, "", "")
    assert alien(bytes(written)) == []


@pytest.mark.parametrize(
    "target",
    [
        "/?key={key}&fontsize=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "/?key={key}&fontsize=16%0d%0aX-Evil:%201",
        "/?key={key}&a=%0d%0aLocation:%20http://toklane.example",
        "/?fontsize=1&key={key}#$host",
        "//toklane.example/?key={key}",
        "http://toklane.example/?key={key}",
        "/{room}/?fontsize=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "/{room}/?fontsize=" + "9" * 5000,
        "/{room}/?fontsize=-1&host=$room",
    ],
)
def test_what_stands_in_the_address_stays_there(serve: Start, target: str) -> None:
    server = serve()
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
    connection.putrequest("GET", target.format(key=server.key, room=server.room), skip_host=True)
    for name, value in {"Host": server.url.removeprefix("http://"), **server.known}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    page = answer.read().decode()
    connection.close()
    assert answer.headers["X-Evil"] is None
    assert (answer.headers["Location"] or f"/{server.room}/").startswith(f"/{server.room}/")
    assert "alert(1)" not in page and "$" not in page and 'data-font-size="9999' not in page
    assert answer.status in (200, 303, 403, 404)
    assert server.end() == (130, "", "")


def test_a_key_in_an_engine_s_answers_reaches_no_page_and_no_process(serve: Start) -> None:
    async def look() -> bytes:
        async with tab(server) as each:
            written = kept(each)
            await each.sees("1/5")
            await each.press("\x1b")
            await each.sees("enter send")
            await each.press("\r")
            await each.sees("your key is")
            for monitor in server.monitors:
                assert not leaks(" ".join(monitor.cmdline()))
                child = any("tui.capture" in word or "tui.probes" in word for word in monitor.cmdline())
                assert not child or not leaks(repr(monitor.environ()))
        return bytes(written)

    with Echoing() as engine:
        server = serve("--url", engine.url, "--api-key-env", "MY_KEY", MY_KEY=KEY)
        written = asyncio.run(look())
        assert KEY in engine.keys
    assert not leaks(written)
    code, out, errors = server.end()
    assert code == 130 and not leaks(out + errors)
    for path in server.home.rglob("*"):
        assert path.is_dir() or not leaks(path.read_bytes()), path


@pytest.mark.parametrize("header", ["Host", "Origin"])
def test_names_that_look_like_this_machine_are_others(header: str) -> None:
    for name in (
        "127.0.0.1.",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "[::1]",
        "LOCALHOST.",
        "localhost:8000:1",
        "",
    ):
        told = {"Host": HERE, "Origin": f"http://{HERE}"} | {
            header: name if header == "Host" else f"http://{name}"
        }
        assert refusal("GET", "/room/ws", told), name


@in_a_browser
async def test_a_page_opens_nothing_but_its_pictures(serve: Start, tmp_path: Path) -> None:
    """The terminal of the page makes a link of every address that it shows, and a model may write any."""
    server = serve()
    async with chromium(tmp_path / "profile") as page:
        await page.open(server.address)
        async with asyncio.timeout(20):
            while not await page.value("!!document.querySelector('.xterm')"):
                pass
        for words in ("", "'http://toklane.example/'", "'javascript:1'", "'/static/js/textual.js'"):
            assert await page.value(f"window.open({words}) === null"), words
        assert await page.value(
            "window.open(window.location.origin + '/download/none', '_blank') !== undefined"
        )
        assert server.room in await page.value("window.location.pathname")
    assert server.end() == (130, "", "")
