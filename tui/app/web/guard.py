"""Who may ask the server of the monitor: pages that it served itself, on this machine."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::\d{1,5})?")
_SOCKET = "/ws"
_READING = ("GET", "HEAD")


def refusal(method: str, path: str, headers: Mapping[str, str]) -> str:
    """Why a request is refused, "" when it is not.

    A name of somebody else's that leads to this machine is no loopback name (DNS rebinding), and a page of
    another origin can open a websocket to anywhere but can't lie about its own origin. Ports are free as long
    as both agree, so that a forwarded port (`ssh -L`) works.
    """
    host = headers.get("Host", "")
    if not _HOST.fullmatch(host):
        return "only 127.0.0.1 and localhost are served"
    if method not in _READING:
        return "there is nothing to send here"
    origin = headers.get("Origin")
    if origin is None and path == _SOCKET:
        return "only a page opens this"
    if origin is not None and origin != f"http://{host}":
        return "another page's request"
    return ""


def policy(host: str) -> str:
    """What the page may load (Content-Security-Policy): its own files and its own socket, nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",  # the terminal sets styles while it runs
            "font-src 'self'",
            "img-src 'self' data:",
            f"connect-src 'self' ws://{host}",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuses what `refusal` names, before anything is looked at."""
    if why := refusal(request.method, request.path, request.headers):
        raise web.HTTPForbidden(text=why)
    return await handler(request)


async def protect(request: web.Request, response: web.StreamResponse) -> None:
    """The headers of every answer."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"
    if _HOST.fullmatch(request.host):
        response.headers["Content-Security-Policy"] = policy(request.host)
