"""Commands for runs: `tolman run`, `score`, `compare`, `report`, `explain`, `view`, `watch`, `reconcile`, `paper` …"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from tolman import features
from tolman.commands.configured import (
    FileForm,
    Incomplete,
    Json,
    Notes,
    PublishedRows,
    configured,
    console,
    is_incomplete,
)
from tolman.errors import UsageError, counted
from tolman.features.compare.config import CompareConfig, ReconcileConfig
from tolman.features.config import config_of
from tolman.features.events import Ended
from tolman.features.printing import importing_meanwhile, list_first, plain_table, progress, say, write_json
from tolman.features.report.config import (
    BoardConfig,
    ExplainConfig,
    PaperConfig,
    ReportConfig,
    SealConfig,
    VerifyConfig,
    ViewConfig,
    WatchConfig,
)
from tolman.features.reproduce.render import show_plan, show_reproduced, show_targets
from tolman.features.run.config import InitConfig, ReproduceConfig, RunConfig, ScoreConfig, is_suite, suite_path
from tolman.files import check_folder, write_text
from tolman.runtime import stoppable

app = typer.Typer()
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say how many calls, tokens and minutes it would take, and ask nothing.")
]

Probing = Annotated[
    bool,
    typer.Option(
        "--probe",
        help="With --dry-run: ask some of the questions, measure the model's speed at several numbers of requests in "
        "flight, and predict the time. The answers are kept, so none is paid twice.",
    ),
]


def _estimate(
    configs: Sequence[RunConfig], *, as_json: bool, dry_run: bool, probe: bool, is_suite: bool = False
) -> list[str]:
    """Print the expense of runs; return sentences about those that can't be estimated."""
    if not dry_run:
        raise UsageError("--probe belongs to --dry-run; add that, or leave --probe out.")
    lacking: list[str] = []
    told = lacking.append if is_suite else None
    if probe:
        with stoppable(), progress() as events:
            found = features.run.estimate.probe(configs, events, told)
    else:
        found = features.run.estimate.estimate(configs, told)
    features.run.render.show_estimates(console(), found, as_json=as_json, lacking=lacking)
    return lacking


def _run_suite(
    path: Path,
    given: dict[str, Any],
    as_json: bool,
    dry_run: bool,
    probe: bool,
    published: PublishedRows,
    notes: bool,
) -> None:
    """Carry out a suite's runs as one."""
    suite_file = features.run.suite_file
    configs, board = suite_file.read_suite(path, given), suite_file.board_of(path)
    check_folder(suite_file.folder_of(configs), "runs")
    if dry_run or probe:
        suite_file.check_names(configs)
        if _estimate(configs, as_json=as_json, dry_run=dry_run, probe=probe, is_suite=True):
            raise typer.Exit(1)
        return
    with stoppable(), progress() as events:
        result = features.run.suite.run_suite(configs, events)
    suite_file.copy_suite(path, result.folder, given)
    features.run.render.show_suite(
        console(), result, as_json_list=as_json, board=board, published=published, notes=notes,
        index=suite_file.index_of(path, configs),
    )  # fmt: skip
    if result.failed or any(is_incomplete(one.figures) for one in result.runs):
        raise typer.Exit(1)


_QUESTIONS = {
    "benchmark": "Benchmark, a name or a folder",
    "model": "Model, FAMILY/NAME",
    "base_url": "Address of its endpoint, ending in /v1; empty for the family's own",
    "limit": "Questions to ask at first; 0 for all",
}


def _in_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


@app.command()
@configured(InitConfig)
def init(config: InitConfig) -> None:
    """Write a commented tolman.toml for 'tolman run'. In a terminal it asks for what no option gives.

    Example:  tolman init

    Example:  tolman init my-bench --model openai/my-model --base-url http://localhost:8000/v1 --limit 50
    """
    from tolman import benchmarks
    from tolman.models import check_name

    if config.out.exists():
        raise UsageError(f"{config.out} is there already; give another file with --out.")
    default = InitConfig()
    if _in_terminal():
        for name, question in _QUESTIONS.items():
            value = getattr(config, name)
            if value != getattr(default, name) or (name == "base_url" and not config.model.startswith("openai/")):
                continue
            given = typer.prompt(question, default="" if value is None else value, err=True)
            config = config_of(InitConfig, vars(config) | {name: value if given == "" else given})
    benchmarks.get(config.benchmark)
    check_name(config.model, config.base_url)
    config.out.parent.mkdir(parents=True, exist_ok=True)
    write_text(config.out, config.render())
    say(console(), f"Written: {config.out}. Next: tolman run {config.out}")


