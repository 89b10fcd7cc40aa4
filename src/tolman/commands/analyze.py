"""`tolman analyze`: a command for each analysis."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import (
    JUDGE,
    Data,
    Json,
    JudgeBody,
    JudgeUrl,
    StorePath,
    Subset,
    console,
    judge_request,
    names_in,
    numbers_in,
)

app = typer.Typer(
    no_args_is_help=True, help="Take scores apart: what vision adds, what is guessed, what goes together."
)

Runs = Annotated[list[Path], typer.Argument(help="Run folders of one benchmark.")]
Source = Annotated[str, typer.Argument(help="A benchmark's name, a folder that is one, or a run's folder.")]
Rules = Annotated[str | None, typer.Option(help="Rule set. Default: the headline's.")]
Seed = Annotated[int, typer.Option(help="Of everything that is drawn at random.")]


@app.command()
def deltas(
    runs: Runs,
    chance: Annotated[
        str, typer.Option(help="Baseline that blind runs are compared with: best-constant, random … or none.")
    ] = "best-constant",
    rules: Rules = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the whole benchmark, for chance. Default: where the runs' data was.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what vision and protocols add, per task: enabled − disabled, disabled − chance, one protocol − direct.

    Example:  tolman analyze deltas runs/vsi-bench-full/my-model-direct runs/vsi-bench-full/my-model-blind
    """
    from tolman.reports.analyses.deltas import print_deltas

    print_deltas(console(), runs, chance=chance, rules=rules, data=data, as_json=as_json)


@app.command()
def bias(
    benchmark: Source,
    data: Data = None,
    subset: Subset = None,
    prune: Annotated[int | None, typer.Option(min=1, help="Also choose so many items that are hard to guess.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Of pruning, each trained anew.")] = 6,
    against: Annotated[
        Path | None, typer.Option(help="File of ids that another subset leaves out, to compare with.")
    ] = None,
    folds: Annotated[int, typer.Option(min=3, help="Parts of the scenes, each held out once.")] = 5,
    rules: Rules = None,
    seed: Seed = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one on each core.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of what is written.")] = Path("bias"),
    as_json: Json = False,
) -> None:
    """Measure how much of a benchmark learners get that see no picture, item by item, and prune it.

    Example:  tolman analyze bias vsi-bench --prune 2362
    """
    from tolman.reports.analyses.bias import print_bias

    print_bias(
        console(),
        benchmark,
        data=data,
        subset=subset,
        keep=prune,
        rounds=rounds,
        against=against,
        folds=folds,
        seed=seed,
        rules=rules,
        workers=workers,
        out=out,
        as_json=as_json,
    )


