"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolman import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from tolman.runs.folder import RunFolder

app = typer.Typer(
    name="tolman",
    help="Build, run and dissect spatial-intelligence benchmarks for multimodal models.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

_MODEL: dict[str, Any] = {"rich_help_panel": "The model"}
_SAMPLING: dict[str, Any] = {"rich_help_panel": "Sampling"}
_FRAMES: dict[str, Any] = {"rich_help_panel": "Pictures"}
_ITEMS: dict[str, Any] = {"rich_help_panel": "Which items"}
_STORES: dict[str, Any] = {"rich_help_panel": "Stores"}

Data = Annotated[Path | None, typer.Option(help="Folder with the released data. Default: the Hugging Face hub.")]
Subset = Annotated[
    str | None, typer.Option(help="Part of the benchmark that has a name; see 'tolman benchmarks NAME'.")
]
Revision = Annotated[str | None, typer.Option(help="Commit of the hub's data set, other than the pinned one.")]
Out = Annotated[Path | None, typer.Option(help="Folder of the run. Default: a name under ./runs.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
StorePath = Annotated[Path | None, typer.Option("--store", help="File of the response store.", **_STORES)]
CountWrong = Annotated[bool, typer.Option(help="Score items without an answer 0 instead of leaving them out.")]


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


@app.command("benchmarks")
def list_benchmarks(
    name: Annotated[str | None, typer.Argument(help="One benchmark, with its subsets, presets and table.")] = None,
    as_json: Json = False,
) -> None:
    """List the benchmarks, or describe one.

    Example:  tolman benchmarks vsi-bench
    """
    from tolman.reports.catalogue import print_all, print_one

    print_one(_console(), name, as_json=as_json) if name else print_all(_console(), as_json=as_json)


@app.command()
def run(
    benchmark: Annotated[str, typer.Argument(help="A benchmark's name, or a folder that is one.")],
    model: Annotated[str, typer.Option(help="FAMILY/NAME: openai/NAME, scripted/FILE, baseline/best-constant …")],
    data: Data = None,
    media: Annotated[Path | None, typer.Option(help="Folder of the videos and images. Default: the data's.")] = None,
    subset: Subset = None,
    revision: Revision = None,
    protocol: Annotated[str, typer.Option(help="How questions are put: direct, blind …")] = "direct",
    preset: Annotated[str | None, typer.Option(help="The authors' settings for one kind of model.")] = None,
    out: Out = None,
    base_url: Annotated[str | None, typer.Option(help="Of an OpenAI-compatible endpoint.", **_MODEL)] = None,
    body: Annotated[
        str | None, typer.Option(help="JSON object of further fields for every request; null takes one out.", **_MODEL)
    ] = None,
    scenes: Annotated[Path | None, typer.Option(help="Folder of scenes, for baseline/oracle.", **_MODEL)] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests in flight.", **_MODEL)] = 32,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one call.", **_MODEL)] = 600.0,
    retries: Annotated[int, typer.Option(min=0, help="How often a failed call is tried again.", **_MODEL)] = 8,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the whole run.", **_MODEL)] = None,
    prices: Annotated[Path | None, typer.Option(help="JSON file with prices of tokens.", **_MODEL)] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Instead of the preset's.", **_SAMPLING)] = None,
    top_p: Annotated[float | None, typer.Option(min=0, max=1, help="Instead of the preset's.", **_SAMPLING)] = None,
    top_k: Annotated[int | None, typer.Option(min=0, help="Instead of the preset's.", **_SAMPLING)] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Instead of the preset's.", **_SAMPLING)] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random.", **_SAMPLING)] = 0,
    repeats: Annotated[int, typer.Option(min=1, help="How often each item is asked.", **_SAMPLING)] = 1,
    frames: Annotated[
        int | None, typer.Option(min=1, help="Frames of a video, instead of the preset's.", **_FRAMES)
    ] = None,
    fps: Annotated[float | None, typer.Option(min=0.001, help="Frames for each second, instead.", **_FRAMES)] = None,
    max_frames: Annotated[int | None, typer.Option(min=1, help="Cap for --fps.", **_FRAMES)] = None,
    quality: Annotated[int | None, typer.Option(min=1, max=95, help="Of the JPEGs.", **_FRAMES)] = None,
    longest_side: Annotated[int | None, typer.Option(min=16, help="Of a picture, in pixels.", **_FRAMES)] = None,
    tasks: Annotated[str | None, typer.Option(help="Only these question types, separated by commas.", **_ITEMS)] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only these items: ids separated by commas, or a file.", **_ITEMS)
    ] = None,
    exclude: Annotated[
        str | None, typer.Option(help="Not these items: ids separated by commas, or a file.", **_ITEMS)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="So many items, spread over the benchmark.", **_ITEMS)
    ] = None,
    store: StorePath = None,
    frame_store: Annotated[Path | None, typer.Option(help="Folder of decoded frames.", **_STORES)] = None,
    count_failures_as_wrong: CountWrong = False,
    as_json: Json = False,
) -> None:
    """Put a benchmark to a model, score it and report it. The same command goes on where it stopped.

    Example:  tolman run vsi-bench --model openai/my-model --base-url http://localhost:8000/v1

    Example:  tolman run vsi-bench --model baseline/best-constant --protocol blind
    """
    from tolman.models.base import ModelOptions
    from tolman.reports.progress import counting
    from tolman.runs.engine import Limits
    from tolman.runs.run import RunRequest
    from tolman.runs.run import run as carry_out
    from tolman.runs.selection import Selection, ids_from

    shown = {"count": frames, "per_second": fps, "cap": max_frames, "quality": quality, "longest_side": longest_side}
    drawn = {"temperature": temperature, "top_p": top_p, "top_k": top_k, "max_tokens": max_tokens}
    request = RunRequest(
        benchmark=benchmark,
        model=model,
        protocol=protocol,
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
            body=_json_object(body, "--body"),
            concurrency=concurrency,
            timeout=timeout,
            seed=seed,
            scenes=scenes,
        ),
        limits=Limits(retries=retries, run_seconds=time_limit),
        selection=Selection(
            tasks=tuple(t.strip() for t in tasks.split(",")) if tasks else (),
            ids=ids_from(ids),
            exclude=ids_from(exclude),
            limit=limit,
        ),
        repeats=repeats,
        store=store,
        frame_store=frame_store,
        prices=prices,
        failures_are_wrong=count_failures_as_wrong,
    )
    with counting(_console(stderr=True)) as progress:
        folder, figures = carry_out(request, started=progress.start, done=progress.done)
    _show(folder, as_json=as_json)
    _exit_incomplete(figures)


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
    count_failures_as_wrong: CountWrong = False,
    as_json: Json = False,
) -> None:
    """Score responses that something else produced, or a run again.

    Example:  tolman score answers.jsonl --benchmark vsi-bench --name my-model
    """
    from tolman.runs.rescore import score_file, score_folder

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
    _show(folder, as_json=as_json)
    _exit_incomplete(figures)


