"""`tolman figure`: a command for each kind of figure there is, Tolman's own and those of plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer
import typer.core

from tolman.commands.configured import configured
from tolman.commands.options import console

if TYPE_CHECKING:
    from tolman.workflows.figures import FigureKind


class FigureGroup(typer.core.TyperGroup):
    """A group whose commands are the kinds of figures, made as they are looked up."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        from tolman.workflows.figures import FIGURES

        return FIGURES.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one.

        Raises:
            UsageError: there is no kind of that name.
        """
        from tolman.workflows.figures import FIGURES

        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(cmd_name)(make_command(FIGURES.get(cmd_name)))
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=FigureGroup,
    no_args_is_help=True,
    help="Draw figures of runs and benchmarks: bars, dots, radar, deltas, curves, scatter, confusions, maps … "
    "SVG, PDF or PNG.",
)


def make_command(kind: FigureKind) -> Callable[..., None]:
    """Make a function that Typer takes as a command: an option for each field of the kind's config."""

    def body(config: Any) -> None:
        from tolman.commands.show.printing import say
        from tolman.commands.show.progress import progress
        from tolman.workflows.figure import draw_figure

        with progress() as events:
            result = draw_figure(kind, config, events)
        shown = console()
        for note in result.chart.notes:
            say(shown, note)
        say(shown, f"{result.out}" + (f", data in {result.data}" if result.data else ""))

    examples = [f"Example:  tolman figure {example}" for example in kind.examples]
    body.__doc__ = "\n\n".join([kind.title, *examples])
    return configured(kind.config, f"figure-{kind.name}")(body)
