"""What ends a start with one line and status 2."""


class WrongUsage(Exception):
    """What was typed, or set in a file, can't be done; the message is one line with a remedy."""
