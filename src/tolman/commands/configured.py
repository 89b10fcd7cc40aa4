"""Commands out of configs: the options of a command are the fields of its config, and `--config` reads a file of them.

```python
@app.command()
@configured(AuditConfig)
def audit(config: AuditConfig, as_json: Json = False) -> Path | None:
    \"\"\"Recompute every answer …\"\"\"
```

The command gets an option (or argument) for each field, those of its own further parameters, `--config FILE` and
`--write-config FILE`. Options on the command line go before settings in the file. A file with several tables of the
command is a suite, and carries it out for each. If the command returns a folder, `tolman.toml` in it repeats the
command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from tolman import features
from tolman.commands import EMPTY
from tolman.errors import RunInterruptedError, UsageError
from tolman.features.config import (
    ConfigField,
    at_places,
    base_of,
    by_field,
    check_outputs,
    fields_of,
    has_table,
    located,
    make,
    read_plugins,
    read_tables,
    write_config,
)
from tolman.features.printing import TextConsole
from tolman.files import check_config
from tolman.plugins import load_plugins

if TYPE_CHECKING:
    from rich.console import Console

    from tolman.runs.run_folder import RunFolder


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Notes = Annotated[bool, typer.Option("--notes", help="Print every remark, and the interval of each figure.")]
PublishedRows = Annotated[
    Literal["none", "baselines", "newest", "paper", "all"],
    typer.Option("--published", help="Published rows in the table and on the page; see 'tolman report --help'."),
]


def console(*, stderr: bool = False) -> Console:
    return TextConsole(stderr=stderr)


def show(*folders: RunFolder, as_json: bool) -> None:
    """Print the table of one run or of several, write its page, and say where it is."""
    features.run.render.show_runs(console(), [folder.path for folder in folders], as_json=as_json)


def is_incomplete(figures: Mapping[str, Any]) -> bool:
    """Check whether a run has failures, or answers that were ended before a scorer could read them: exit code 1."""
    unanswered, judge, endings = figures["unanswered"], figures.get("judge"), figures.get("endings")
    if isinstance(endings, dict) and any(entry["unread"] for entry in endings.values()):
        return True
    if isinstance(unanswered, dict) and sum(unanswered.values()):
        return True
    return isinstance(judge, dict) and bool(judge["failed"])


FILE = "tolman.toml"
"""The config beside a result."""
_PANEL = "Config files"


class Incomplete(typer.Exit):
    """The end of a command whose result lacks a part, or finds something wrong: exit code 1, and still the config next
    to the result.

    Args:
        folder: of the result, or several.
    """

    def __init__(self, folder: Path | list[Path] | None = None) -> None:
        super().__init__(1)
        self.folder = folder


@dataclass(frozen=True)
class FileForm:
    """A command's behaviour where one of its arguments is the name of a file of settings.

    Attributes:
        argument: the field whose value may be such a name.
        is_one: recognises such a name.
        body: called with the file, the other settings that were given by field, and the command's own parameters.
        place: where the file of such a name is.
    """

    argument: str
    is_one: Callable[[str], bool]
    body: Callable[..., None]
    place: Callable[[str], Path] = Path


def _given(ctx: typer.Context, fields: Iterable[ConfigField], values: dict[str, Any]) -> dict[str, Any]:
    """Take a config's settings out of a command's values; return those that were typed."""
    given = {}
    for one in fields:
        for parameter in _places(one):
            value = values.pop(parameter)
            # Typer before 0.26.6 says that arguments come from the command line when there are none.
            if value is not None and _is_given(ctx, parameter):
                if one.scalar is Path and one.option in ctx.meta.get(EMPTY, ()):
                    raise UsageError(f"{one.option} is empty; give a path, or leave it out.")
                given[one.name] = tuple(value) if one.several and not isinstance(value, str) else value
    return given


def configured(
    config: type[Any], command: str | None = None, *, file_form: FileForm | None = None
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a function of a config into a command.

    Args:
        config: the config's class, a dataclass of a `config` module of `tolman.features`.
        command: the name of a file's table; the function's name, with '-' for '_', where None.
        file_form: of a command with an argument that may name a file of settings.
    """

    def decorate(body: Callable[..., Any]) -> Callable[..., None]:
        name = command or body.__name__.replace("_", "-")

        def carry_out(
            ctx: typer.Context, config_file: Path | None, write_config_to: Path | None, **values: Any
        ) -> None:
            given = _given(ctx, fields_of(config), values)
            if file_form is not None and config_file is None and has_table(given.get(file_form.argument, ""), name):
                config_file = Path(given.pop(file_form.argument))
            if file_form is not None and file_form.is_one(given.get(file_form.argument, "")):
                if config_file is not None or write_config_to is not None:
                    raise UsageError("a suite is a file of its own; leave out --config and --write-config with it.")
                file = file_form.place(given.pop(file_form.argument))
                load_plugins(read_plugins(file))
                file_form.body(file, given, **values)
                return

            def record(folder: Path, of: Any) -> None:
                """Write a folder's config. One that is repeated keeps the folder at which its paths begin, wherever the
                command is typed, and stays as it is unless options are given."""
                own = config_file if config_file and config_file.resolve() == (folder / FILE).resolve() else None
                if own is None or given:
                    write_config(folder / FILE, name, of, typed=_typed(ctx), base=base_of(own) if own else Path())

            configs = _configs(config, name, config_file, given)
            for one_config in configs:
                check_outputs(one_config)
            if write_config_to is not None:
                check_config(write_config_to, command=name)
                write_config(write_config_to, name, *configs, typed=_typed(ctx))
            incomplete: Incomplete | None = None
            for one_config in configs:
                with at_places(one_config):
                    try:
                        result = body(one_config, **values)
                    except Incomplete as error:
                        incomplete, result = error, error.folder
                    except RunInterruptedError as error:
                        if error.folder is not None:
                            record(error.folder, one_config)
                        raise
                    for folder in result if isinstance(result, list) else [result]:
                        if isinstance(folder, Path) and folder.is_dir():
                            record(folder, one_config)
            if incomplete is not None:
                raise incomplete

        return _Command(carry_out, body, config, name)

    return decorate


