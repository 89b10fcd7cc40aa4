"""Command lines as they were typed before are still understood, though nothing of them is carried out here."""

import shlex
from functools import cache
from typing import Any

import pytest
import typer.main

from before.actors import FIXTURES
from tolman.cli import app

LINES = (FIXTURES / "commands.txt").read_text().splitlines()


@cache
def root() -> Any:
    """The command of click, or of the click inside typer."""
    return typer.main.get_command(app)


def parsed(line: str) -> tuple[Any, list[str]]:
    """The innermost command with its options read, and the words that it was given."""
    name, *words = shlex.split(line)
    assert name == "tolman"
    command: Any = root()
    context = None
    while words and hasattr(command, "list_commands"):
        context = command.context_class(command, parent=context, info_name=command.name)
        if words[0] not in command.list_commands(context):
            break
        command = command.get_command(context, words.pop(0))
    return command.make_context(command.name, list(words), parent=context), words


@pytest.mark.parametrize("line", [line for line in LINES if line != "tolman --version"])
def test_an_old_command_line_is_understood(line: str) -> None:
    """Read by a command, which gets every value: an option that is accepted and dropped won't do."""
    context, words = parsed(line)
    assert not hasattr(context.command, "list_commands")
    assert not context.args
    arrived = repr(list(context.params.values()))
    for word in words:
        if not word.startswith("--") and not word.endswith("/"):
            assert word in arrived, word


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(Exception, match="No such option"):
        parsed("tolman report runs/a --nonsense 3")
