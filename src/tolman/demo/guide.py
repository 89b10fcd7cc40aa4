"""`python -m tolman.demo.guide`: simulate homes, evaluate baselines on questions about them and explain a score.

It shows each command that it runs, as a guide to further use.
"""

from __future__ import annotations

import argparse
import io
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from importlib.resources import as_file, files
from pathlib import Path

import typer

from tolman.cli import app, replace_unprintable
from tolman.errors import MissingExtraError, NoDisplayError, RunInterruptedError, TolmanError
from tolman.extras import told
from tolman.files import remove
from tolman.models import check_name
from tolman.runtime import stoppable, uninterrupted

SEED = 6
"""Of homes that can be asked about in all ten question types of VSI-Bench."""
HOMES = 10
"""So many that the detector's losses can be split in most question types."""
SECONDS, RATE = 24.0, 2
"""Of each video: long enough to walk through a home; models are shown 32 of its 48 frames."""
SEEING = "baseline/detector"
BASELINES = ("baseline/most-frequent", "baseline/best-constant", SEEING, "baseline/oracle")
STOPPED = "Stopped. Run the same command again to resume."


def main() -> None:
    """Run everything into ./demo, print the table and say where the pages are."""
    parser = argparse.ArgumentParser(prog="tolman.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder of everything (default demo)")
    parser.add_argument("--model", help="a model of yours to evaluate beside the baselines, for example openai/NAME")
    parser.add_argument("--base-url", help="base URL of its endpoint")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"length of a video, 1–600 seconds (default {SECONDS:g})"
    )
    parser.add_argument("--rate", type=int, default=RATE, help=f"frames a second, 1–60 (default {RATE})")
    parser.add_argument("--homes", type=int, default=HOMES, help=f"number of homes, from 1 (default {HOMES})")
    options = parser.parse_args()
    replace_unprintable()
    try:
        with told(), stoppable(), _nothing_half_written(options.out):
            demonstrate(**vars(options))
    except (KeyboardInterrupt, RunInterruptedError) as error:
        print(f"tolman: {STOPPED}", file=sys.stderr)
        sys.exit(getattr(error, "exit_code", RunInterruptedError.exit_code))
    except TolmanError as error:
        print(f"tolman: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except typer.BadParameter as error:
        print(f"tolman: {error.format_message()}", file=sys.stderr)
        sys.exit(2)


def demonstrate(
    out: Path, model: str | None = None, base_url: str | None = None, *,
    seconds: float = SECONDS, rate: int = RATE, homes: int = HOMES,
) -> None:  # fmt: skip
    """Simulate, generate, evaluate, report and explain, and say where the pages are.

    Args:
        out: folder of everything.
        model, base_url: a model to evaluate in addition to the baselines; it is shown the videos.
        seconds: length of a video.
        rate: frames a second.
        homes: how many; three rooms where the machine can't draw.

    Raises:
        TolmanError: as the commands.
    """
    if model is not None:
        check_name(model, base_url)  # before minutes of drawing
    bench = out / "bench" if out.is_absolute() else f"./{out / 'bench'}"
    with as_file(files("tolman.demo") / "rooms") as prepared:
        scenes = out / "scenes"
        try:
            drawn = ("--scenes", homes, "--seed", SEED, "--quality", "fast")
            _type("simulate", *drawn, "--seconds", seconds, "--rate", rate, "--out", scenes)
        except (NoDisplayError, MissingExtraError) as error:
            print(f"{error} Going on with three rooms that were drawn before.")
            scenes = prepared
        _type("generate", scenes, "--preset", "vsi-paper", "--out", out / "bench")
        folders: dict[str, Path] = {}
        for name in (*BASELINES, *([model] if model else [])):
            folder = out / "runs" / name.replace("/", "-")
            endpoint = ("--base-url", base_url) if name == model and base_url else ()
            try:
                _type("run", bench, "--model", name, *endpoint, "--scenes", scenes, "--out", folder)
            except MissingExtraError as error:
                if name != SEEING:
                    raise
                print(f"{error} Going on without {SEEING}.")
            else:
                folders[name] = folder
        _type("report", *folders.values(), shown=True)
        site, explained = out / "site", out / "explained"
        _type("report", *folders.values(), "--out", site)
        if SEEING in folders:
            _type("explain", folders[SEEING], "--scenes", scenes, "--out", explained, shown=True)
    print("\nA few homes show how it works; they are too few for a figure to quote.")
    print(f"Every item, with what was shown and a plan of the home: {site / 'index.html'}")
    if SEEING in folders:
        print(f"Where {SEEING} loses its points:\n{explained / 'index.html'}")


@contextmanager
def _nothing_half_written(out: Path) -> Iterator[None]:
    """Remove the partial output that a stopped command had begun to write under another name."""
    try:
        yield
    except (KeyboardInterrupt, RunInterruptedError):
        with uninterrupted():
            for path in sorted(out.rglob(".*.partial")):
                remove(path)
        raise


def _type(*arguments: object, shown: bool = False) -> None:
    """Show a command, and carry it out here; its output is shown if `shown`."""
    texts = [str(argument) for argument in arguments]
    print(f"\n$ tolman {shlex.join(texts)}", flush=True)
    with nullcontext() if shown else redirect_stdout(io.StringIO()):
        code = typer.main.get_command(app).main(texts, prog_name="tolman", standalone_mode=False)
    if code == RunInterruptedError.exit_code:  # Typer makes this number of Ctrl-C, and returns it
        raise KeyboardInterrupt


if __name__ == "__main__":
    main()
