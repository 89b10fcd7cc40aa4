"""The command line: its root, and how errors end. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core
import typer.main

from tolman import __version__
from tolman.commands import EMPTY
from tolman.extras import LazyModule

if TYPE_CHECKING:
    from tolman.features import printing
else:
    printing = LazyModule("tolman.features.printing")  # --help needs no config and no progress bar

COMMANDS = {
    "benchmarks": (
        "catalogue",
        "List the benchmarks and suites, describe a benchmark, or print a suite's file, to be copied and edited.",
    ),
    "protocols": (
        "catalogue",
        "List the protocols: ways of asking, and ways of presenting that can be joined to them with '+'.",
    ),
    "metrics": ("catalogue", "List the metrics, for '--metrics' and for the columns of a benchmark's table."),
    "recipes": ("catalogue", "List how each model family is run by its authors, or describe one."),
    "fetch": ("catalogue", "Fetch a benchmark's questions and media from the Hugging Face hub."),
    "init": (
        "evaluate",
        "Write a commented tolman.toml for 'tolman run'. In a terminal it asks for what no option gives.",
    ),
    "run": (
        "evaluate",
        "Evaluate a model on a benchmark: ask, score and report. The same command goes on where it stopped.",
    ),
    "score": (
        "evaluate",
        "Score responses that something else produced, or a run again; with --judge, have a model read them.",
    ),
    "compare": (
        "evaluate",
        "Compare a run with others item by item: differences with paired intervals, tests, items won and lost.",
    ),
    "report": ("evaluate", "Put runs into one table next to published rows, or into a site to look through."),
    "seal": (
        "evaluate",
        "Write a receipt into a run's folder: hashes of data, media, prompts, outputs, scorer and scores.",
    ),
    "verify": (
        "evaluate",
        "Recompute every score of a sealed run from its outputs, and compare all files with its receipt.",
    ),
    "board": ("evaluate", "Write a static leaderboard of verified runs: sorted, with intervals and rank ranges."),
    "explain": (
        "evaluate",
        "Explain why a model fails: one page on where its points go, with its most revealing items.",
    ),
    "view": ("evaluate", "Serve the site of some runs on this machine and open it; Ctrl-C ends it."),
    "watch": (
        "evaluate",
        "Serve a live page of a run on this machine: progress, scores so far, failures, cost, time left; Ctrl-C ends "
        "it.",
    ),
    "reconcile": (
        "evaluate",
        "Say why two runs or logs of one benchmark have different scores: causes by item, in pieces that add up.",
    ),
    "reproduce": ("evaluate", "Run a published result again, and print its figure next to the published one."),
    "ingest": (
        "construct",
        "Turn real scans and recordings into scenes: boxes, rooms, videos, and the objects visible at each time.",
    ),
    "scenes": ("construct", "Show the scenes of a folder: a table, and a page with a floor plan of each."),
    "generate": ("construct", "Make a benchmark from scenes."),
    "form": (
        "construct",
        "Make a fresh form of a benchmark: other scenes and questions by the same recipe, as many and as difficult.",
    ),
    "audit": (
        "construct",
        "Recompute every answer of a benchmark from its scenes, or check whether answers can be guessed without "
        "looking.",
    ),
    "simulate": (
        "construct",
        "Make rooms and streets whose truth is known, and record a video along a camera trajectory through each.",
    ),
    "merge": (
        "construct",
        "Join the shards of a job, made with --shard 1/8 … 8/8, into the output of the job without that option.",
    ),
    "measure": (
        "construct",
        "Measure a selection in a LiDAR recording, with a bound of the error (docs/measure.md: how often it holds).",
    ),
    "review": (
        "review",
        "Serve the web application in which people answer and check a benchmark's questions, or write the results.",
    ),
    "curate": ("construct", "Existing question sets into one benchmark."),
    "analyze": (
        "catalogue",
        "Analyse scores and questions: vision ablation, shortcut bias, correlation, error types, cognitive maps …",
    ),
    "figure": (
        "catalogue",
        "Draw figures of runs and benchmarks: bars, dots, radar, deltas, curves, scatter, confusions, maps … SVG, PDF "
        "or PNG.",
    ),
    "paper": (
        "evaluate",
        "Rebuild a paper's tables and figures from your runs, next to the published values; missing parts are listed.",
    ),
    "store": ("catalogue", "Show, prune or export the answers that models gave."),
    "export": ("catalogue", "Write a benchmark, or the results of runs, in the form of another program."),
    "doctor": (
        "catalogue",
        "Check extras, rendering, videos, keys and stores on this machine, and say how to repair those that fail.",
    ),
}
"""Command → the module of `tolman.commands` that has it, and the first sentences of its help, in the order of the
help."""
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

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """List the commands without an import of any."""
        self.commands = {name: typer.core.TyperCommand(name, help=said) for name, (_, said) in COMMANDS.items()}
        super().format_help(ctx, formatter)

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
    module = import_module(f"tolman.commands.{COMMANDS[name][0]}")
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

    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # for them, the metadata of all packages are read
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # else NumPy's idle threads spin for a while: 35 ms each
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
            printing.TextConsole(stderr=True).print(f"mind: {message}", style="yellow", markup=False, soft_wrap=True)
        else:
            shown(message, category, *place, **more)

    warnings.showwarning = show
    try:
        _run()
    except TolmanError as error:
        from tolman.storage.object_store import with_urls

        said = with_urls(str(error))
        printing.TextConsole(stderr=True).print(
            f"tolman: {said}", style="red", markup=False, highlight=False, soft_wrap=True
        )
        sys.exit(error.exit_code)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        printing.TextConsole(stderr=True).print(
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
        printing.TextConsole(stderr=True).print(what, style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)


def _run() -> None:
    try:
        app()
    except ModuleNotFoundError:
        from tolman.extras import told  # its own imports take time that no other start of the program should

        with told():
            raise
