"""`python -m tolman.demo`: evaluate the baselines on 96 real VSI-Bench questions and write a report."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import as_file, files
from pathlib import Path

from rich.console import Console

from tolman.errors import TolmanError
from tolman.models.base import ModelOptions
from tolman.reports.content import build, load_runs
from tolman.reports.html import page
from tolman.reports.progress import counting
from tolman.reports.terminal import print_report
from tolman.reports.write import save
from tolman.runs.run import RunRequest, run

BASELINES = ("baseline/random", "baseline/most-frequent", "baseline/most-frequent-text", "baseline/best-constant")


def main() -> None:
    """Run everything into ./demo and print the table."""
    parser = argparse.ArgumentParser(prog="tolman.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="where the runs go")
    parser.add_argument("--model", help="a model of yours to put beside the baselines, for example openai/NAME")
    parser.add_argument("--base-url", help="of its endpoint")
    options = parser.parse_args()
    console = Console()
    try:
        demonstrate(console, options.out, options.model, options.base_url)
    except TolmanError as error:
        Console(stderr=True).print(f"tolman: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)


def demonstrate(console: Console, out: Path, model: str | None = None, base_url: str | None = None) -> None:
    """Evaluate, report, and say where the page is.

    Args:
        console: where the table goes.
        out: folder of the runs.
        model, base_url: a model to evaluate beside the baselines. It is asked without the videos, which are not here.
    """
    folders = []
    with as_file(files("tolman.demo") / "vsi_bench_extract.jsonl") as data:
        for name in (*BASELINES, *([model] if model else [])):
            request = RunRequest(
                benchmark="vsi-bench",
                model=name,
                protocol="blind",
                data=data,
                out=out / name.replace("/", "-"),
                options=ModelOptions(base_url=base_url, seed=0),
            )
            with counting(console) as progress:
                folder, _ = run(request, started=progress.start, done=progress.done)
            folders.append(folder.path)
    runs = load_runs(folders)
    print_report(console, build(runs, "baselines"))
    save(out / "report.html", page(build(runs, "all"), runs))
    console.print(
        f"\n96 questions show how it works; they are too few for a figure to quote. Every item: {out / 'report.html'}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
