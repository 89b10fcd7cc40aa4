"""Commands for scenes and their benchmarks.

They are `tolman generate`, `form`, `audit`, `simulate`, `ingest`, `scenes`, `merge` and `measure`.
"""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from tolman import features
from tolman.commands.configured import Incomplete, Json, configured, console
from tolman.errors import UsageError, counted
from tolman.features.curate.config import (
    CurateCategoriesConfig,
    CurateConfig,
    CurateDuplicatesConfig,
    CurateImportConfig,
    CurateMappingsConfig,
)
from tolman.features.generate.config import AuditConfig, FormConfig, GenerateConfig
from tolman.features.printing import progress, say, typed, write_json
from tolman.features.report.config import ScenesConfig
from tolman.features.scenes.config import IngestConfig, MeasureConfig, MergeConfig, SimulateConfig
from tolman.runtime import stoppable

app = typer.Typer()
ExitZero = Annotated[
    bool,
    typer.Option("--exit-zero", help="Exit code 0 also where answers are in doubt, guessed or shared. Default: 1."),
]


@app.command()
@configured(GenerateConfig)
def generate(config: GenerateConfig) -> Path:
    """Make a benchmark from scenes.

    Every generation preset but vsi-official leaves out questions that learners answer without media (shortcut
    filtering).

    Example:  tolman generate meta_info --preset vsi-paper --out my-bench

    Example:  tolman generate worlds --preset mmsi --families camera-object,object-object --out pairs
    """
    try:
        with progress() as events:
            result = features.generate.compute.generate(config, events)
    except features.generate.compute.NoQuestionsError as error:
        features.generate.render.show_reasons(console(), error.statistics, every=True)
        raise
    features.generate.render.show_generated(console(), result, licence=config.licence)
    return result.out


@app.command()
@configured(FormConfig)
def form(config: FormConfig, as_json: Json = False) -> Path:
    """Make a fresh form of a benchmark: other scenes and questions by the same recipe, as many and as difficult.

    Before you use it, publish commitment.json. When you reveal the form, 'tolman verify FORM --commitment FILE' shows
    that it is the committed one. The exit code is 1 where --fewer leaves a type with fewer questions.

    Example:  tolman form my-bench --out fresh

    Example:  tolman form recipe.toml --seed 90210 --out fresh
    """
    with progress() as events:
        result = features.generate.parallel_forms.make_form(config, events)
    features.generate.render.show_form(console(), result, as_json=as_json)
    if result.lacking:
        raise Incomplete(result.out)
    return result.out


@app.command()
@configured(AuditConfig)
def audit(config: AuditConfig, as_json: Json = False, exit_zero: ExitZero = False) -> Path:
    """Recompute every answer of a benchmark from its scenes, or check whether answers can be guessed without looking.

    A question may break a rule and still have a safe answer, as where two distractors tie: those are counted apart, and
    are listed in exclude-strict.txt only. The exit code is 1 where an answer differs or is in doubt, and 0 where all
    that were checked are safe; --exit-zero makes it 0 for both.

    With --shortcuts no scenes are needed: learners that shortcut filtering doesn't use are taught the questions of
    other scenes, and asked. The exit code is 0 where each learner passes on each question type, and 1 where one fails
    or where there are too few questions to decide.

    With --against, find scenes, questions and frames that a benchmark or a training file shares with others. The exit
    code is 1 where it shares any.

    Example:  tolman audit vsi-bench --scenes meta_info

    Example:  tolman audit my-bench --shortcuts --teach other-seeds

    Example:  tolman audit train/train.json --against ./my-bench
    """
    if config.against:
        return _audit_overlap(config, as_json=as_json, exit_zero=exit_zero)
    if config.shortcuts:
        return _audit_shortcuts(config, as_json=as_json, exit_zero=exit_zero)
    with progress() as events:
        result = features.generate.audit.audit(config, events)
    features.generate.render.show_audit(console(), result, as_json=as_json)
    if result.doubtful and not exit_zero:
        raise Incomplete(result.out)
    return result.out


