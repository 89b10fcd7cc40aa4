"""The command line: its root, and how errors end. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
import typer.core

from tolman import __version__
from tolman.commands import (
    analyze,
    catalogue,
    construct,
    curate,
    doctor,
    evaluate,
    ingest,
    measure,
    reproduce,
    review,
    scenes,
    stores,
)
from tolman.commands.options import console


class Root(typer.core.TyperGroup):
    """The root, which loads plugins before a name that they add is looked up: `--plugin FILE` may stand anywhere."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        kept, files = without_plugins(args)
        if files:
            from tolman.plugins import load_plugins

            load_plugins(files)
        return super().parse_args(ctx, kept)


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


app = typer.Typer(
    name="tolman",
    cls=Root,
    help="Build, run and dissect spatial-intelligence benchmarks for multimodal models.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(catalogue.app)
app.add_typer(evaluate.app)
app.add_typer(reproduce.app)
app.add_typer(ingest.app)
app.add_typer(scenes.app)
app.add_typer(construct.app)
app.add_typer(measure.app)
app.add_typer(review.app)
app.add_typer(curate.app, name="curate")
app.add_typer(analyze.app, name="analyze")
app.add_typer(stores.app, name="store")
app.add_typer(doctor.app)


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


def main() -> None:
    """Run the command line; a TolmanError is one sentence and exit code 2."""
    import warnings

    from tolman.errors import TolmanError, UnknownFieldWarning

    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, UnknownFieldWarning):
            console(stderr=True).print(f"mind: {message}", style="yellow", markup=False, soft_wrap=True)
        else:
            shown(message, category, *place, **more)

    warnings.showwarning = show
    try:
        _run()
    except TolmanError as error:
        console(stderr=True).print(f"tolman: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
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
