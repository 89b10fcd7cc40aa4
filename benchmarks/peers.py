"""What 300 text questions cost in Tolman and in other harnesses: whole processes, interleaved.

    python benchmarks/peers.py [evalscope inspect] [--pairs 3] [--questions 300]

Each harness is installed with pip in an environment of its own under the cache folder, which is kept. All ask a
loopback server that takes 0.2 s for an answer, 32 at a time. A ratio is Tolman's median over the harness's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from runs import TOLMAN, measure, publish, server
from tolman.files import cache_folder
from tolman.items import Item

LATENCY = 0.2
IN_FLIGHT = 32
INSPECT_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

@task
def text():
    return Task(dataset=json_dataset("inspect.jsonl"), solver=multiple_choice(), scorer=choice())
"""


def environment(name: str, packages: tuple[str, ...]) -> Path:
    """The programs of an environment with some packages, installed once."""
    folder = cache_folder() / "peers" / name
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *packages], check=True)
        (folder / "complete").touch()
    return folder / "bin"


def evalscope(place: Path, questions: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of EvalScope, whose questions are written."""
    (place / "mcq").mkdir()
    rows = [{"question": f"Question {i}?", "A": "x", "B": "y", "answer": "A"} for i in range(questions)]
    (place / "mcq" / "text_val.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments = {"general_mcq": {"local_path": str(place / "mcq"), "subset_list": ["text"]}}
    program = environment("evalscope", ("evalscope",)) / "evalscope"
    return lambda repeat: [
        str(program), "eval", "--model", "m", "--eval-type", "openai_api", "--api-url", url, "--api-key", "none",
        "--datasets", "general_mcq", "--dataset-args", json.dumps(arguments), "--eval-batch-size", str(IN_FLIGHT),
        "--work-dir", str(place / f"evalscope-{repeat}"),
    ]  # fmt: skip


def inspect(place: Path, questions: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of Inspect, whose questions are written."""
    rows = [{"input": f"Question {i}?", "choices": ["x", "y"], "target": "A"} for i in range(questions)]
    (place / "inspect.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (place / "text.py").write_text(INSPECT_TASK)
    program = environment("inspect", ("inspect-ai", "openai")) / "inspect"
    return lambda repeat: [
        "env", f"OPENAI_BASE_URL={url}", str(program), "eval", "text.py", "--model", "openai/m", "--max-connections",
        str(IN_FLIGHT), "--log-dir", f"inspect-{repeat}", "--display", "none",
    ]  # fmt: skip


def tolman(place: Path, questions: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of Tolman, whose questions are written."""
    publish(
        place / "text",
        [
            Item(id=f"{i}", question=f"Question {i}?", kind="choice", answer="A", options=("x", "y"), task="t")
            for i in range(questions)
        ],
    )
    return lambda repeat: [
        TOLMAN, "run", "./text", "--model", "openai/m", "--base-url", url, "--concurrency", str(IN_FLIGHT),
        "--store", f"answers-{repeat}.sqlite", "--out", f"run-{repeat}",
    ]  # fmt: skip


PEERS = {"evalscope": evalscope, "inspect": inspect}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="|".join(PEERS), help="default: all")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--questions", type=int, default=300)
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tolman-peers-")))
        url = stack.enter_context(server(LATENCY))
        own = tolman(place, options.questions, url)
        harnesses = {name: PEERS[name](place, options.questions, url) for name in options.peers or PEERS}
        harnesses = {"tolman": own, **harnesses}
        costs: dict[str, list[tuple[float, float]]] = {name: [] for name in harnesses}
        for repeat in range(options.pairs):
            for name, command in harnesses.items():
                costs[name].append(measure(command(repeat), place)[:2])
    medians = {name: [statistics.median(column) for column in zip(*own, strict=True)] for name, own in costs.items()}
    print("| harness | wall | CPU | Tolman's wall over it | Tolman's CPU over it |\n|---|---:|---:|---:|---:|")
    for name, (wall, cpu) in medians.items():
        ratios = [ours / theirs for ours, theirs in zip(medians["tolman"], (wall, cpu), strict=True)]
        print(f"| {name} | {wall:.1f} s | {cpu:.1f} s | {ratios[0]:.2f} | {ratios[1]:.2f} |")


if __name__ == "__main__":
    main()
