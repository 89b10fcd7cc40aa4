"""What holds for every command that a config makes: its options, its config files, its help texts."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from tolman.cli import app
from tolman.commands.configured import configured
from tolman.errors import UsageError
from tolman.features.config import ConfigField, fields_of, make, to_table

BAD_BEGINNING = re.compile(r"(Of|Under|Instead|Which|What|How|Who|As|At|In|For|To) ")
"""A help text names a quantity or says what is done; these words begin half a sentence."""


def walk(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands of a group, with the words that they are called by."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from walk(command, (*before, name))
        else:
            yield (*before, name), command


COMMANDS = dict(walk(typer.main.get_command(app)))
CONFIGURED = {words: command for words, command in COMMANDS.items() if hasattr(command.callback, "config")}
every = pytest.mark.parametrize("words", CONFIGURED, ids=" ".join)


def value_of(one: ConfigField) -> Any:
    """A value of a field that isn't its default."""
    if one.scalar is bool:
        scalar: Any = not one.default
    elif one.scalar in (int, float):
        low, high = one.setting.least, one.setting.most
        wanted = (low or 0) + 3 if high is None else ((low or 0) + 4 * high) / 5
        scalar = one.scalar(wanted)
        assert scalar != one.default
    else:
        scalar = one.scalar(next(iter(reversed(one.setting.choices)), "some/place"))
    return (scalar, scalar) if one.several else scalar


def typed(one: ConfigField, value: Any) -> list[str]:
    """A field as it is typed."""
    if one.setting.positional:
        return [str(part) for part in (value if one.several else (value,))]
    if one.scalar is bool:
        return [one.option if value else f"--no-{one.option.removeprefix('--')}"]
    if one.several and one.setting.repeated:
        return [word for part in value for word in (one.option, str(part))]
    return [one.option, ",".join(map(str, value)) if one.several else str(value)]


def test_every_command_takes_a_config() -> None:
    assert CONFIGURED.keys() == COMMANDS.keys()
    tables = [command.callback.table for command in CONFIGURED.values()]
    assert len(tables) == len(set(tables))


@every
def test_its_table_is_its_name(words: tuple[str, ...]) -> None:
    assert CONFIGURED[words].callback.table == "-".join(words)


OWN = {"as_json", "dry_run", "exit_zero", "help", "notes", "probe", "published"}
"""Options that say how a result is told, and are no setting of it."""


@every
def test_its_options_are_the_fields(words: tuple[str, ...]) -> None:
    shown = {one.name for one in CONFIGURED[words].params if not getattr(one, "hidden", False)}
    wanted = {one.name for one in fields(CONFIGURED[words].callback.config)}
    assert shown - (OWN - wanted) == wanted | {"config_file", "write_config_to"}


@every
def test_a_written_config_repeats_it(words: tuple[str, ...], tmp_path: Path) -> None:
    config = CONFIGURED[words].callback.config
    given: list[Any] = []
    own = typer.Typer()

    def body(config: Any) -> None:
        given.append(config)

    own.command()(configured(config, command="-".join(words))(body))
    known = fields_of(config)
    values = {one.name: value_of(one) for one in known}
    file = tmp_path / "new" / "c.toml"
    arguments = [word for one in known for word in typed(one, values[one.name])]
    for extra in (["--write-config", str(file)], []):
        done = CliRunner().invoke(own, [*(arguments if extra else ["--config", str(file)]), *extra])
        assert done.exit_code == 0, (shlex.join(arguments), done.output, done.exception)
    first, second = given
    assert first == make(config, values)
    secrets = {one.name: one.default for one in known if one.setting.secret}
    assert second == replace(first, **secrets)
    assert not secrets.keys() & to_table(first).keys()


@every
def test_an_unknown_key_names_the_nearest(words: tuple[str, ...], tmp_path: Path) -> None:
    command = CONFIGURED[words]
    known = [one.name for one in fields(command.callback.config)]
    (tmp_path / "c.toml").write_text(f"[{command.callback.table}]\n{max(known, key=len, default='format')}_ = 1\n")
    with pytest.raises(UsageError) as error:
        CliRunner().invoke(app, [*words, "--config", str(tmp_path / "c.toml")], catch_exceptions=False)
    near = f"did you mean '{max(known, key=len)}'?" if known else "known: none"
    assert near in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'c.toml'}: there is no setting")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_answers_and_every_option_has_one(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0
    assert "Usage:" in done.output
    for one in COMMANDS[words].params:
        assert getattr(one, "help", None), f"{' '.join(words)}: {one.name} has no help text"


@every
def test_help_texts_say_quantity_range_and_default(words: tuple[str, ...]) -> None:
    for one in fields_of(CONFIGURED[words].callback.config):
        text = one.setting.help
        assert text[0].isupper(), text
        assert text.endswith("."), text
        assert not BAD_BEGINNING.match(text), text
        for bound in (one.setting.least, one.setting.most):
            assert bound is None or f"{bound:,g}" in text or f"{bound:g}" in text, text
        optional = one.default is None and not one.setting.positional
        if optional:
            assert "efault" in text or one.name in MAY_BE_LEFT_OUT, f"{one.name}: {text}"


MAY_BE_LEFT_OUT = {"corrections", "at", "pool", "runs", "export", "people"}
"""Settings that ask for something when they are given, and have no default to name."""
