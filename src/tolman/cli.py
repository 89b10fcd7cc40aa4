"""The command line: its root, and how errors end. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from tolman import __version__
from tolman.commands.configured import EMPTY, console

COMMANDS = {
    "benchmarks": "catalogue", "protocols": "catalogue", "metrics": "catalogue", "recipes": "catalogue",
    "fetch": "catalogue",
    "init": "evaluate", "run": "evaluate", "score": "evaluate", "compare": "evaluate", "report": "evaluate",
    "seal": "evaluate", "verify": "evaluate", "board": "evaluate",
    "explain": "evaluate", "view": "evaluate",
    "reconcile": "evaluate", "reproduce": "evaluate", "ingest": "construct", "scenes": "construct",
    "generate": "construct", "audit": "construct", "simulate": "construct",
    "merge": "construct", "measure": "construct",
    "review": "review", "curate": "construct", "analyze": "analyze", "figure": "analyze", "paper": "evaluate",
    "store": "catalogue", "export": "catalogue", "doctor": "catalogue",
}  # fmt: skip
"""Command → the module of `tolman.commands` that has it, in the order of the help."""
GROUPS = ("curate", "analyze", "figure", "store")
"""Those that have commands of their own."""


class Commands(Mapping[str, Any]):
    """The commands as click takes them; the module of one is imported when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Root(typer.core.TyperGroup):
    """The root, which loads plugins before a name that they add is looked up: `--plugin FILE` may come anywhere."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = Commands()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        kept, files = without_plugins(args)
        if files:
            from tolman.plugins import load_plugins

            load_plugins(files)
        ctx.meta[EMPTY] = empty_options(kept)
        return super().parse_args(ctx, kept)


def empty_options(arguments: list[str]) -> frozenset[str]:
    """The options that are given an empty text: `--out ""`, `--out=`."""
    pairs = zip(arguments, [*arguments, None][1:], strict=True)
    return frozenset(
        one.removesuffix("=") for one, value in pairs if one.startswith("--") and (value == "" or one.endswith("="))
    )


def without_plugins(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Arguments without `--plugin FILE` and `--plugin=FILE`, and the files."""
    kept: list[str] = []
    files: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return [*kept, argument, *rest], files
        name, equals, value = argument.partition("=")
        if name != "--plugin":
            kept.append(argument)
        elif equals:
            files.append(value)
        else:
            file = next(rest, None)
            if file is None:
                return [*kept, argument], files  # the root's own option says what is missing
            files.append(file)
    return kept, files


@cache
def command(name: str) -> Any:
    """One command.

    Raises:
        KeyError: there is none of that name.
    """
    module = import_module(f"tolman.commands.{COMMANDS[name]}")
    parent = typer.Typer(add_completion=False, rich_markup_mode="rich")
    parent.callback()(lambda: None)  # else a module with one command would be that command
    if name in GROUPS:
        parent.add_typer(getattr(module, f"{name}_app"), name=name)
    else:
        parent.registered_commands = [one for one in module.app.registered_commands if one.callback.__name__ == name]
    group: Any = typer.main.get_command(parent)
    return group.commands[name]


app = typer.Typer(
    name="tolman",
    cls=Root,
    help="Build, run and dissect spatial-intelligence benchmarks for multimodal models.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"tolman {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Python file that adds families, metrics, models …; anywhere on the line, any number of times.",
        ),
    ] = None,
) -> None:
    pass


COLLECTED_AFTER = 300_000
"""New objects after which Python looks for garbage in cycles, in place of 700: what a command reads, it keeps, and the
looks at all of it were a tenth of its time."""


def replace_unprintable() -> None:
    """Print '?' for a sign that the terminal's encoding lacks."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def main() -> None:
    """Run the command line; a TolmanError is one sentence and exit code 2."""
    import atexit
    import gc
    import warnings

    gc.set_threshold(COLLECTED_AFTER, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # the last look of all, at what goes with the process anyway
    from tolman.errors import DataWarning, TolmanError

    replace_unprintable()
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and not int(columns):
        del os.environ["COLUMNS"]  # an unknown width; Rich would print nothing
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, DataWarning):
            console(stderr=True).print(f"mind: {message}", style="yellow", markup=False, soft_wrap=True)
        else:
            shown(message, category, *place, **more)

    warnings.showwarning = show
    try:
        _run()
    except TolmanError as error:
        from tolman.storage.object_store import with_urls

        said = with_urls(str(error))
        console(stderr=True).print(f"tolman: {said}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        console(stderr=True).print(
            f"tolman: {place}{error.strerror or error}.", style="red", markup=False, soft_wrap=True
        )
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        from tolman.plugins import line_in_plugin

        found = line_in_plugin(error)
        if found is None:
            raise
        what = f"tolman: {found[0]}, line {found[1]}: {type(error).__name__}: {error}"
        console(stderr=True).print(what, style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)


def _run() -> None:
    try:
        app()
    except ModuleNotFoundError:
        from tolman.extras import told  # its own imports take time that no other start of the program should

        with told():
            raise