def _audit_overlap(config: AuditConfig, *, as_json: bool, exit_zero: bool) -> Path:
    with progress() as events:
        result = features.generate.audit.audit_overlap(config, events)
    features.generate.render.show_overlap_audit(console(), result, as_json=as_json)
    if not result.is_disjoint and not exit_zero:
        raise Incomplete(result.out)
    return result.out


def _audit_shortcuts(config: AuditConfig, *, as_json: bool, exit_zero: bool) -> Path:
    with progress() as events:
        result = features.generate.audit.audit_shortcuts(config, events)
    features.generate.render.show_shortcut_audit(console(), result, as_json=as_json)
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
    with progress() as events:
        result = features.scenes.simulation.simulate(config, events)
    features.generate.render.show_simulated(console(), result)
    return result.out


@app.command()
@configured(IngestConfig)
def ingest(config: IngestConfig, as_json: Json = False) -> Path | None:
    """Turn real scans and recordings into scenes: boxes, rooms, videos, and the objects visible at each time.

    The same command goes on where it was stopped, and reads only new or changed inputs. It ends with exit code 1 if a
    scene was refused, or a medium can't be read; the others are written all the same.

    Example:  tolman ingest scannet scans/ --out scenes

    Example:  tolman ingest auto my-scans/ --out scenes

    Example:  tolman ingest media DAVIS/JPEGImages --out pool --source DAVIS --licence "terms of its page"
    """
    if config.is_hint:
        found = features.scenes.compute.recognise(config)
        if as_json:
            write_json(console(), asdict(found) | {"path": str(found.path)})
            return None
        after = [] if found.problem else [f"Next: tolman ingest {found.format} {typed(found.path)} --out scenes"]
        for line in [*found.lines(), *after]:
            say(console(), line)
        return None
    if config.is_pool:
        with progress() as events:
            pooled = features.scenes.compute.pool(config, events)
        features.scenes.render.show_pooled(console(), pooled, as_json=as_json)
        if pooled.left_out:
            raise Incomplete(pooled.out)
        return pooled.out
    with progress() as events:
        result = features.scenes.compute.ingest(config, events)
    features.scenes.render.show_ingested(console(), result, as_json=as_json)
    if result.refused:
        raise Incomplete(result.out)
    return result.out


PAGE = Path("scenes.html")


@app.command()
@configured(ScenesConfig)
def scenes(config: ScenesConfig, as_json: Json = False) -> None:
    """Show the scenes of a folder: a table, and a page with a floor plan of each.

    With --check, look for mistakes in scans before ingest. The exit code is 1 where a mistake remains.

    With --pick, serve a page on which boxes and a scale are picked in a scene's cloud; Ctrl-C ends it.

    Example:  tolman scenes worlds --out worlds.html

    Example:  tolman scenes scenes --pick walk

    Example:  tolman scenes my-rooms --check --fix fixed-rooms
    """
    if config.check or config.fix is not None:
        _check(config, as_json=as_json)
        return
    if config.pick is not None:
        _pick(config, config.pick)
        return

    if config.out is None and not as_json:
        config = replace(config, out=PAGE)
    with progress() as events:
        result = features.report.compute.show_scenes(config, events)
    features.scenes.render.show_collection(console(), result, as_json=as_json)


def _check(config: ScenesConfig, *, as_json: bool) -> None:
    if config.out is not None:
        raise UsageError("--out names the page of scenes; with --check, name the corrected copy with --fix.")
    with progress() as events:
        scans = features.scenes.compute.check_scans(config.path, config.fix, events)
    features.scenes.render.show_checked(console(), scans, as_json=as_json)
    if any(scan.state not in ("right", "fixed") for scan in scans):
        raise Incomplete


def _pick(config: ScenesConfig, scene: str) -> None:
    if config.out is not None:
        raise UsageError("--out names the page of scenes; --pick writes to corrections.json beside them.")

    def ready(address: str) -> None:
        say(console(), f"Pick boxes at {address} until Ctrl-C")
        if config.browser:
            webbrowser.open(address)

    with stoppable(), suppress(KeyboardInterrupt):
        features.review.compute.serve_picking(config.path, scene, config.port, ready)


