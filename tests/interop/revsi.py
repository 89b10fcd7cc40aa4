"""Scores of ReVSI's authors' own metric, by their function; run where torch is installed.

Standard input is JSON: `source`, the text of their module, and `rows`, each a question type, a truth and a reply.
Standard output is the list of scores.
"""

from __future__ import annotations

import ast
import json
import sys
from types import SimpleNamespace
from typing import Any

import torch


def main() -> None:
    given = json.load(sys.stdin)
    (theirs,) = [node for node in ast.parse(given["source"]).body if isinstance(node, ast.ClassDef)]
    theirs.bases = []
    found: dict[str, Any] = {"torch": torch, "Dict": dict}
    exec(compile(ast.Module(body=[theirs], type_ignores=[]), "revsi.py", "exec"), found)
    metric = found[theirs.name]
    scores = []
    for number, (kind, truth, reply) in enumerate(given["rows"]):
        state = SimpleNamespace(
            mcq_question_types=metric.mcq_question_types,
            numeric_question_types=metric.numeric_question_types,
            gt_data={number: {"question_type": kind, "ground_truth": truth}},
            _mean_relative_accuracy=metric._mean_relative_accuracy,
            **{f"{kind}_acc": torch.tensor(0.0, dtype=torch.float64), f"{kind}_total": 0},
        )
        metric.update(state, {number: reply})
        scores.append(float(vars(state)[f"{kind}_acc"]))
    json.dump(scores, sys.stdout)


if __name__ == "__main__":
    main()