class _Command:
    """A function of a config as Typer takes it. Its parameters are made at its first use: a module has many commands,
    and carries out one.

    Attributes:
        config, table: the config's class, and the name of its table in a file.
    """

    def __init__(self, carry_out: Callable[..., None], body: Callable[..., Any], config: type[Any], table: str) -> None:
        self.__name__, self.__doc__, self.__module__ = body.__name__, body.__doc__, body.__module__
        self._carry_out, self._body, self.config, self.table = carry_out, body, config, table

    def __call__(self, **values: Any) -> None:
        self._carry_out(**values)

    def __getattr__(self, name: str) -> Any:
        if name not in ("__signature__", "__annotations__"):
            raise AttributeError(name)
        _, *own = inspect.signature(self._body).parameters.values()
        hints = get_type_hints(self._body, include_extras=True)
        parameters = [inspect.Parameter("ctx", _KEYWORD, annotation=typer.Context)]
        parameters += [parameter for one in fields_of(self.config) for parameter in _parameters(one)]
        parameters += [one.replace(kind=_KEYWORD, annotation=hints[one.name]) for one in own]
        parameters += [
            inspect.Parameter("config_file", _KEYWORD, annotation=_CONFIG, default=None),
            inspect.Parameter("write_config_to", _KEYWORD, annotation=_WRITE, default=None),
        ]
        self.__signature__ = inspect.Signature(parameters)
        self.__annotations__ = {one.name: one.annotation for one in parameters}
        return self.__dict__[name]


def _configs(config: type[Any], name: str, file: Path | None, given: dict[str, Any]) -> list[Any]:
    """Return the configs of a command: one, or one for each table of a suite. Given settings go before every table."""
    if file is not None:
        load_plugins(read_plugins(file))
    base = base_of(file) if file is not None else Path()
    tables = read_tables(file, name) if file is not None else [{}]
    if len(tables) > 1 and "out" in given:
        raise UsageError(f"{file} has {len(tables)} [[{name}]] tables: write an 'out' into each in place of --out.")
    found = []
    for number, table in enumerate(tables, start=1):
        where = f"{file}, table {number}: " if len(tables) > 1 else f"{file}: " if file is not None else ""
        settings = located(config, by_field(file, config, table) if file is not None else table, base) | given
        found.append(make(config, settings, where=where))
    return found


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_CONFIG = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="TOML file of settings, named as the options are; options go before it.",
        rich_help_panel=_PANEL,
    ),
]
_WRITE = Annotated[
    Path | None,
    typer.Option("--write-config", help="Write the TOML file that repeats this command.", rich_help_panel=_PANEL),
]


def _places(one: ConfigField) -> list[str]:
    """The parameters that give a field: its own, and a hidden one for each older name."""
    return [one.name, *(f"{one.name}_{number}" for number in range(len(one.setting.aliases)))]


def _parameters(one: ConfigField) -> list[inspect.Parameter]:
    """A field as parameters of a Typer command. None is 'not given': the config has the default."""
    setting = one.setting
    more: dict[str, Any] = {"help": _help(one), "metavar": setting.metavar}
    if setting.panel is not None:
        more["rich_help_panel"] = setting.panel
    kind: Any = one.scalar
    if one.several:
        kind = list[one.scalar] if setting.repeated or setting.positional else str  # type: ignore[name-defined]
        if kind is str:
            more["metavar"] = setting.metavar or "A[,B…]"
    elif one.scalar in (int, float):
        more |= {"min": setting.least, "max": setting.most}
    if setting.names is not None:
        more["autocompletion"] = _completion(setting.names)
    if setting.positional:
        return [_optional(one.name, kind, typer.Argument(show_default=False, **more))]
    names = [one.option]
    if one.scalar is bool:
        names = [f"{one.option}/--no-{one.option.removeprefix('--')}"]
    shown = typer.Option(*names, show_default=False, **more)
    hidden = [typer.Option(alias, hidden=True, **more) for alias in setting.aliases]
    return [_optional(place, kind, info) for place, info in zip(_places(one), [shown, *hidden], strict=True)]


def _completion(names: Callable[[], list[str]]) -> Callable[[str], list[str]]:
    """Return a function from a word that is begun to its completions in a shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _optional(name: str, kind: Any, info: Any) -> inspect.Parameter:
    return inspect.Parameter(name, _KEYWORD, annotation=Annotated[kind | None, info], default=None)


def _help(one: ConfigField) -> str:
    """The help text, with the default or that there is none."""
    text = one.setting.help
    if one.required:
        return f"{text} Required." if not one.setting.positional else text
    if one.default is None or one.default is False or one.default in ((), "") or "efault" in text:
        return text
    value = ",".join(map(str, one.default)) if isinstance(one.default, tuple) else one.default
    return f"{text} Default: {value}."


def _is_given(ctx: typer.Context, name: str) -> bool:
    # By its name: Typer has a copy of click in some versions, and so an enumeration of its own.
    return getattr(ctx.get_parameter_source(name), "name", "") in ("COMMANDLINE", "ENVIRONMENT")


def _typed(ctx: Any) -> str | None:
    """The words of the command after the program's name; None where it is the program."""
    words: list[str] = []
    while ctx.parent is not None:
        words.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(words) or None
