"""What ends a start with one line and status 2."""


class WrongUsage(Exception):
    """What was typed, or set in a file, can't be done; the message is one line with a remedy."""


def extra(name: str) -> str:
    """What to type for an extra that is missing; no package's name, which may be a stranger's elsewhere."""
    return f".venv/bin/pip install '.[{name}]' in the clone of toklane"
