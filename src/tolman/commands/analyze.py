"""`tolman analyze`: a command for each analysis there is, Tolman's own and those of plugins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
import typer.core

from tolman.commands.configured import Incomplete, configured
from tolman.commands.options import Json, console

if TYPE_CHECKING:
    from rich.console import Console

    from tolman.workflows.analyses import Analysis


class AnalysisGroup(typer.core.TyperGroup):
    """A group whose commands are the analyses, made as they are looked up."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        from tolman.workflows.analyses import ANALYSES

        return ANALYSES.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one.

        Raises:
            UsageError: there is no analysis of that name.
        """
        from tolman.workflows.analyses import ANALYSES

        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(cmd_name)(make_command(ANALYSES.get(cmd_name)))
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=AnalysisGroup,
    no_args_is_help=True,
    help="Analyse scores and questions: vision ablation, shortcut bias, correlation, error types, cognitive maps …",
)


def make_command(analysis: Analysis[Any, Any]) -> Callable[..., None]:
    """Make a function that Typer takes as a command: an option for each field of its config, and `--json`."""

    def body(config: Any, as_json: Json = False) -> Path | None:
        from tolman.commands.show.printing import write_json
        from tolman.commands.show.progress import progress
        from tolman.runtime import stoppable  # an analysis may ask a judge

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

    examples = [f"Example:  tolman analyze {example}" for example in analysis.examples]
    body.__doc__ = "\n\n".join([analysis.title, *examples])
    return configured(analysis.config, f"analyze-{analysis.name}")(body)


def _print(shown: Console, parts: Any) -> None:
    from rich.table import Table

    from tolman.commands.show.printing import say
    from tolman.commands.show.report import print_wide

    for part in [parts] if isinstance(parts, str) else parts:
        if isinstance(part, Table):
            print_wide(shown, part)
        else:
            say(shown, part)
