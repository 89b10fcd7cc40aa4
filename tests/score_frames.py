"""Frames of scores made by hand."""

from collections.abc import Iterable

import polars as pl

from tolman.scoring.score_items import SCHEMA


def score_frame(rows: Iterable[tuple[str, int, str, str, float]]) -> pl.DataFrame:
    """Scored rows of the rule set `careful` from (id, repeat, task, cluster, score)."""
    common = {"rule_set": "careful", "options": 4, "status": "scored", "reading": "", "note": ""}
    found = [
        {
            **common,
            "id": identity,
            "repeat": repeat,
            "task": task,
            "cluster": cluster,
            "guessed": False,
            "judged": False,
            "score": score,
            "expected": score,
        }
        for identity, repeat, task, cluster, score in rows
    ]
    return pl.DataFrame(found, schema=SCHEMA)
