"""The command line: its root, and how errors end. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from tolman import __version__
from tolman.commands import analyze, construct, curate, evaluate, ingest, measure, review, scenes, stores
from tolman.commands.options import console

app = typer.Typer(
    name="tolman",
    help="Build, run and dissect spatial-intelligence benchmarks for multimodal models.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(evaluate.app)
app.add_typer(ingest.app)
app.add_typer(scenes.app)
app.add_typer(construct.app)
app.add_typer(measure.app)
app.add_typer(review.app)
app.add_typer(curate.app, name="curate")
app.add_typer(analyze.app, name="analyze")
app.add_typer(stores.app, name="store")


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"tolman {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
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
        app()
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
