"""`tolman analyze` and `tolman figure`: a command for each analysis and kind of figure, those of plugins included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer.core
from rich.table import Table

from tolman import features
from tolman.commands.configured import Incomplete, Json, configured, console
from tolman.features.analyses import ANALYSES, Analysis
from tolman.features.figures import FIGURES, FigureKind
from tolman.features.printing import progress, say, write_json
from tolman.registry import Registry
from tolman.runtime import stoppable

if TYPE_CHECKING:
    from rich.console import Console


class RegistryGroup(typer.core.TyperGroup):
    """A group whose commands are the members of a registry, made as they are looked up."""

    registry: ClassVar[Registry]

    def make(self, thing: Any) -> Callable[..., None]:
        """Make the body of a member's command."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return self.registry.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one.

        Raises:
            UsageError: the registry has none of that name.
        """
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(cmd_name)(self.make(self.registry.get(cmd_name)))
        return typer.main.get_command(alone)


def analysis_command(analysis: Analysis[Any, Any]) -> Callable[..., None]:
    """Make a function that Typer takes as a command: an option for each field of its config, and `--json`."""

    def body(config: Any, as_json: Json = False) -> Path | None:
        with stoppable(), progress() as events:
            result = analysis.run(config, events)
        if as_json:
            write_json(console(), analysis.to_json(result), ascii_only=False)
        else:
            _print(console(), analysis.show(result))
        out = getattr(config, "out", None)
        if not analysis.is_complete(result):
            raise Incomplete(out)
        return out if isinstance(out, Path) else None

    body.__doc__ = _help("analyze", analysis.title, analysis.examples)
    return configured(analysis.config, f"analyze-{analysis.name}")(body)


def figure_command(kind: FigureKind) -> Callable[..., None]:
    """Make a function that Typer takes as a command: an option for each field of the kind's config."""

    def body(config: Any) -> None:
        with progress() as events:
            result = features.figures.compute.draw_figure(kind, config, events)
        shown = console()
        for note in result.chart.notes:
            say(shown, note)
        say(shown, f"{result.out}" + (f", values in {result.csv}" if result.csv else ""))

    body.__doc__ = _help("figure", kind.title, kind.examples)
    return configured(kind.config, f"figure-{kind.name}")(body)


class AnalysisGroup(RegistryGroup):
    """The analyses."""

    registry = ANALYSES

    def make(self, thing: Analysis[Any, Any]) -> Callable[..., None]:
        """Make the body of an analysis's command."""
        return analysis_command(thing)


class FigureGroup(RegistryGroup):
    """The kinds of figures."""

    registry = FIGURES

    def make(self, thing: FigureKind) -> Callable[..., None]:
        """Make the body of a figure's command."""
        return figure_command(thing)


analyze_app = typer.Typer(
    cls=AnalysisGroup,
    no_args_is_help=True,
    help="Analyse scores and questions: vision ablation, shortcut bias, correlation, error types, cognitive maps …",
)
figure_app = typer.Typer(
    cls=FigureGroup,
    no_args_is_help=True,
    help="Draw figures of runs and benchmarks: bars, dots, radar, deltas, curves, scatter, confusions, maps … "
    "SVG, PDF or PNG.",
)


def _help(command: str, title: str, examples: tuple[str, ...]) -> str:
    return "\n\n".join([title, *(f"Example:  tolman {command} {example}" for example in examples)])


def _print(shown: Console, parts: Any) -> None:
    for part in [parts] if isinstance(parts, str) else parts:
        if isinstance(part, Table):
            features.report.render.print_wide(shown, part)
        else:
            say(shown, part)
