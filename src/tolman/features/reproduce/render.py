"""Published results and their reproductions in the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from tolman.errors import counted
from tolman.features.config import fields_of
from tolman.features.printing import plain_table, say, write_json
from tolman.features.run.config import RunConfig

if TYPE_CHECKING:
    from tolman.features.reproduce.compute import Planned, Reproduced, ReproductionTarget, TargetRun


def show_targets(console: Console, found: Sequence[ReproductionTarget], *, as_json: bool) -> None:
    """All targets, a line for each of their figures."""
    if as_json:
        write_json(console, [one.model_dump(mode="json") for one in found], ascii_only=False)
        return
    grid = plain_table(("name", "of", "videos", "published", "within"), left=("name", "of", "videos"))
    for one in found:
        for run in one.runs:
            grid.add_row(one.name, one.title, _videos(run), f"{run.published:.1f}", f"±{run.tolerance:g}")
    console.print(grid)


def show_plan(console: Console, planned: Sequence[Planned], *, as_json: bool) -> None:
    """Print the planned calls, their weights and data, and the published figures."""
    if as_json:
        write_json(console, [_plain(one) for one in planned], ascii_only=False)
        return
    target = planned[0].target
    console.print(f"[bold]{escape(target.title)}[/]", highlight=False)
    lines = [
        f"Weights: {target.weights}",
        f"Serving: {target.serving}",
        f"Data: {planned[0].source}",
    ]
    for one in planned:
        lines += [
            "",
            f"{_videos(one.run)}: {counted(one.questions, 'call')}, prompts '{one.run.preset}', recipe "
            f"{one.config.recipe}",
            f"  published: {one.run.published:.1f} ± {one.run.tolerance:g} points ({one.run.source})",
            *(f"  also: {other.value:.2f} ({other.source})" for other in one.run.others),
            f"  {command_of(one.config)}",
        ]
    lines += ["", "Nothing was asked (--dry-run)."]
    for line in lines:
        say(console, line)


def show_reproduced(console: Console, found: Sequence[Reproduced], *, as_json: bool) -> None:
    """Print each figure next to the published one, and whether it is reproduced."""
    if as_json:
        write_json(console, [_plain(one.planned) | _outcome(one) for one in found], ascii_only=False)
        return
    target = found[0].planned.target
    console.print(f"[bold]{escape(target.title)}[/]", highlight=False)
    grid = plain_table(("videos", "figure", "95 %", "published", "difference", "within", ""), left=("videos", ""))
    for one in found:
        run = one.planned.run
        grid.add_row(
            _videos(run),
            _number(one.value, ".2f"),
            "–" if one.low is None or one.high is None else f"{one.low:.1f}–{one.high:.1f}",
            f"{run.published:.1f}",
            _number(one.difference, "+.2f"),
            f"±{run.tolerance:g}",
            one.verdict,
        )
    console.print(grid)
    for one in found:
        reason = f" {one.verdict.capitalize()}: {one.reason}." if one.reason else ""
        sentence = f"{_videos(one.planned.run)}: published by {one.planned.run.source}.{reason}"
        say(console, sentence)
        say(console, f"Every item: {one.run.path}")


def command_of(config: RunConfig) -> str:
    """The `tolman run` that a config is."""
    words = ["tolman", "run"]
    for one in fields_of(type(config)):
        value = getattr(config, one.name)
        if one.setting.positional:
            words.append(str(value))
        elif one.required or value != one.default:
            words += [one.option, ",".join(map(str, value)) if one.several else str(value)]
    return shlex.join(words)


def _videos(run: TargetRun) -> str:
    return "whole videos" if run.form == "file" else f"{counted(run.frames, 'frame')} as {run.form}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _plain(one: Planned) -> dict[str, Any]:
    return {
        "target": one.target.name,
        "weights": one.target.weights,
        "data": one.source,
        "questions": one.questions,
        "command": command_of(one.config),
        **one.run.model_dump(mode="json"),
    }


def _outcome(one: Reproduced) -> dict[str, Any]:
    return {
        "folder": str(one.run.path),
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "difference": one.difference,
        "verdict": one.verdict,
        "reason": one.reason,
    }
