"""What text questions cost in Tolman and in other harnesses: whole processes, interleaved.

    python benchmarks/peers.py [evalscope inspect lmms-eval] [--pairs 3] [--questions 2000] [--in-flight 64]

Each harness is installed with pip in an environment of its own under the cache folder, which is kept. All ask a
loopback server that takes 0.2 s for an answer. A harness that didn't get all answers ends the script. A ratio is
Tolman's median over the harness's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from runs import TOLMAN, measure, publish, server
from tolman.files import cache_folder
from tolman.items import Item

LATENCY = 0.2
INSPECT_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

@task
def text():
    return Task(dataset=json_dataset("inspect.jsonl"), solver=multiple_choice(), scorer=choice())
"""


LMMS_TASK = """
task: asked
dataset_path: json
dataset_kwargs: {data_files: {test: lmms.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}\\nA. x\\nB. y\\nAnswer with the letter."
doc_to_target: answer
generation_kwargs: {max_new_tokens: 16, temperature: 0}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""


def environment(name: str, packages: tuple[str, ...]) -> Path:
    """The programs of an environment with some packages, installed once."""
    folder = cache_folder() / "peers" / name
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *packages], check=True)
        (folder / "complete").touch()
    return folder / "bin"


def answered(url: str) -> int:
    """How many requests the server answered so far."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return int(json.load(reply)["answered"])


def evalscope(place: Path, questions: int, in_flight: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of EvalScope, whose questions are written."""
    (place / "mcq").mkdir()
    rows = [{"question": f"Question {i}?", "A": "x", "B": "y", "answer": "A"} for i in range(questions)]
    (place / "mcq" / "text_val.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments = {"general_mcq": {"local_path": str(place / "mcq"), "subset_list": ["text"]}}
    program = environment("evalscope", ("evalscope",)) / "evalscope"
    return lambda repeat: [
        str(program), "eval", "--model", "m", "--eval-type", "openai_api", "--api-url", url, "--api-key", "none",
        "--datasets", "general_mcq", "--dataset-args", json.dumps(arguments), "--eval-batch-size", str(in_flight),
        "--work-dir", str(place / f"evalscope-{repeat}"),
    ]  # fmt: skip


def inspect(place: Path, questions: int, in_flight: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of Inspect, whose questions are written."""
    rows = [{"input": f"Question {i}?", "choices": ["x", "y"], "target": "A"} for i in range(questions)]
    (place / "inspect.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (place / "text.py").write_text(INSPECT_TASK)
    program = environment("inspect", ("inspect-ai", "openai")) / "inspect"
    return lambda repeat: [
        "env", f"OPENAI_BASE_URL={url}", str(program), "eval", "text.py", "--model", "openai/m",
        "-M", "responses_api=false", "--max-connections", str(in_flight), "--log-dir", f"inspect-{repeat}",
        "--display", "none",
    ]  # fmt: skip


def lmms_eval(place: Path, questions: int, in_flight: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of lmms-eval, whose questions are written."""
    (place / "lmms").mkdir()
    rows = [{"question": f"Question {i}?", "answer": "A"} for i in range(questions)]
    (place / "lmms.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (place / "lmms" / "asked.yaml").write_text(LMMS_TASK)
    program = environment("lmms-eval", ("lmms-eval", "openai")) / "lmms-eval"
    model = f"model_version=m,base_url={url},api_key=none,num_cpus={in_flight}"
    return lambda repeat: [
        "env", f"HF_HOME={place / 'hf'}", str(program), "--model", "async_openai", "--model_args", model, "--tasks",
        "asked", "--include_path", "lmms", "--batch_size", "1", "--output_path", f"lmms-{repeat}",
    ]  # fmt: skip


def tolman(place: Path, questions: int, in_flight: int, url: str) -> Callable[[int], list[str]]:
    """The command of a repeat of Tolman, whose questions are written."""
    publish(
        place / "text",
        [
            Item(id=f"{i}", question=f"Question {i}?", kind="choice", answer="A", options=("x", "y"), task="t")
            for i in range(questions)
        ],
    )
    return lambda repeat: [
        TOLMAN, "run", "./text", "--model", "openai/m", "--base-url", url, "--concurrency", str(in_flight),
        "--store", f"answers-{repeat}.sqlite", "--out", f"run-{repeat}",
    ]  # fmt: skip


PEERS = {"evalscope": evalscope, "inspect": inspect, "lmms-eval": lmms_eval}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="|".join(PEERS), help="default: all")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tolman-peers-")))
        url = stack.enter_context(server(LATENCY))
        makers = {"tolman": tolman, **{name: PEERS[name] for name in options.peers or PEERS}}
        harnesses = {name: make(place, options.questions, options.in_flight, url) for name, make in makers.items()}
        costs: dict[str, list[tuple[float, float]]] = {name: [] for name in harnesses}
        for repeat in range(options.pairs):
            for name, command in harnesses.items():
                before = answered(url)
                costs[name].append(measure(command(repeat), place)[:2])
                if answered(url) - before < options.questions:
                    raise SystemExit(f"{name} asked {answered(url) - before} of {options.questions} questions.")
                print(f"{name}: {costs[name][-1]}, load {os.getloadavg()[0]:.0f}", file=sys.stderr, flush=True)
    medians = {name: [statistics.median(column) for column in zip(*own, strict=True)] for name, own in costs.items()}
    print("| harness | wall | CPU | Tolman's wall over it | Tolman's CPU over it |\n|---|---:|---:|---:|---:|")
    for name, (wall, cpu) in medians.items():
        ratios = [ours / theirs for ours, theirs in zip(medians["tolman"], (wall, cpu), strict=True)]
        print(f"| {name} | {wall:.1f} s | {cpu:.1f} s | {ratios[0]:.2f} | {ratios[1]:.2f} |")


if __name__ == "__main__":
    main()