@app.command()
@configured(RunConfig, file_form=FileForm("benchmark", is_suite, _run_suite, suite_path))
def run(
    config: RunConfig,
    as_json: Json = False,
    dry_run: DryRun = False,
    probe: Probing = False,
    published: PublishedRows = "newest",
    notes: Notes = False,
) -> list[Path]:
    """Evaluate a model on a benchmark: ask, score and report. The same command goes on where it stopped.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0. Above 0.5 % of all
    responses a remark gives their share, and the score if they were all wrong or at chance. Above 5 % the score bears
    a †. --judge has a model read them.

    Example:  tolman run vsi-bench --model openai/my-model --base-url http://localhost:8000/v1

    Example:  tolman run vsi-bench --model baseline/best-constant --protocol blind

    Example:  tolman run vsi-bench --model openai/my-model --protocol cot+question-first --frames 8,16,32

    Example:  tolman run vsi-bench --model openai/my-model --reasoning-budget 0,2k,8k,32k

    Example:  tolman run suite.toml --dry-run

    Example:  tolman run easi-8 --model openai/my-model --base-url http://localhost:8000/v1
    """
    if dry_run or probe:
        _estimate([config], as_json=as_json, dry_run=dry_run, probe=probe)
        return []
    with stoppable(), progress() as events:
        runs = features.run.compute.evaluate(config, importing_meanwhile(events))

    folders = [one.path for one in runs]
    budgets = features.run.compute.budget_curves(runs) if len(config.reasoning_budget) > 1 else []
    features.run.render.show_runs(
        console(), folders, as_json=as_json, budgets=budgets, published=published, notes=notes
    )
    if any(is_incomplete(one.figures) for one in runs):
        raise Incomplete(folders)
    return folders


@app.command()
@configured(ScoreConfig)
def score(
    config: ScoreConfig, as_json: Json = False, published: PublishedRows = "newest", notes: Notes = False
) -> Path | None:
    """Score responses that something else produced, or a run again; with --judge, have a model read them.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0. Above 0.5 % of all
    responses a remark gives their share, and the score if they were all wrong or at chance. Above 5 % the score bears
    a †. scores.parquet holds each item's state, the rule that read it, and where.

    Example:  tolman score answers.jsonl --benchmark vsi-bench --name my-model

    Example:  tolman score predictions.csv --benchmark vsi-bench --columns id=question_id,response=raw

    Example:  tolman score logs/my-model --benchmark site

    Example:  tolman score runs/mmsi-bench-full/my-model-direct --judge openai/gpt-4o
    """
    with stoppable(), progress() as events:
        scored = features.run.score_responses.score(config, events)
    features.run.render.show_runs(console(), [scored.path], as_json=as_json, published=published, notes=notes)
    own = len(config.responses) == 1 and config.responses[0].resolve() == scored.path.resolve()
    folder = None if own else scored.path  # the run's own config stays in its folder
    if is_incomplete(scored.figures):
        raise Incomplete(folder)
    return folder


@app.command()
@configured(CompareConfig)
def compare(config: CompareConfig, as_json: Json = False) -> None:
    """Compare a run with others item by item: differences with paired intervals, tests, items won and lost.

    p is of a two-sided randomisation test by scene, exact up to 30 scenes; p (Holm) is corrected for all rows of the
    command; detectable is the smallest difference, in points, that such a pair of runs shows with 80 % power at the
    5 % level.

    Example:  tolman compare runs/vsi-bench-full/model-a-direct runs/vsi-bench-full/model-b-direct --out page.html
    """
    features.compare.render.show_comparison(console(), features.compare.compute.compare(config), as_json=as_json)


