"""What `tolman analyze errors` reads, asks, prints and writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from tolman.analyze.errors import (
    PEOPLE,
    Agreement,
    Distribution,
    Key,
    agreements,
    distributions,
    people_alpha,
    usual_taxonomy,
)
from tolman.errors import UsageError
from tolman.files import write_text
from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
from tolman.reports.analyses.error_figure import distribution_svg
from tolman.reports.analyses.error_judging import Judged, JudgePlan, ask
from tolman.reports.analyses.error_labels import read_labels, write_labels
from tolman.reports.analyses.output import print_table, say, say_missing, share_shown, write_json
from tolman.reports.loaded import LoadedRun, load_runs
from tolman.reports.progress import counting
from tolman.scoring.error_types import TAXONOMIES, ErrorTaxonomy
from tolman.scoring.shares import Share


def print_errors(
    console: Console,
    progress: Console,
    paths: Sequence[Path],
    *,
    taxonomy: str | None,
    judge: JudgePlan | None,
    labels: Path | None,
    rules: str | None,
    right_from: float,
    seed: int,
    out: Path,
    as_json: bool,
) -> int:
    """Say which errors are behind the runs' answers.

    Returns:
        How many judgements failed.

    Raises:
        UsageError: nobody is there to say it, or the judge can't be asked.
        InputError: the labels are not of these runs.
    """
    if judge is None and labels is None:
        raise UsageError(
            "who says which errors there are? Name a model with --judge, or people's labels with --labels."
        )
    if taxonomy is not None and taxonomy not in TAXONOMIES:
        raise UsageError(f"there is no taxonomy '{taxonomy}'; known: {', '.join(TAXONOMIES)}.")
    runs = load_runs(paths)
    names = [run.name for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two of the runs are called {name}, with the same settings; give one of them.")
    benchmark = one_benchmark(runs)
    chosen_rules = one_rule_set(runs, rules)
    chosen = TAXONOMIES[taxonomy] if taxonomy else usual_taxonomy(runs[0].folder.items())
    answers = pl.concat([_answers(run, chosen_rules) for run in runs])
    known: set[Key] = set(answers.select("run", "id", "repeat").iter_rows())
    models = {run.name: run.record.settings.model for run in runs}
    people = read_labels(labels, models, known, chosen) if labels else []
    judged = Judged()
    if judge is not None:
        model = judge.request.open()
        with counting(progress) as shown:
            judged = ask(runs, benchmark, chosen, judge, model, answers, seed, shown)
    everything = [*people, *judged.labels]
    found = distributions(everything, answers, chosen, right_from=right_from)
    agreed = agreements(everything)
    alpha = people_alpha(everything, chosen)
    _write(out, found, chosen, judged)
    if as_json:
        write_json(console, _content(chosen, chosen_rules, found, agreed, alpha, judged))
    else:
        _print(console, found, agreed, alpha, chosen, judged, chosen_rules)
        written = [out / "errors.csv", *([out / "errors.svg"] if found else [])]
        written += [out / "labels.jsonl"] if judged.rows else []
        say(console, f"Written: {', '.join(map(str, written))}.")
    return len(judged.failures)


def _answers(run: LoadedRun, rules: str) -> pl.DataFrame:
    """A row for each scored answer: run, id, repeat, task, cluster, kind, score."""
    kinds = {item.id: item.kind for item in run.folder.items()}
    rows = scores_under(run, rules).filter(pl.col("score").is_not_null())
    return rows.select(
        pl.lit(run.name).alias("run"),
        "id",
        pl.col("repeat").cast(pl.Int64),
        "task",
        "cluster",
        pl.Series("kind", [kinds[i] for i in rows["id"]], dtype=pl.String),
        "score",
    )


def _write(out: Path, found: Sequence[Distribution], taxonomy: ErrorTaxonomy, judged: Judged) -> None:
    out.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "run": one.run,
            "source": one.source,
            "task": one.task or "all",
            "n": one.n,
            **{key: _percent(one.types.get(key)) for key in taxonomy.keys},
            "reasoning": _percent(one.reasoning),
            "answers": _percent(one.answers),
            "reasoning_on_right": _percent(one.reasoning_on_right),
            "reasoning_on_wrong": _percent(one.reasoning_on_wrong),
        }
        for one in found
    ]
    write_text(out / "errors.csv", pl.DataFrame(rows).write_csv(float_precision=3))
    if found:
        write_text(out / "errors.svg", distribution_svg(found, taxonomy) + "\n")
    if judged.rows:
        write_labels(out / "labels.jsonl", judged.rows)


def _percent(share: Share | None) -> float | None:
    return None if share is None else share.value


def _content(
    taxonomy: ErrorTaxonomy,
    rules: str,
    found: Sequence[Distribution],
    agreed: Sequence[Agreement],
    alpha: float | None,
    judged: Judged,
) -> Mapping[str, Any]:
    return {
        "taxonomy": taxonomy.name,
        "source": taxonomy.source,
        "rules": rules,
        "distributions": [asdict(one) for one in found],
        "agreement": [asdict(one) for one in agreed],
        "people_alpha": alpha,
        "failures": [
            {"run": run, "source": source, "id": one.id, "repeat": one.repeat, "why": one.failure}
            for run, source, one in judged.failures
        ],
        "without_reasoning": judged.unexplained,
        "input_tokens": judged.usage.input_tokens,
        "output_tokens": judged.usage.output_tokens,
        "cost": judged.cost,
    }


def _print(
    console: Console,
    found: Sequence[Distribution],
    agreed: Sequence[Agreement],
    alpha: float | None,
    taxonomy: ErrorTaxonomy,
    judged: Judged,
    rules: str,
) -> None:
    if judged.failures:
        run, _, first = judged.failures[0]
        total = len(judged.failures) + len(judged.labels)
        what = f"{len(judged.failures):,} of {total:,} judgements failed, in no figure"
        say(console, f"INCOMPLETE: {what}; the first: {run}, item {first.id}: {first.failure}.")
    titles = [kind.title.removesuffix(" error").removesuffix(" reasoning") for kind in taxonomy.types]
    for run, source in dict.fromkeys((one.run, one.source) for one in found):
        own = [one for one in found if (one.run, one.source) == (run, source)]
        body = [
            [one.task or "all", f"{one.n:,}", *(_shown(one.types.get(key)) for key in taxonomy.keys)] for one in own
        ]
        print_table(
            console,
            ["% of responses", "n", *titles, "correct"],
            body,
            title=f"{run}, judged by {source}",
        )
        whole = own[0]
        say(console, f"Reasoning {share_shown(whole.reasoning)}; answers ({rules}) {share_shown(whole.answers)}.")
        right, wrong = share_shown(whole.reasoning_on_right), share_shown(whole.reasoning_on_wrong)
        say(console, f"Reasoning behind right answers {right}, behind wrong ones {wrong}.")
        for title, share in whole.groups.items():
            say(console, f"{title}: {share_shown(share)} of the errors.")
        say_missing(console, [whole.reasoning.reason])
    if agreed:
        rows = [
            [
                one.first,
                "most people" if one.second == PEOPLE else one.second,
                f"{one.n:,}",
                "–" if one.accuracy is None else f"{100 * one.accuracy:.1f}",
                "–" if one.overlap is None else f"{100 * one.overlap:.1f}",
                "–" if one.kappa is None else f"{one.kappa:.3f}",
                f"{one.undecided:,}",
            ]
            for one in agreed
        ]
        headings = ["", "against", "n", "the same, %", "overlap, %", "Cohen's kappa", "people divided"]
        print_table(console, headings, rows, left=2, title="agreement")
    if alpha is not None:
        say(console, f"Krippendorff's alpha of all people: {alpha:.3f}.")
    if judged.unexplained:
        say(console, f"{judged.unexplained:,} responses are an answer without reasoning and were not judged.")


def _shown(share: Share | None) -> str:
    return "–" if share is None else f"{share.value:.1f}"
