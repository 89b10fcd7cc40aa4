"""Fixtures of the tests of use cases."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from three_rooms import ROOMS
from tolman.cli import app


@pytest.fixture(scope="session")
def rooms() -> Path:
    """Three simulated rooms with their videos."""
    return ROOMS


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Type a command in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))

    def run(*arguments: object, code: int = 0) -> Result:
        done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
        assert done.exit_code == code, done.output
        return done

    return run


@pytest.fixture
def quiet(capfd: pytest.CaptureFixture[str]) -> Callable[[], None]:
    """Make sure that nothing was printed since the last time."""

    def check() -> None:
        assert capfd.readouterr() == ("", "")

    return check
