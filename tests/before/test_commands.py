"""Command lines as they were typed before are still understood, though nothing of them is carried out here."""

from __future__ import annotations

import shlex

import click
import pytest
import typer.main

from before.actors import FIXTURES
from tolman.cli import app

LINES = (FIXTURES / "commands.txt").read_text().splitlines()


def parsed(line: str) -> tuple[click.Context, list[str]]:
    """The innermost command with its options read, and the words that it was given."""
    name, *words = shlex.split(line)
    assert name == "tolman"
    command: click.Command = typer.main.get_command(app)
    context = None
    while isinstance(command, click.Group) and words[0] in command.commands:
        context = click.Context(command, parent=context, info_name=command.name)
        command = command.commands[words.pop(0)]
    return command.make_context(command.name, list(words), parent=context), words


@pytest.mark.parametrize("line", [line for line in LINES if line != "tolman --version"])
def test_an_old_command_line_is_understood(line: str) -> None:
    context, _ = parsed(line)
    assert not isinstance(context.command, click.Group)
    assert not context.args


@pytest.mark.parametrize("line", [line for line in LINES if line != "tolman --version"])
def test_the_values_of_an_old_command_line_arrive(line: str) -> None:
    """An option that is accepted and dropped would pass the other test."""
    context, words = parsed(line)
    arrived = repr(list(context.params.values()))
    for word in words:
        if not word.startswith("--") and not word.endswith("/"):
            assert word in arrived or word in arrived.replace("\\\\", "\\"), word


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(click.UsageError):
        parsed("tolman report runs/a --nonsense 3")
