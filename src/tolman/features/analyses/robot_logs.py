"""Success rates of robot policies, from the result files of other programs.

A folder holds a folder for each model, named as the model is in the table or in the runs. Below it, these files count:

- `EVAL-….txt` and other text logs in the form of OpenVLA and openpi, with a line `Success: True` or `Success: False`
  for each episode; an episode that raised an exception has failed, as there (openvla, experiments/robot/libero);
- `eval_info.json` of LeRobot, with `per_task` and the `successes` of each task;
- `results/episode_N_final_res.json` of EmbodiedBench, with `task_success`;
- videos of SimplerEnv, `rob_…/success_obj_….mp4` and `rob_…/failure_obj_….mp4`; it writes no other result.

LIBERO's own `result.pt` is a pickle, which can run code when it is read; such files are named, not read.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError, counted
from tolman.scoring.clusters import Floats

Episode = tuple[str, bool]
"""The benchmark of an episode, and whether it was a success."""
_SUCCESS = re.compile(r"(?:^|\s)Success: (True|False)\s*$", re.MULTILINE)
_SUITE = re.compile(r"Task suite: (\S+)")
_TOTAL = re.compile(r"# episodes completed so far: (\d+)")
_SUITE_IN_NAME = re.compile(r"EVAL-([a-z]+(?:_[a-z0-9]+)*)-")
_ENVIRONMENTS = {
    "eb_alfred": "EB-ALFRED",
    "eb_habitat": "EB-Habitat",
    "eb_nav": "EB-Navigation",
    "eb_manipulation": "EB-Manipulation",
}
"""Folders of EmbodiedBench, and the titles that papers print."""
_PICKLES = ("result.pt", "*_auc.log")


def read_robot_logs(folder: Path) -> tuple[list[str], dict[str, Floats], list[str]]:
    """Read the success rates of all models below a folder.

    Returns:
        The models in alphabetical order; benchmark → success rates in per cent, shape (models,), nan where a model has
        no episode of it; and a remark on the episodes of each benchmark.

    Raises:
        InputError: there are fewer than two models, a model has no result, or a file is damaged.
    """
    models = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    if len(models) < 2:
        raise InputError(folder, "has no folder for each of two models or more", fix="make one, named as the model")
    episodes = {path.name: Counter(_episodes(path)) for path in models}
    benchmarks = sorted({benchmark for own in episodes.values() for benchmark, _ in own})
    numbers = {name: [own[name, True] + own[name, False] for own in episodes.values()] for name in benchmarks}
    rates = {
        name: np.array(
            [
                100 * own[name, True] / n if n else math.nan
                for own, n in zip(episodes.values(), numbers[name], strict=True)
            ]
        )
        for name in benchmarks
    }
    return list(episodes), rates, [_remark(name, own) for name, own in numbers.items()]


def _remark(name: str, numbers: list[int]) -> str:
    some = [n for n in numbers if n]
    least, most = min(some), max(some)
    of = counted(most, "episode") if least == most else f"{least:,} to {counted(most, 'episode')}"
    return f"{name}: success rates of {of}, of {len(some)} of {counted(len(numbers), 'model')}."


def _episodes(model: Path) -> list[Episode]:
    found: list[Episode] = []
    for pattern, read in _READERS.items():
        for path in sorted(model.rglob(pattern)):
            found += read(path)
    if found:
        return found
    pickles = [path for pattern in _PICKLES for path in sorted(model.rglob(pattern))]
    if pickles:
        raise InputError(pickles[0], "is a pickle, which isn't read", fix="write its success rates to a CSV instead")
    raise InputError(
        model,
        "holds no result of a robot",
        fix="looked for EVAL-….txt, eval_info.json, episode_N_final_res.json, videos",
    )


def _text_log(path: Path) -> Iterator[Episode]:
    text = path.read_text(encoding="utf-8", errors="replace")
    results = [found == "True" for found in _SUCCESS.findall(text)]
    totals = [int(found) for found in _TOTAL.findall(text)]
    if not results and not totals:
        return
    if totals and totals[-1] != len(results):
        raise InputError(
            path, f"counts {counted(totals[-1], 'episode')}, and {len(results):,} say whether they succeeded"
        )
    suite = _SUITE.search(text) or _SUITE_IN_NAME.search(path.name)
    if suite is None:
        raise InputError(path, "doesn't name its task suite", fix="name the file EVAL-SUITE-….txt")
    for result in results:
        yield suite[1], result


def _lerobot(path: Path) -> Iterator[Episode]:
    tasks = _json(path).get("per_task")
    if not isinstance(tasks, list):
        raise InputError(path, "has no list 'per_task'", fix="evaluate again with a newer LeRobot")
    for number, task in enumerate(tasks, start=1):
        try:
            group, successes = str(task["task_group"]), [_truth(one) for one in task["metrics"]["successes"]]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(path, "has no group or no successes that are true or false", row=number) from error
        for success in successes:
            yield group, success


def _embodied_bench(path: Path) -> Iterator[Episode]:
    name = next((title for part in path.parts[::-1] for key, title in _ENVIRONMENTS.items() if part == key), None)
    if name is None:
        raise InputError(path, "isn't below one of EmbodiedBench's folders", fix=f"keep {', '.join(_ENVIRONMENTS)}")
    try:
        yield name, _truth(_json(path)["task_success"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(path, "has no 'task_success' of 0 or 1") from error


def _simpler_env(path: Path) -> Iterator[Episode]:
    if path.parent.name.startswith("rob_"):
        yield path.parent.parent.name, path.name.startswith("success")


_READERS: dict[str, Callable[[Path], Iterator[Episode]]] = {
    "*.txt": _text_log,
    "eval_info.json": _lerobot,
    "episode_*_final_res.json": _embodied_bench,
    "success_obj_*.mp4": _simpler_env,
    "failure_obj_*.mp4": _simpler_env,
}


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})") from error
    if not isinstance(found, dict):
        raise InputError(path, "is no object of JSON")
    return found


def _truth(value: Any) -> bool:
    """Whether a result is a success. EmbodiedBench sometimes wraps it in a list.

    Raises:
        ValueError: it is neither 0 nor 1.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value not in (0, 1):
        raise ValueError(value)
    return bool(value)
