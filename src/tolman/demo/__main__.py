"""`python -m tolman.demo`: make three rooms, ask about them, put the questions to baselines and write a report."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import as_file, files
from pathlib import Path

from rich.console import Console

from tolman.errors import NoDisplayError, TolmanError
from tolman.models.base import ModelOptions
from tolman.parallel import cores
from tolman.reports.construction import generate
from tolman.reports.content import build
from tolman.reports.html import page
from tolman.reports.loaded import load_runs
from tolman.reports.progress import counting
from tolman.reports.simulation import simulate_scenes
from tolman.reports.terminal import print_report
from tolman.reports.write import save
from tolman.runs.run import RunRequest, run
from tolman.simulate.build import WorldsConfig

SEED = 6
"""Of rooms that can be asked about in all ten question types of VSI-Bench."""
BASELINES = ("baseline/most-frequent", "baseline/best-constant", "baseline/oracle")


def main() -> None:
    """Run everything into ./demo and print the table."""
    parser = argparse.ArgumentParser(prog="tolman.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="where everything goes")
    parser.add_argument("--model", help="a model of yours to put beside the baselines, for example openai/NAME")
    parser.add_argument("--base-url", help="of its endpoint")
    parser.add_argument("--seconds", type=float, default=8.0, help="length of a walk")
    parser.add_argument("--rate", type=int, default=15, help="frames a second")
    options = parser.parse_args()
    order = WorldsConfig(scenes=3, seed=SEED, seconds=options.seconds, rate=options.rate)
    console = Console()
    try:
        demonstrate(console, options.out, order, options.model, options.base_url)
    except TolmanError as error:
        Console(stderr=True).print(f"tolman: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


def demonstrate(
    console: Console, out: Path, order: WorldsConfig, model: str | None = None, base_url: str | None = None
) -> None:
    """Simulate, generate, evaluate, report, and say where the page is.

    Args:
        console: where tables go.
        out: folder of everything.
        order: the scenes.
        model, base_url: a model to evaluate beside the baselines; it is shown the videos.
    """
    with as_file(files("tolman.demo") / "rooms") as prepared:
        scenes = _scenes(console, order, out / "scenes", prepared)
        bench = out / "bench"
        _headline(console, "tolman generate: questions whose answers follow from the scenes")
        generate(console, scenes, preset="vsi-paper", out=bench, seed=0, per_scene=15, per_task=None, choices=False)
        folders = []
        _headline(console, "tolman run: the same questions for every model")
        for name in (*BASELINES, *([model] if model else [])):
            request = RunRequest(
                benchmark=f"./{bench}" if not bench.is_absolute() else str(bench),
                model=name,
                out=out / "runs" / name.replace("/", "-"),
                options=ModelOptions(base_url=base_url, seed=0, scenes=scenes),
            )
            with counting(console) as progress:
                folder, _ = run(request, started=progress.start, done=progress.done)
            folders.append(folder.path)
    runs = load_runs(folders)
    print_report(console, build(runs, "baselines"))
    save(out / "report.html", page(build(runs, "all"), runs))
    console.print(
        f"\nThree rooms show how it works; they are too few for a figure to quote. Videos: {scenes / 'videos'}. "
        f"Every item: {out / 'report.html'}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _scenes(console: Console, order: WorldsConfig, out: Path, prepared: Path) -> Path:
    """Three rooms of our own; on a machine that can't draw, three that were drawn before."""
    _headline(console, "tolman simulate: three rooms whose truth is known, and a walk through each")
    try:
        simulate_scenes(console, order, out, min(cores(), order.scenes))
    except NoDisplayError as error:
        console.print(f"{error} Going on with three rooms that were drawn before.", style="yellow", soft_wrap=True)
        return prepared
    return out


def _headline(console: Console, text: str) -> None:
    console.print(f"\n{text}", style="bold", highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