@app.command()
def correlation(
    table: Annotated[Path, typer.Argument(help="CSV: a row for each model, its name first, then figures.")],
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders that give the models' scores.")] = None,
    score: Annotated[str | None, typer.Option(help="Column that the others are held against.")] = None,
    against: Annotated[list[str] | None, typer.Option(help="Only this column; may be repeated.")] = None,
    lower_is_better: Annotated[
        list[str] | None, typer.Option(help="Column that is negated, such as a distance; may be repeated.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Correlate a benchmark with other tasks over models: Pearson, Spearman, bootstrap intervals.

    Example:  tolman analyze correlation downstream.csv --score MMSI-Bench

    Example:  tolman analyze correlation libero.csv --score "L2 distance" --lower-is-better "L2 distance"
    """
    from tolman.reports.analyses.correlation import print_correlation

    print_correlation(
        console(),
        table,
        runs or [],
        score=score,
        against=against or [],
        lower_is_better=lower_is_better or [],
        seed=seed,
        as_json=as_json,
    )


@app.command()
def diversity(
    benchmark: Source,
    data: Data = None,
    subset: Subset = None,
    structures: Annotated[bool, typer.Option("--structures", help="Also parse every question.")] = False,
    as_json: Json = False,
) -> None:
    """Count distinct words, unique n-grams and syntactic structures of the questions.

    Example:  tolman analyze diversity vsi-bench
    """
    from tolman.reports.analyses.diversity import print_diversity

    print_diversity(console(), benchmark, data=data, subset=subset, structures=structures, as_json=as_json)


@app.command()
def humans(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, one for each person (model human/NAME).")],
    rules: Rules = None,
    cuts: Annotated[
        str | None, typer.Option(help="Seconds up to which an item is easy, and medium: 40,110. Default: found.")
    ] = None,
    right_from: Annotated[
        float, typer.Option(min=0, max=1, help="Score from which an answer counts as right; matters for numbers.")
    ] = 0.5,
    out: Annotated[Path | None, typer.Option(help="Folder for the tiers and their ids.")] = None,
    as_json: Json = False,
) -> None:
    """Average people's scores, and sort items into easy, medium and hard by answering times.

    Example:  tolman score anna.jsonl --benchmark vsi-bench --name human/anna --out people/anna

    Example:  tolman analyze humans people/* --out tiers
    """
    from tolman.reports.analyses.humans import print_humans

    bounds = numbers_in(cuts, "--cuts", count=2) if cuts else None
    print_humans(
        console(),
        runs,
        rules=rules,
        cuts=(bounds[0], bounds[1]) if bounds else None,
        right_from=right_from,
        out=out,
        as_json=as_json,
    )


@app.command()
def weights(
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders of one benchmark.")] = None,
    published: Annotated[
        str | None, typer.Option(help="A benchmark whose paper's rows are taken instead of runs.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Columns, the simplest level first. Default: the table's.")] = None,
    counts: Annotated[str | None, typer.Option(help="Questions of each level. Default: the runs'.")] = None,
    leave_out: Annotated[list[str] | None, typer.Option(help="A model; may be repeated.")] = None,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="How much the questions' shares count.")] = 0.4,
    k: Annotated[float, typer.Option(min=0, help="How much large contributions are rewarded.")] = 0.01,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Solve for the weights of cognitive levels, as SpatialBench does.

    Example:  tolman analyze weights --published spatialbench --counts 318,527,291,98,113
    """
    from tolman.reports.analyses.weights import print_weights

    print_weights(
        console(),
        runs or [],
        published=published,
        levels=names_in(levels),
        counts=numbers_in(counts, "--counts") if counts else (),
        leave_out=leave_out or [],
        alpha=alpha,
        trade_off=k,
        seed=seed,
        as_json=as_json,
    )


@app.command()
def representative(
    runs: Runs,
    size: Annotated[int, typer.Option(min=1, help="How many items.")] = 300,
    rules: Rules = None,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder of what is written.")] = Path("representative"),
    as_json: Json = False,
) -> None:
    """Choose few items on which the models score as on all, and check that on models left out.

    Example:  tolman analyze representative runs/vsi-bench-full/* --size 300
    """
    from tolman.reports.analyses.representative import print_representative

    print_representative(console(), runs, size=size, rules=rules, seed=seed, out=out, as_json=as_json)


@app.command()
def errors(
    runs: Runs,
    taxonomy: Annotated[
        str | None, typer.Option(help="Categories: vsi or mmsi. Default: those of the benchmark's paper.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="People's labels: a JSONL or CSV file with id, annotator, categories.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="A model that judges the reasoning.", **JUDGE)] = None,
    judge_base_url: JudgeUrl = None,
    judge_body: JudgeBody = None,
    reference: Annotated[
        str,
        typer.Option(help="Show it the human reasoning: with, without, both. Default: where all have it.", **JUDGE),
    ] = "auto",
    which: Annotated[
        str,
        typer.Option(help="What it judges: all, or errors as VSI-Bench did. Default: as the paper.", **JUDGE),
    ] = "auto",
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many of each run, drawn.", **JUDGE)] = None,
    text_only: Annotated[bool, typer.Option("--text-only", help="Show it no pictures.", **JUDGE)] = False,
    frames: Annotated[
        int | None, typer.Option(min=1, help="Frames of a video it is shown. Default: the run's.", **JUDGE)
    ] = None,
    data: Data = None,
    media: Annotated[Path | None, typer.Option(help="Folder of the videos and images. Default: the data's.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests in flight.", **JUDGE)] = 32,
    prices: Annotated[Path | None, typer.Option(help="JSON file with prices of tokens.", **JUDGE)] = None,
    store: StorePath = None,
    rules: Rules = None,
    right_from: Annotated[
        float, typer.Option(min=0, max=1, help="Score from which an answer counts as right; matters for numbers.")
    ] = 0.5,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder of what is written.")] = Path("errors"),
    as_json: Json = False,
) -> None:
    """Say which errors are behind the answers, by a model or from people's labels, and how far they agree.

    Example:  tolman analyze errors runs/vsi-bench-tiny/my-model-self-explanation --labels labels.csv

    Example:  tolman analyze errors runs/mmsi-bench-full/my-model-cot --judge openai/gpt-4o --reference both
    """
    from typing import cast, get_args

    from tolman.errors import UsageError
    from tolman.reports.analyses.error_judging import JudgePlan, Reference, Which
    from tolman.reports.analyses.errors import print_errors
    from tolman.runtime import stoppable

    for option, value, known in (("--reference", reference, Reference), ("--which", which, Which)):
        if value not in get_args(known):
            raise UsageError(f"{option} takes {', '.join(get_args(known))}, not '{value}'.")
    request = judge_request(judge, judge_base_url, judge_body, store, prices, concurrency=concurrency)
    plan = None
    if request is not None:
        modes = cast(Reference, reference), cast(Which, which)
        plan = JudgePlan(request, *modes, sample, text_only, data, media, frames)
    with stoppable():
        failed = print_errors(
            console(),
            console(stderr=True),
            runs,
            taxonomy=taxonomy,
            judge=plan,
            labels=labels,
            rules=rules,
            right_from=right_from,
            seed=seed,
            out=out,
            as_json=as_json,
        )
    if failed:
        raise typer.Exit(1)


@app.command()
def maps(
    runs: Runs,
    scenes: Annotated[
        Path | None, typer.Option(help="Folder of the scenes, for the true maps. Default: the run's own.")
    ] = None,
    stretch: Annotated[
        bool, typer.Option("--stretch", help="True maps fill the grid along both axes, and so distort the scene.")
    ] = False,
    draw: Annotated[int, typer.Option(min=0, help="Maps of each run that are drawn into the page.")] = 24,
    out: Annotated[Path, typer.Option(help="Folder of what is written.")] = Path("maps"),
    as_json: Json = False,
) -> None:
    """Hold drawn cognitive maps against the true ones: distances near and far, and the maps side by side.

    Example:  tolman run ./bench --model openai/my-model --protocol cognitive-map --scenes scenes --out run

    Example:  tolman analyze maps run --scenes scenes
    """
    from tolman.reports.analyses.maps import print_maps

    print_maps(console(), runs, scenes=scenes, stretch=stretch, draw=draw, out=out, as_json=as_json)
