"""Every command of README and docs is carried out, or read by the command line where it can't be."""

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.blocks import LANGUAGES, blocks, commands_of, pages
from docs.carrying import Page, completed, parse
from docs.clerk import endpoints
from docs.exceptions import EXIT_CODES, NEEDED, NOT_TOLMAN, OTHER_DATA, SHORTENED, find
from docs.files import write_files
from docs.nodes import Node, nodes
from docs.steps import SAYS, STEPS
from object_store import object_store
from tolman.cli import without_plugins
from tolman.plugins import load_plugins

WITH_COMMANDS = tuple(page for page in pages() if commands_of(page))


@pytest.fixture(scope="session")
def served() -> Iterator[dict[str, str]]:
    """Endpoints that answer, as environment variables."""
    with endpoints(Node()) as variables:
        yield variables


@pytest.fixture(scope="session")
def fleet() -> Iterator[dict[str, str]]:
    """Names of nodes in the docs → their base URLs."""
    with nodes() as found:
        yield found


@pytest.fixture
def bucket() -> Iterator[dict[str, str]]:
    """An object store with an empty bucket, as environment variables; none where its packages aren't installed."""
    if find_spec("moto") is None or find_spec("s3fs") is None:
        yield {}
        return
    with object_store() as variables:
        yield variables


@pytest.fixture
def typed(
    stage: Path, served: dict[str, str], fleet: dict[str, str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Page:
    """A page's own copy of the stage."""
    place = tmp_path / "here"
    shutil.copytree(stage, place, symlinks=True)
    return Page(place, served, tmp_path_factory.getbasetemp() / "cache", fleet)


@pytest.mark.full
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_of_a_page_do_what_it_says(page: str, typed: Page, request: pytest.FixtureRequest) -> None:
    wanted = commands_of(page)
    if not (typed.place / "meta_info").exists() and any("meta_info" in command.text for command in wanted):
        pytest.skip("VSI-Bench's released scenes are not at hand (set TOLMAN_SHARED)")
    if any("s3://" in command.text for command in wanted):
        typed.exported |= request.getfixturevalue("bucket")
    typed.prepare(wanted)
    for command in wanted:
        typed.carry_out(command)


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_every_command_line_is_understood(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where `make test` doesn't carry it out."""
    monkeypatch.setattr("tolman.plugins._loaded", {})
    wanted = commands_of(page)
    named = {word for command in wanted for word in without_plugins(list(command.words))[1]}
    load_plugins(path for path in write_files(page, tmp_path) if path.name in named)
    for command in wanted:
        if command.words[0] == "tolman":
            parse(completed(command.words[1:], "http://127.0.0.1:9/v1"))


def test_every_exception_is_of_a_command_of_a_page() -> None:
    found = [command for page in pages() for command in commands_of(page)]
    for table in (NEEDED, OTHER_DATA, NOT_TOLMAN, SHORTENED, EXIT_CODES, STEPS, SAYS):
        assert not set(table) - {find(table, command) for command in found}


@pytest.mark.parametrize("page", pages())
def test_blocks_say_what_they_are(page: str) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page}:{block.line}"
        if block.language in ("bash", "console"):
            assert block.is_commands
