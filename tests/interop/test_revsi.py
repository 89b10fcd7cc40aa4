"""ReVSI's `official` against the metric that its authors released (torchmetrics_ext), run with torch."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path

import pytest

from interop import replies
from interop.released import source_of
from interop.test_released_readers import REPLIES, SEED, choice, number
from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.score_items import score

pytestmark = pytest.mark.interop

VARIABLE = "TOLMAN_INTEROP"
CHOICE, NUMBER = "object_rel_distance_closest", "object_abs_distance"


def test_official_scores_as_its_authors_do() -> None:
    python = Path(os.environ.get(VARIABLE, "")) / "bin" / "python"
    if VARIABLE not in os.environ or not python.is_file():
        pytest.skip(f"`make test-interop` sets {VARIABLE} to an environment with torch")
    source = source_of("eamonn-zh/torchmetrics_ext", "src/torchmetrics_ext/metrics/vqa/revsi.py")
    rng = random.Random(SEED)
    items: list[Item] = []
    told: list[str] = []
    for maker, make, kind in ((replies.letters, choice, CHOICE), (replies.numbers, number, NUMBER)):
        for reply in replies.made(maker, REPLIES, SEED):
            items.append(make(rng).model_copy(update={"id": str(len(items)), "task": kind}))
            told.append(reply)
    rows = [(item.task, item.answer, reply) for item, reply in zip(items, told, strict=True)]
    ran = subprocess.run(
        [python, Path(__file__).with_name("revsi.py")],
        input=json.dumps({"source": source, "rows": rows}),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(ran.stdout)
    answers = [Response(id=item.id, response=reply) for item, reply in zip(items, told, strict=True)]
    ours = score(items, answers, [benchmarks.get("revsi").rule_set("official")])["score"].fill_null(0).to_list()
    differing = [
        (item, reply, own, other)
        for item, reply, own, other in zip(items, told, ours, theirs, strict=True)
        if not math.isclose(own, other, abs_tol=1e-9) and not (item.task == NUMBER and _on_a_threshold(item, reply))
    ]
    assert sum(map(bool, theirs)) > 100  # the first word alone is read
    assert not differing, f"{len(differing)} differ\n" + "\n".join(map(str, differing[:10]))


def _on_a_threshold(item: Item, reply: str) -> bool:
    """Whether the relative error is a multiple of 0.05: there torch's thresholds and numpy's differ by rounding.

    The authors' task for lmms-eval, which `official` is, has numpy's.
    """
    error = abs(float(reply.split(" ")[0].rstrip(".")) - float(item.answer)) / float(item.answer)
    return math.isclose(error * 20, round(error * 20), abs_tol=1e-9)