@app.command()
def compare(
    a: Annotated[Path, typer.Argument(help="A run's folder.")],
    b: Annotated[Path, typer.Argument(help="Another's.")],
    rules: Annotated[str | None, typer.Option(help="Rule set. Default: the headline's.")] = None,
    as_json: Json = False,
) -> None:
    """Compare two runs item by item: differences with paired intervals, items won and lost.

    Example:  tolman compare runs/vsi-bench-full/model-a-direct runs/vsi-bench-full/model-b-direct
    """
    from tolman.reports.comparison import compare_runs

    compare_runs(_console(), a, b, rules, as_json=as_json)


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

    write_report(_console(), runs, form=form, out=out, published=published)


@app.command()
def generate(
    scenes: Annotated[Path, typer.Argument(help="Folder of scenes: Parquet shards, or VSI-Bench's meta-info.")],
    out: Annotated[Path, typer.Option(help="Folder of the benchmark.")],
    preset: Annotated[str, typer.Option(help="Rules: vsi-paper, or vsi-official with its defects.")] = "vsi-paper",
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random.")] = 0,
    per_scene: Annotated[int | None, typer.Option(min=1, help="Most of a question type from one scene.")] = None,
    per_task: Annotated[int | None, typer.Option(min=1, help="Most of a question type.")] = None,
    choices: Annotated[bool, typer.Option("--choices", help="Numerical questions as multiple choice.")] = False,
) -> None:
    """Make a benchmark from scenes.

    Example:  tolman generate meta_info --preset vsi-paper --out my-bench
    """
    from tolman.reports.construction import generate as carry_out

    carry_out(
        _console(), scenes, preset=preset, out=out, seed=seed, per_scene=per_scene, per_task=per_task, choices=choices
    )