@app.command()
@configured(ReportConfig)
def report(config: ReportConfig, notes: Notes = False) -> None:
    """Put runs into one table next to published rows, or into a site to look through.

    Further tables have a cell for each part of the questions: --by source, --by level,scene_type. Labels are those that
    the questions carry, and task, source, scene, kind, options, media_count, media_kind, question_words, frames_needed,
    frames, evidence.

    Example:  tolman report runs/vsi-bench-full/* --out table.html

    Example:  tolman report runs/vsi-bench-full/* --by source --by task,evidence --taxonomy site

    Example:  tolman report runs/vsi-bench-full/* --out site
    """
    with progress() as events:
        result = features.report.compute.report(config, events)
    features.report.render.show_report(console(), result, notes=notes)


@app.command()
@configured(ExplainConfig)
def explain(config: ExplainConfig, as_json: Json = False) -> Path:
    """Explain why a model fails: one page on where its points go, with its most revealing items.

    The points between 100 and the score are split: not in the frames, blurred sight, no response, no answer, reasoning.
    Scenes give the right answers, so only benchmarks with scenes can be explained.

    Example:  tolman explain runs/my-bench-all/openai-my-model-direct --scenes scenes --out explained
    """
    with stoppable(), progress() as events:
        result = features.report.explain.explain(config, events)
    features.report.render.show_explanation(console(), result, as_json=as_json)
    return config.out


@app.command()
@configured(ViewConfig)
def view(config: ViewConfig) -> None:
    """Serve the site of some runs on this machine and open it; Ctrl-C ends it.

    Example:  tolman view runs/vsi-bench-full/*

    Example:  tolman view runs/vsi-bench-full/my-model-direct --item 1207

    Example:  tolman view site --port 8080 --no-browser
    """
    with stoppable(), progress() as events, features.report.sites.prepared(config, events) as folder:
        events(Ended())
        with suppress(KeyboardInterrupt):
            features.report.sites.serve(
                config, folder, lambda address: console().print(f"Serving {address} until Ctrl-C", highlight=False)
            )


@app.command()
@configured(WatchConfig)
def watch(config: WatchConfig) -> None:
    """Serve a live page of a run on this machine: progress, scores so far, failures, cost, time left; Ctrl-C ends it.

    The run may be started in another terminal, or be finished. A suite's folder gets a page of all its runs. Nothing is
    written.

    Example:  tolman watch runs/vsi-bench-full/my-model-direct

    Example:  tolman watch runs/easi-8
    """
    with stoppable():
        try:
            features.report.sites.watch(
                config,
                lambda address, state: console().print(
                    f"{config.run} {state} Page: {address} until Ctrl-C", highlight=False, soft_wrap=True
                ),
            )
        except KeyboardInterrupt:
            say(console(), "No longer watching; no run is affected.")


@app.command()
@configured(ReconcileConfig)
def reconcile(config: ReconcileConfig, as_json: Json = False) -> None:
    """Say why two runs or logs of one benchmark have different scores: causes by item, in pieces that add up.

    Each piece is the mean, over all orders in which the causes could be switched from A to B, of its cause's
    contribution to the figure (Shapley value). Causes that the logs can't separate are one piece, such as 'prompt or
    frames'. 'unexplained' counts texts that differ although nothing that both sides record does.

    Example:  tolman reconcile runs/vsi-bench-full/my-model-direct logs/my-model_samples_vsibench.jsonl

    Example:  tolman reconcile runs/mmsi-bench-full/model-direct runs/mmsi-bench-full/model-direct --scorer-b careful

    Example:  tolman reconcile ours.jsonl theirs.xlsx --benchmark mmsi-bench --out why.html
    """
    features.compare.render.show_reconciliation(
        console(), features.compare.reconcile_runs.reconcile(config), as_json=as_json
    )


@app.command()
@configured(PaperConfig)
def paper(config: PaperConfig) -> Path:
    """Rebuild a paper's tables and figures from your runs, next to the published values; missing parts are listed.

    Example:  tolman paper vsi-bench runs/vsi-bench-full/* --out vsi-bench-paper
    """
    with progress() as events:
        result = features.paper.compute.rebuild_paper(config, events)
    shown = console()
    for sentence in (*(f"LEFT OUT: {text}" for text in result.left_out), *result.warnings):
        say(shown, sentence)
    listed = plain_table(["", "shows", "state"], left=["shows", "state"])
    for one in result.parts:
        listed.add_row(one.part.name, one.part.title, one.state)
    shown.print(listed)
    for one in result.parts:
        for why in one.missing:
            say(shown, f"{one.part.name}: {why}. It needs: {one.part.command}.")
    say(shown, f"{result.out / 'index.html'}")
    return result.out


