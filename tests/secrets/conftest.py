"""toklane started as a person starts it."""

from tests.endings.conftest import monitor, own_home, start

__all__ = ["monitor", "own_home", "start"]