@app.command()
def audit(
    benchmark: Annotated[str, typer.Argument(help="A benchmark whose scenes are known.")],
    scenes: Annotated[Path, typer.Option(help="Folder of its scenes.")],
    data: Data = None,
    subset: Subset = None,
    preset: Annotated[str, typer.Option(help="Rules that questions are held to.")] = "vsi-paper",
    out: Annotated[Path, typer.Option(help="Folder of the findings.")] = Path("audit"),
    as_json: Json = False,
) -> None:
    """Compute every answer of a benchmark anew from its scenes, and name those that are doubtful.

    Example:  tolman audit vsi-bench --scenes meta_info
    """
    from tolman.reports.construction import audit_benchmark

    audit_benchmark(_console(), benchmark, scenes, data=data, subset=subset, preset=preset, out=out, as_json=as_json)


store_app = typer.Typer(no_args_is_help=True, help="Show, prune or export the answers that models gave.")
app.add_typer(store_app, name="store")


@store_app.command("show")
def store_show(store: StorePath = None, as_json: Json = False) -> None:
    """Count the answers of each model.

    Example:  tolman store show
    """
    from tolman.reports.stores import print_summary

    print_summary(_console(), store, as_json=as_json)


@store_app.command("prune")
def store_prune(
    store: StorePath = None,
    model: Annotated[str | None, typer.Option(help="Only this model's answers.")] = None,
    older_than: Annotated[float | None, typer.Option(min=0, help="Only answers older than so many days.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All answers.")] = False,
) -> None:
    """Delete answers, so that they are asked for again.

    Example:  tolman store prune --model openai/my-model --older-than 30
    """
    from tolman.reports.stores import prune

    prune(_console(), store, model=model, days=older_than, everything=everything)


@store_app.command("export")
def store_export(
    out: Annotated[Path, typer.Argument(help="JSONL file to write.")],
    store: StorePath = None,
) -> None:
    """Write all answers with their requests to a JSONL file.

    Example:  tolman store export answers.jsonl
    """
    from tolman.reports.stores import export

    export(_console(), store, out)


def main() -> None:
    """Run the command line; a TolmanError is one sentence and exit code 2."""
    from tolman.errors import TolmanError

    try:
        app()
    except TolmanError as error:
        _console(stderr=True).print(f"tolman: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _console(stderr=True).print(
            f"tolman: {place}{error.strerror or error}.", style="red", markup=False, soft_wrap=True
        )
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _json_object(text: str | None, option: str) -> dict[str, Any]:
    """An option that holds a JSON object."""
    import json

    from tolman.errors import UsageError

    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{option} takes a JSON object, and '{text}' is none ({error}).") from None
    if not isinstance(value, dict):
        raise UsageError(f"{option} takes a JSON object such as {{\"seed\": 1}}, not '{text}'.")
    return value


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr)


def _show(folder: RunFolder, *, as_json: bool) -> None:
    """Print a run's table, write its page, and say where it is."""
    from tolman.reports.write import show_run

    show_run(_console(), folder, as_json=as_json)


def _exit_incomplete(figures: dict[str, object]) -> None:
    """A run with failures ends with exit code 1."""
    unanswered = figures["unanswered"]
    if isinstance(unanswered, dict) and sum(unanswered.values()):
        raise typer.Exit(1)