@app.command()
@configured(MergeConfig)
def merge(config: MergeConfig) -> Path:
    """Join the shards of a job, made with --shard 1/8 … 8/8, into the output of the job without that option.

    Shards of other settings or another version, missing and unfinished ones are refused, and nothing is written then.

    Example:  tolman merge parts/* --out worlds
    """
    with progress() as events:
        result = features.scenes.compute.merge(config, events)
    console().print(
        f"{counted(result.shards, 'shard')} with {counted(result.scenes, 'scene')}: {result.out}.",
        markup=False,
        highlight=False,
    )
    return result.out


@app.command()
@configured(MeasureConfig)
def measure(config: MeasureConfig, as_json: Json = False) -> None:
    """Measure a selection in a LiDAR recording, with a bound of the error (docs/measure.md: how often it holds).

    Example:  tolman measure yard size --pixels 210,140,330,300 --at 4.2

    Example:  tolman measure yard distance --box 1,2,0,2,3,1.2 --to-box 4,2,0,5,3,1

    Example:  tolman measure worlds height --capture simulated/0-0000 --box 1,2,-0.1,2,3,1.2 --json

    Example:  tolman measure hall.laz room-area --box 0,0,-1,20,15,4
    """
    with progress() as events:
        result = features.scenes.compute.measure(config, events)
    features.scenes.render.show_measurement(console(), result, as_json=as_json)


curate_app = typer.Typer(
    no_args_is_help=True,
    help="""Existing question sets into one benchmark.

    Example:  tolman curate run site.toml --out pool

    Example:  tolman curate import vsi-bench data/vsi-bench --out pool
    """,
)


@curate_app.command()
@configured(CurateConfig, command="curate-run")
def run(config: CurateConfig, as_json: Json = False) -> Path:
    """Carry out a recipe: import, filter, convert, stratify, verify and publish. The same command goes on.

    Example:  tolman curate run site.toml --out pool

    Example:  tolman curate run site.toml --out pool --until classify --model openai/NAME --base-url URL
    """
    with stoppable(), progress() as events:
        result = features.curate.compute.curate(config, events)
    features.curate.render.show_curated(console(), result, as_json=as_json)
    if result.failed:
        raise Incomplete(result.out)
    return result.out


@curate_app.command("import")
@configured(CurateImportConfig, command="curate-import")
def import_one(config: CurateImportConfig, as_json: Json = False) -> Path:
    """Read one question set into a pool, to see the result of a mapping.

    Example:  tolman curate import vsi-bench data/vsi-bench --out pool
    """
    with stoppable(), progress() as events:
        result = features.curate.compute.import_questions(config, events)
    features.curate.render.show_imported(console(), result, as_json=as_json)
    return config.out


@curate_app.command()
@configured(CurateMappingsConfig, command="curate-mappings")
def mappings(config: CurateMappingsConfig, as_json: Json = False) -> None:
    """List the question sets that can be read by name, or show one mapping.

    Example:  tolman curate mappings vsi-bench
    """
    found = features.curate.compute.list_mappings(config)
    if config.name:
        features.curate.render.show_mapping(console(), found[0], as_json=as_json)
    else:
        features.curate.render.show_mappings(console(), found, as_json=as_json)


@curate_app.command()
@configured(CurateCategoriesConfig, command="curate-categories")
def categories(config: CurateCategoriesConfig) -> None:
    """Let a model group the question sets' own labels into coarse categories, for you to edit and use.

    Example:  tolman curate categories site.toml --pool pool --out my-taxonomy.toml
    """
    with stoppable(), progress() as events:
        taxonomy = features.curate.compute.induce_categories(config, events)
    features.curate.render.show_categories(console(), taxonomy, config.out)


@curate_app.command()
@configured(CurateDuplicatesConfig, command="curate-duplicates")
def duplicates(config: CurateDuplicatesConfig, as_json: Json = False) -> None:
    """Find questions that occur twice in a benchmark, or also occur in another one.

    Example:  tolman curate duplicates ./my-bench vsi-bench --against-data data/vsi-bench
    """
    with stoppable(), progress() as events:
        result = features.curate.compute.find_duplicates(config, events)
    features.curate.render.show_duplicates(console(), result, as_json=as_json)