@app.command()
@configured(ReproduceConfig)
def reproduce(config: ReproduceConfig, as_json: Json = False) -> list[Path]:
    """Run a published result again, and print its figure next to the published one.

    Settings are those of the publication: recipe, frames, form of videos, prompts. The exit code is 1 where a figure is
    not reproduced, or can't be judged. The same command goes on where it stopped.

    Example:  tolman reproduce

    Example:  tolman reproduce qwen2.5-vl-7b --dry-run

    Example:  tolman reproduce qwen2.5-vl-7b --base-url http://localhost:8000/v1
    """
    if config.name is None:
        show_targets(console(), features.reproduce.compute.list_targets(), as_json=as_json)
        return []
    if config.dry_run:
        show_plan(console(), features.reproduce.compute.plan(config), as_json=as_json)
        return []
    with stoppable(), progress() as events:
        found = features.reproduce.compute.reproduce(config, events)
    show_reproduced(console(), found, as_json=as_json)
    folders = [one.run.path for one in found]
    if any(one.verdict != "reproduced" for one in found):
        raise Incomplete(folders)
    return folders


@app.command()
@configured(SealConfig)
def seal(config: SealConfig, as_json: Json = False) -> None:
    """Write a receipt into a run's folder: hashes of data, media, prompts, outputs, scorer and scores.

    An unsigned receipt shows that nothing was changed by accident, and that the scores follow from the outputs. A
    signature also shows who sealed the run. The receipt holds no paths of this machine.

    Example:  tolman seal runs/vsi-bench-full/my-model-direct

    Example:  tolman seal runs/vsi-bench-full/my-model-direct --sign ~/.ssh/id_ed25519
    """
    with progress() as events:
        made = features.report.sealed_runs.seal(config, events)
    if as_json:
        write_json(console(), {"receipt": str(made.path), "digest": made.receipt.digest, "signed": made.is_signed})
        return
    for sentence in made.remarks:
        say(console(), sentence, "yellow")
    say(console(), f"Sealed{' and signed' if made.is_signed else ''}: {made.path}, digest {made.receipt.digest}")


MOST_DIFFERENCES = 20
"""Lines of a run's differences in the terminal."""


@app.command()
@configured(VerifyConfig)
def verify(config: VerifyConfig, as_json: Json = False) -> None:
    """Recompute every score of a sealed run from its outputs, and compare all files with its receipt.

    With --commitment, compare a fresh form's seed, recipe, questions and media with its commitment. Each difference is
    a line with file and item. The exit code is 0 if there is none, else 2.

    Example:  tolman verify runs/vsi-bench-full/my-model-direct

    Example:  tolman verify fresh --commitment commitment.json

    Example:  tolman verify https://example.org/runs/my-model --benchmark my-bench --signers allowed_signers
    """
    with progress() as events:
        found = features.report.sealed_runs.verify(config, events)
    if as_json:
        digest = None if found.receipt is None else found.receipt.digest
        about = {"run": found.run, "verified": found.is_verified, "digest": digest, "signer": found.signer or None}
        write_json(console(), about | {"problems": found.problems, "remarks": found.remarks})
    else:
        list_first(console(), [f"REFUSED: {text}" for text in found.problems], MOST_DIFFERENCES, "red")
        for text in found.remarks:
            say(console(), text, "yellow")
        if found.is_verified and found.receipt is not None:
            signed = f", signed by {found.signer}" if found.signer else ""
            say(console(), f"Verified: {found.run}, digest {found.receipt.digest}{signed}")
        elif found.is_verified:
            say(console(), f"Verified: {found.run} is the form of {config.commitment}")
    if not found.is_verified:
        raise typer.Exit(2)


@app.command()
@configured(BoardConfig)
def board(config: BoardConfig) -> None:
    """Write a static leaderboard of verified runs: sorted, with intervals and rank ranges.

    Runs that fail are listed with the reason and have no rank. Chance, people and baselines have none either.

    Example:  tolman board submissions --out site --benchmark my-bench --signers allowed_signers
    """
    with progress() as events:
        made = features.report.sealed_runs.board(config, events)
    verified = sum(one.is_verified for one in made.runs)
    say(console(), f"Written: {made.out / 'index.html'}; {verified} of {counted(len(made.runs), 'run')} verified")
