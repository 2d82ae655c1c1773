"""Who may ask the server of the monitor: pages that it served itself, on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hmac import compare_digest

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

_HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")
SOCKET = "ws"
"""The last part of the path of a page's websocket."""
KEY = "key"
"""The parameter of the first address that holds the key."""
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
    if origin is None and path.rpartition("/")[2] == SOCKET:
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


def guard(key: str, room: str) -> Middleware:
    """Refuses what `refusal` names, and who does not know the key, before anything is looked at.

    Others who use this machine reach loopback too, and a monitor sends requests with its user's keys. The
    address that was printed holds the key once; a cookie, which no script can read, takes it on. Browsers
    give cookies of 127.0.0.1 to every port of it, also to a server of somebody else's: so this one is for
    paths below `room` only, which nobody else knows.
    """

    @web.middleware
    async def guarding(request: web.Request, handler: Handler) -> web.StreamResponse:
        if why := refusal(request.method, request.path, request.headers):
            raise web.HTTPForbidden(text=why)
        cookie = "toklane-" + (request.host.partition(":")[2] or "80")
        if compare_digest(request.cookies.get(cookie, "").encode(), key.encode()):
            return await handler(request)
        if request.path != "/" or not compare_digest(request.query.get(KEY, "").encode(), key.encode()):
            raise web.HTTPForbidden(text="open the address that toklane serve has printed, with its key")
        rest = request.rel_url.without_query_params(KEY).raw_query_string
        known = web.HTTPSeeOther(f"/{room}/?{rest}" if rest else f"/{room}/")
        known.set_cookie(cookie, key, path=f"/{room}/", httponly=True, samesite="Strict")
        raise known

    return guarding


async def protect(request: web.Request, response: web.StreamResponse) -> None:
    """The headers of every answer."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"
    if _HOST.fullmatch(request.host):
        response.headers["Content-Security-Policy"] = policy(request.host)
