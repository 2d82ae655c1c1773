"""What many tests stand on: a home of their own, the built-in model, and one real engine for the session."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tui.engines import embedded, model

# The same examples each time, and no limit by the clock, which would judge the machine.
settings.register_profile(
    "toklane",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("toklane")

# Looked up before any test changes where files live.
MODEL = Path(told) if (told := os.environ.get("TOKLANE_TEST_GGUF")) else model.locate()


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A TOKLANE_HOME for the session, so that no test touches what the user has, with the model in it."""
    home = tmp_path_factory.mktemp("home")
    if MODEL:
        place = home / "cache" / "models" / model.FILE
        place.parent.mkdir(parents=True)
        place.symlink_to(MODEL.absolute())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKLANE_HOME", str(home))
        for name in (
            "COLUMNS",
            "LINES",
        ):  # a process that runs tests beside others has them, whatever its terminal
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The built-in model."""
    if MODEL is None:
        pytest.fail("these tests need the built-in model: run `toklane model --fetch` first", pytrace=False)
    return MODEL


@pytest.fixture(scope="session")
def engine(gguf: Path) -> Iterator[embedded.EmbeddedEngine]:
    """A real built-in engine that answers; shared, so leave it idle."""
    with embedded.start(gguf) as engine:
        assert isinstance(engine.wait(120), embedded.Ready), engine.state
        yield engine
