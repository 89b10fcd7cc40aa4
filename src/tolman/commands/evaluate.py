"""`tolman benchmarks`, `run`, `score`, `compare` and `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tolman.commands.options import (
    FRAMES,
    ITEMS,
    JUDGE,
    MODEL,
    PROTOCOL,
    SAMPLING,
    STORES,
    CountWrong,
    Data,
    Json,
    Judge,
    JudgeBody,
    JudgeSample,
    JudgeUrl,
    Out,
    Revision,
    StorePath,
    Subset,
    console,
    exit_incomplete,
    json_object,
    judge_request,
    names_in,
    show,
    whole_numbers,
)

app = typer.Typer()


@app.command()
def run(
    benchmark: Annotated[str, typer.Argument(help="A benchmark's name, or a folder that is one.")],
    model: Annotated[
        str, typer.Option(help="FAMILY/NAME: openai/NAME, gemini/NAME, anthropic/NAME, hf/NAME, baseline/random …")
    ],
    data: Data = None,
    media: Annotated[Path | None, typer.Option(help="Folder of the videos and images. Default: the data's.")] = None,
    subset: Subset = None,
    revision: Revision = None,
    protocol: Annotated[
        str, typer.Option(help="How questions are put, see 'tolman protocols'; several joined by '+'.")
    ] = "direct",
    preset: Annotated[str | None, typer.Option(help="The authors' settings for one kind of model.")] = None,
    out: Out = None,
    base_url: Annotated[str | None, typer.Option(help="Of the model's endpoint.", **MODEL)] = None,
    body: Annotated[
        str | None, typer.Option(help="JSON object of further fields for every request; null takes one out.", **MODEL)
    ] = None,
    scenes: Annotated[
        Path | None, typer.Option(help="Folder of scenes, for baseline/oracle and maps.", **MODEL)
    ] = None,
    device: Annotated[str | None, typer.Option(help="Of a local network: cpu, cuda, cuda:1, auto …", **MODEL)] = None,
    dtype: Annotated[
        str | None, typer.Option(help="Arithmetic of a local network: auto, float32, bfloat16, float16.", **MODEL)
    ] = None,
    batch_size: Annotated[
        int, typer.Option(min=1, help="How many questions a local network answers together.", **MODEL)
    ] = 8,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests in flight.", **MODEL)] = 32,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one call.", **MODEL)] = 600.0,
    retries: Annotated[int, typer.Option(min=0, help="How often a failed call is tried again.", **MODEL)] = 8,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the whole run.", **MODEL)] = None,
    judge: Judge = None,
    judge_base_url: JudgeUrl = None,
    judge_body: JudgeBody = None,
    judge_sample: JudgeSample = None,
    prices: Annotated[Path | None, typer.Option(help="JSON file with prices of tokens.", **MODEL)] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Instead of the preset's.", **SAMPLING)] = None,
    top_p: Annotated[float | None, typer.Option(min=0, max=1, help="Instead of the preset's.", **SAMPLING)] = None,
    top_k: Annotated[int | None, typer.Option(min=0, help="Instead of the preset's.", **SAMPLING)] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Instead of the preset's.", **SAMPLING)] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random.", **SAMPLING)] = 0,
    repeats: Annotated[int, typer.Option(min=1, help="How often each item is asked.", **SAMPLING)] = 1,
    reasoning_tokens: Annotated[
        int | None, typer.Option(min=1, help="Most tokens of a turn that thinks, maps or explains.", **PROTOCOL)
    ] = None,
    draws: Annotated[
        int | None, typer.Option(min=2, help="Answers that self-consistency draws: 5.", **PROTOCOL)
    ] = None,
    grid: Annotated[
        int | None, typer.Option(min=2, max=100, help="Cells along each side of a cognitive map: 10.", **PROTOCOL)
    ] = None,
    map_categories: Annotated[
        str | None, typer.Option(help="What a map shows: the question's categories, or all of its scene.", **PROTOCOL)
    ] = None,
    captioner: Annotated[
        str | None, typer.Option(help="Model that captions, for caption-then-answer.", **PROTOCOL)
    ] = None,
    captioner_url: Annotated[
        str | None, typer.Option(help="Of the captioner's endpoint. Default: --base-url, in one family.", **PROTOCOL)
    ] = None,
    matcher: Annotated[
        str | None, typer.Option(help="What matches points of images, for correspondence: sift.", **PROTOCOL)
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(
            help="Frames of a video, instead of the preset's; several numbers make several runs.",
            metavar="N[,N…]",
            **FRAMES,
        ),
    ] = None,
    fps: Annotated[float | None, typer.Option(min=0.001, help="Frames for each second, instead.", **FRAMES)] = None,
    max_frames: Annotated[int | None, typer.Option(min=1, help="Cap for --fps.", **FRAMES)] = None,
    quality: Annotated[int | None, typer.Option(min=1, max=95, help="Of the JPEGs.", **FRAMES)] = None,
    longest_side: Annotated[int | None, typer.Option(min=16, help="Of a picture, in pixels.", **FRAMES)] = None,
    tasks: Annotated[str | None, typer.Option(help="Only these question types, separated by commas.", **ITEMS)] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only these items: ids separated by commas, or a file.", **ITEMS)
    ] = None,
    exclude: Annotated[
        str | None, typer.Option(help="Not these items: ids separated by commas, or a file.", **ITEMS)
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="So many items, spread over the benchmark.", **ITEMS)] = None,
    store: StorePath = None,
    frame_store: Annotated[Path | None, typer.Option(help="Folder of decoded frames.", **STORES)] = None,
    count_failures_as_wrong: CountWrong = False,
    as_json: Json = False,
) -> None:
    """Put a benchmark to a model, score it and report it. The same command goes on where it stopped.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0.
    Above 0.5 % of a figure's responses, both shares stand below it, with the score if all are wrong or at chance.
    Above 5 % the headline bears a †. --judge has a model read them, and a sample of those that were read.

    Example:  tolman run vsi-bench --model openai/my-model --base-url http://localhost:8000/v1

    Example:  tolman run vsi-bench --model baseline/best-constant --protocol blind

    Example:  tolman run vsi-bench --model openai/my-model --protocol cot+question-first --frames 8,16,32
    """
    from tolman.models.base import ModelOptions
    from tolman.reports.progress import counting
    from tolman.runs.engine import Limits
    from tolman.runs.run import RunRequest
    from tolman.runs.run import run as carry_out
    from tolman.runs.selection import Selection, ids_from
    from tolman.runs.sweep import by_frames

    counts = whole_numbers(frames, "--frames")
    asked = {
        "reasoning_tokens": reasoning_tokens,
        "draws": draws,
        "grid": grid,
        "map_categories": map_categories,
        "captioner": captioner,
        "matcher": matcher,
    }
    shown = {
        "count": counts[0] if counts else None,
        "per_second": fps,
        "cap": max_frames,
        "quality": quality,
        "longest_side": longest_side,
    }
    drawn = {"temperature": temperature, "top_p": top_p, "top_k": top_k, "max_tokens": max_tokens}
    everyones: dict[str, Any] = {
        "concurrency": concurrency,
        "timeout": timeout,
        "seed": seed,
        "device": device,
        "dtype": dtype,
        "batch_size": batch_size,
    }
    same_family = captioner is not None and captioner.partition("/")[0] == model.partition("/")[0]
    limits = Limits(retries=retries, run_seconds=time_limit)
    request = RunRequest(
        benchmark=benchmark,
        model=model,
        protocol=protocol,
        protocol_options={key: value for key, value in asked.items() if value is not None},
        captioner_options=ModelOptions(base_url=captioner_url or (base_url if same_family else None), **everyones),
        data=data,
        media=media,
        revision=revision,
        subset=subset,
        preset=preset,
        frames={key: value for key, value in shown.items() if value is not None},
        sampling={key: value for key, value in drawn.items() if value is not None},
        out=out,
        options=ModelOptions(
            base_url=base_url,
            body=json_object(body, "--body"),
            scenes=scenes,
            **everyones,
        ),
        limits=limits,
        selection=Selection(
            tasks=names_in(tasks),
            ids=ids_from(ids),
            exclude=ids_from(exclude),
            limit=limit,
        ),
        repeats=repeats,
        store=store,
        frame_store=frame_store,
        prices=prices,
        judge=judge_request(
            judge,
            judge_base_url,
            judge_body,
            store,
            prices,
            limits=Limits(retries=retries),
            sample=judge_sample,
            **everyones,
        ),
        failures_are_wrong=count_failures_as_wrong,
    )
    folders, all_figures = [], []
    for part in by_frames(request, counts):
        with counting(console(stderr=True)) as progress:
            folder, figures = carry_out(part, started=progress.start, done=progress.done)
        folders.append(folder)
        all_figures.append(figures)
    show(*folders, as_json=as_json)
    exit_incomplete(*all_figures)


@app.command()
def score(
    responses: Annotated[
        Path,
        typer.Argument(
            help="Responses (JSONL of id and response), an lmms-eval log, a VLMEvalKit result, or a run folder."
        ),
    ],
    benchmark: Annotated[str | None, typer.Option(help="Needed unless a run folder is scored again.")] = None,
    data: Data = None,
    subset: Subset = None,
    revision: Revision = None,
    form: Annotated[
        str | None, typer.Option("--format", help="jsonl, lmms-eval or vlmevalkit. Default: found out.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What the model is called. Default: the file's name.")] = None,
    preset: Annotated[str | None, typer.Option(help="The authors' settings it was run with.")] = None,
    out: Out = None,
    seed: Annotated[int, typer.Option(help="For released parsers that draw at random.")] = 0,
    judge: Judge = None,
    judge_base_url: JudgeUrl = None,
    judge_body: JudgeBody = None,
    judge_sample: JudgeSample = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests in flight.", **JUDGE)] = 32,
    prices: Annotated[Path | None, typer.Option(help="JSON file with prices of tokens.", **JUDGE)] = None,
    store: StorePath = None,
    count_failures_as_wrong: CountWrong = False,
    as_json: Json = False,
) -> None:
    """Score responses that something else produced, or a run again; with --judge, have a model read them.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0.
    Above 0.5 % of a figure's responses, both shares stand below it, with the score if all are wrong or at chance.
    Above 5 % the headline bears a †. scores.parquet holds each item's state, the rule that read it, and where.

    Example:  tolman score answers.jsonl --benchmark vsi-bench --name my-model

    Example:  tolman score runs/mmsi-bench-full/my-model-direct --judge openai/gpt-4o
    """
    from tolman.reports.progress import counting
    from tolman.runs.rescore import judge_folder, score_file, score_folder

    judging = judge_request(
        judge, judge_base_url, judge_body, store, prices, sample=judge_sample, concurrency=concurrency
    )
    if judging is not None:
        judging.open()  # what is wrong with it is told before anything is done

    if responses.is_dir():
        folder, figures = score_folder(responses)
    else:
        folder, figures = score_file(
            responses,
            benchmark=benchmark,
            data=data,
            subset=subset,
            revision=revision,
            form=form,
            name=name,
            preset=preset,
            out=out,
            seed=seed,
            failures_are_wrong=count_failures_as_wrong,
        )
    if judging is not None:
        with counting(console(stderr=True)) as progress:
            folder, figures = judge_folder(folder.path, judging, started=progress.start, done=progress.done)
    show(folder, as_json=as_json)
    exit_incomplete(figures)


@app.command()
def compare(
    a: Annotated[Path, typer.Argument(help="A run's folder.")],
    b: Annotated[list[Path], typer.Argument(help="Folders of one or more runs to compare it with.")],
    rules: Annotated[str | None, typer.Option(help="Rule set. Default: the headline's.")] = None,
    as_json: Json = False,
) -> None:
    """Compare a run with others item by item: differences with paired intervals, tests, items won and lost.

    p is of a two-sided randomisation test by scene, exact up to 30 scenes; p (Holm) is corrected for all rows of the
    command; detectable is the smallest difference, in points, that such a pair of runs shows with 80 % power at the
    5 % level.

    Example:  tolman compare runs/vsi-bench-full/model-a-direct runs/vsi-bench-full/model-b-direct
    """
    from tolman.reports.comparison import compare_runs

    compare_runs(console(), a, b, rules, as_json=as_json)


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders of one benchmark.")],
    form: Annotated[str | None, typer.Option("--format", help="terminal, markdown, csv, latex, json or html.")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; its suffix names the format.")] = None,
    published: Annotated[
        str, typer.Option(help="Rows of the papers: none, baselines (chance and people) or all.")
    ] = "baselines",
) -> None:
    """Put runs into one table beside the papers' rows.

    Example:  tolman report runs/vsi-bench-full/* --out table.html
    """
    from tolman.reports.write import write_report

    write_report(console(), runs, form=form, out=out, published=published)
