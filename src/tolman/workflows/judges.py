"""What settings say about a judge, and JSON objects in settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError
from tolman.workflows.values import json_object

if TYPE_CHECKING:
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest


def judge_request(
    model: str | None,
    base_url: str | None,
    body: str | None,
    store: Path | str | None,
    prices: Path | None,
    *,
    limits: Limits | None = None,
    sample: str | None = None,
    **options: Any,
) -> JudgeRequest | None:
    """What the settings of a judge ask for; None without one.

    Args:
        model, base_url, body, store, prices, sample: the settings of these names, '--judge-…'.
        limits: when to give up.
        options: more of `ModelOptions`.

    Raises:
        UsageError: settings of a judge and no judge, or one that can't be read.
    """
    from tolman.models.base import ModelOptions
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest
    from tolman.scoring.judge_sample import SampleSize

    if model is None:
        options_of_a_judge = {"--judge-base-url": base_url, "--judge-body": body, "--judge-sample": sample}
        given = [option for option, value in options_of_a_judge.items() if value]
        if given:
            raise UsageError(f"{' and '.join(given)} without a judge; name it with --judge.")
        return None
    try:
        size = SampleSize() if sample is None else SampleSize.parse(sample)
    except ValueError:
        raise UsageError(f"--judge-sample takes a number such as 50 or a share such as 5%, not '{sample}'.") from None
    asked = ModelOptions(base_url=base_url, body=json_object(body, "--judge-body"), **options)
    return JudgeRequest(model, asked, limits or Limits(), store, prices, size)
