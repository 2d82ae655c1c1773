"""The server of the monitor's page: what it shows and starts, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import aiohttp
import pytest

from tests.browser.conftest import Served, tab
from tests.endings.server import Engine
from tests.endings.terminal import eventually, named
from tui import cli
from tui.app import served
from tui.app.web.serving import words
from tui.app.web.tab import within
from tui.settings.usage import WrongUsage

Start = Callable[..., Served]


def test_sizes_stay_sizes() -> None:
    assert within(120, 36) == (120, 36)
    assert within(0, -1) == (1, 1)
    assert within(10**9, 10**9) == (500, 200)


def test_every_tab_begins_with_recordings() -> None:
    given = ["serve", "--theme", "light", "--stage", "--cache", "tail:64", "--url", "http://127.0.0.1:9"]
    told = words(cli.parse(given))
    assert told[0] == "--demo"
    assert cli.parse(told).flags == cli.parse(given).flags
    assert words(cli.parse(["serve", "--port", "8000"])) == ["--demo"]


def test_without_the_extra_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("tui.app.web", "textual_serve"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("tui.app.web")
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    with pytest.raises(WrongUsage, match=r"\.venv/bin/pip install '\.\[serve\]' in the clone"):
        served.serve(cli.parse(["serve"]), sys.stdout)


def test_a_port_that_is_taken(serve: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WrongUsage, match=f"port {port} can't be had"):
            served.serve(cli.parse(["serve", "--port", str(port)]), sys.stdout)


async def test_over_the_wire(serve: Start) -> None:
    """One line with the address; the page for this machine, nothing for others."""
    server = serve()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?key=[\w-]{32}  \(.*ctrl\+c ends it\)\n", server.line)
    async with aiohttp.ClientSession(trust_env=False, headers=server.known) as session:
        room = f"/{server.room}"
        for path, headers, status in (
            (f"{room}/", {}, 200),
            (f"{room}/static/js/textual.js", {}, 200),
            (f"{room}/page/page.js", {}, 200),
            (f"{room}/", {"Host": "toklane.example"}, 403),
            (f"{room}/ws", {}, 403),
            (f"{room}/ws", {"Origin": "http://toklane.example"}, 403),
            (f"{room}/static/", {}, 403),
            (f"{room}/page/%2e%2e/server.py", {}, 404),
            (f"{room}/download/nosuch", {}, 404),
            ("/", {}, 404),
            ("/static/js/textual.js", {}, 404),
        ):
            async with session.get(server.url + path, headers=headers) as answer:
                assert answer.status == status, path
                assert "Content-Security-Policy" in answer.headers or status == 403
    assert server.end() == (130, "", "")


async def test_who_does_not_know_the_key_sees_nothing(serve: Start) -> None:
    """Another user of this machine reaches the port too."""
    server = serve()
    other = {"Origin": server.url}
    room = f"/{server.room}"
    async with aiohttp.ClientSession(trust_env=False) as session:
        for path in (
            "/",
            "/?key=",
            "/?key=wrong",
            f"{room}/",
            f"{room}/?key={server.key}",
            f"{room}/ws",
            f"{room}/ws?key={server.key}",
            f"{room}/page/page.js",
            f"{room}/static/js/textual.js",
        ):
            for headers in (other, other | {"Cookie": f"toklane-{server.url.rpartition(':')[2]}=wrong"}):
                async with session.get(server.url + path, headers=headers) as answer:
                    assert answer.status == 403, path
        async with session.get(f"{server.address}&fontsize=20", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, f"{room}/?fontsize=20")
            cookie = answer.headers["Set-Cookie"]
            assert server.known["Cookie"] in cookie and "HttpOnly" in cookie and "SameSite=Strict" in cookie
            # a server of somebody else's on another port of this address is asked for other paths
            assert f"Path={room}/" in cookie and server.key not in room
        assert not server.monitors
    assert server.end() == (130, "", "")


async def test_a_tab_is_a_monitor_that_sends_nothing(serve: Start, scripted: Engine) -> None:
    """Two tabs, each with recordings; the engine that was named is not asked for anything."""
    server = serve("--url", scripted.url)
    async with tab(server) as one, tab(server) as other:
        for each in (one, other):
            await each.sees("1/5")
        await one.press("\r")
        await one.sees("2/5")
        assert len(server.monitors) >= 2
        assert not scripted.asked.is_set()
        assert "1/5" in other.screen.text
        await one.press("q")
        assert await closed(one.socket)
    await asyncio.to_thread(eventually, lambda: not server.monitors)  # the other tab was closed
    assert not scripted.asked.is_set()
    assert server.end() == (130, "", "")


async def test_a_picture_goes_to_the_browser(serve: Start) -> None:
    server = serve()
    async with tab(server) as each, known(server) as session:
        await each.sees("1/5")
        await each.press("\x13")  # ctrl+s
        await each.until(lambda: each.told)
        ((kind, key),) = each.told
        assert kind == "deliver_file_start"

        async def load() -> bytes:
            async with session.get(f"{server.url}/{server.room}/download/{key}") as answer:
                assert "attachment" in answer.headers["Content-Disposition"]
                return await answer.read()

        loading = asyncio.ensure_future(load())
        await each.until(loading.done)
        assert loading.result().startswith(b"<svg") and b"phases" in loading.result()
    assert server.end() == (130, "", "")


def known(server: Served) -> aiohttp.ClientSession:
    """A browser that has opened the address."""
    return aiohttp.ClientSession(trust_env=False, headers=server.known)


async def closed(socket: aiohttp.ClientWebSocketResponse) -> bool:
    """It is, once what was still on the way has come."""
    async with asyncio.timeout(10):
        async for _ in socket:
            pass
    return socket.closed


async def test_what_no_page_sends_ends_the_tab_quietly(serve: Start) -> None:
    server = serve()
    for nonsense in ("nonsense", "[]", '["resize", 7]'):
        async with tab(server) as each:
            await each.socket.send_str(nonsense)
            assert await closed(each.socket), nonsense
    assert server.end(signal.SIGTERM) == (143, "", "")


async def test_ctrl_c_with_open_tabs_leaves_nothing(serve: Start) -> None:
    server = serve()
    async with tab(server) as one, tab(server) as other:
        await one.sees("1/5")
        await other.sees("1/5")
        status, out, errors = await asyncio.to_thread(server.end)
        assert (status, out, errors) == (130, "", "")


async def test_a_monitor_that_does_not_go_is_killed(serve: Start) -> None:
    server = serve()
    async with tab(server) as one:
        await one.sees("1/5")
        named(server.home, "--demo").suspend()
        status, _, _ = await asyncio.to_thread(server.end)
        assert status == 130


async def test_a_killed_server_leaves_nothing(serve: Start) -> None:
    server = serve()
    async with tab(server) as one:
        await one.sees("1/5")
        await one.press(" ")  # a monitor that draws nothing does not notice by its drawing
        await one.sees("space play")
        status, _, _ = await asyncio.to_thread(server.end, signal.SIGKILL)
        assert status == -signal.SIGKILL


@pytest.fixture
def scripted() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine
