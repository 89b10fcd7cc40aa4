"""`tolman generate`, `audit` and `simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.configured import Incomplete, configured
from tolman.commands.options import Json, console
from tolman.workflows.audit import AuditConfig
from tolman.workflows.generate import GenerateConfig
from tolman.workflows.simulate import SimulateConfig

app = typer.Typer()
ExitZero = Annotated[
    bool,
    typer.Option("--exit-zero", help="Exit code 0 also where answers are in doubt or guessed. Default: 1."),
]


@app.command()
@configured(GenerateConfig)
def generate(config: GenerateConfig) -> Path:
    """Make a benchmark from scenes.

    Every generation preset but vsi-official leaves out what learners answer without media (shortcut filtering).

    Example:  tolman generate meta_info --preset vsi-paper --out my-bench

    Example:  tolman generate worlds --preset mmsi --families camera-object,object-object --out pairs
    """
    from tolman.commands.show.construct import show_generated, show_reasons
    from tolman.commands.show.progress import progress
    from tolman.workflows.generate import NoQuestionsError
    from tolman.workflows.generate import generate as carry_out

    try:
        with progress() as events:
            result = carry_out(config, events)
    except NoQuestionsError as error:
        show_reasons(console(), error.statistics, every=True)
        raise
    show_generated(console(), result)
    return result.out


@app.command()
@configured(AuditConfig)
def audit(config: AuditConfig, as_json: Json = False, exit_zero: ExitZero = False) -> Path:
    """Compute every answer of a benchmark anew from its scenes, or tell whether answers are guessed without looking.

    A question may break a rule and have a safe answer all the same, as where two distractors tie: those are counted
    apart, and stand in exclude-strict.txt only. The exit code is 1 where an answer differs or is in doubt, and 0
    where all that were checked are safe; --exit-zero makes it 0 for both.

    With --shortcuts no scenes are needed: learners that shortcut filtering doesn't use are taught the questions of
    other scenes, and asked. The exit code is 0 where each learner passes on each question type, and 1 where one fails
    or where there are too few questions to tell.

    Example:  tolman audit vsi-bench --scenes meta_info

    Example:  tolman audit my-bench --shortcuts --teach unfiltered-of-other-seeds
    """
    from tolman.commands.show.construct import show_audit
    from tolman.commands.show.progress import progress
    from tolman.workflows.audit import audit as carry_out

    if config.shortcuts:
        return _audit_shortcuts(config, as_json=as_json, exit_zero=exit_zero)
    with progress() as events:
        result = carry_out(config, events)
    show_audit(console(), result, as_json=as_json)
    if result.doubtful and not exit_zero:
        raise Incomplete(result.out)
    return result.out


def _audit_shortcuts(config: AuditConfig, *, as_json: bool, exit_zero: bool) -> Path:
    from tolman.commands.show.progress import progress
    from tolman.commands.show.shortcuts import show_shortcut_audit
    from tolman.workflows.audit_shortcuts import audit_shortcuts

    with progress() as events:
        result = audit_shortcuts(config, events)
    show_shortcut_audit(console(), result, as_json=as_json)
    if result.audit.verdict != "pass" and not exit_zero:
        raise Incomplete(result.out)
    return result.out


@app.command()
@configured(SimulateConfig)
def simulate(config: SimulateConfig) -> Path:
    """Make rooms and streets whose truth is known, and record a video along a camera trajectory through each.

    The same command goes on where it was stopped.

    Example:  tolman simulate --scenes 3 --seed 0 --out worlds

    Example:  tolman simulate --shapes l-shape,street --exo 3 --actors 2 --lidar --out rigs
    """
    from tolman.commands.show.construct import show_simulated
    from tolman.commands.show.progress import progress
    from tolman.workflows.simulate import simulate as carry_out

    with progress() as events:
        result = carry_out(config, events)
    show_simulated(console(), result)
    return result.out
