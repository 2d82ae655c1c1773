"""`python -m tests.bench.peer NAME URL MODEL`: one request as another program would send and stamp it.

stdout: one JSON object with `sent_ns` and `at_ns`, one stamp for each message with text (CLOCK_MONOTONIC).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping

_MESSAGES = [{"role": "user", "content": "go"}]


def httpx_loop(url: str, model: str) -> Iterator[int]:
    """The plain loop: lines from httpx, each decoded, then stamped."""
    import httpx

    body = {"model": model, "messages": _MESSAGES, "stream": True}
    with httpx.Client(timeout=None, trust_env=False) as client:
        yield time.monotonic_ns()
        with client.stream("POST", f"{url}/v1/chat/completions", json=body) as reply:
            for line in reply.iter_lines():
                data = line.removeprefix("data: ")
                if not line.startswith("data: ") or data == "[DONE]":
                    continue
                choices = json.loads(data)["choices"]
                if choices and choices[0]["delta"].get("content"):
                    yield time.monotonic_ns()


def openai_client(url: str, model: str) -> Iterator[int]:
    """The vendor's client: a stamp when its loop hands a chunk over."""
    from openai import OpenAI  # type: ignore[import-not-found,unused-ignore]

    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    yield time.monotonic_ns()
    for chunk in client.chat.completions.create(model=model, messages=_MESSAGES, stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            yield time.monotonic_ns()


PEERS: Mapping[str, Callable[[str, str], Iterator[int]]] = {"httpx": httpx_loop, "openai": openai_client}


def main() -> None:
    name, url, model = sys.argv[1:]
    sent_ns, *at_ns = PEERS[name](url, model)
    json.dump({"sent_ns": sent_ns, "at_ns": at_ns}, sys.stdout)


if __name__ == "__main__":
    main()
