"""What settings say about a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tolman.errors import UsageError
from tolman.workflows.values import json_object

if TYPE_CHECKING:
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest


class HasJudge(Protocol):
    """A config with a judge's settings (`tolman.workflows.settings`)."""

    @property
    def judge(self) -> str | None: ...
    @property
    def judge_base_url(self) -> str | None: ...
    @property
    def judge_body(self) -> str | None: ...
    @property
    def store(self) -> str | None: ...
    @property
    def prices(self) -> Path | None: ...


def judge_request(
    config: HasJudge, *, limits: Limits | None = None, sample: str | None = None, **options: Any
) -> JudgeRequest | None:
    """What the settings of a judge ask for; None without one.

    Args:
        config: names the judge, its endpoint, store and prices.
        limits: when to give up.
        sample: the setting --judge-sample, where the config has it.
        options: more of `ModelOptions`.

    Raises:
        UsageError: settings of a judge and no judge, or one that can't be read.
    """
    if config.judge is None:
        options_of_a_judge = {
            "--judge-base-url": config.judge_base_url,
            "--judge-body": config.judge_body,
            "--judge-sample": sample,
        }
        given = [option for option, value in options_of_a_judge.items() if value]
        if given:
            raise UsageError(f"{' and '.join(given)} without a judge; name it with --judge.")
        return None
    from tolman.models.base import ModelOptions
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest
    from tolman.scoring.judge_sample import SampleSize

    try:
        size = SampleSize() if sample is None else SampleSize.parse(sample)
    except ValueError:
        raise UsageError(f"--judge-sample takes a number such as 50 or a share such as 5%, not '{sample}'.") from None
    body = json_object(config.judge_body, "--judge-body")
    asked = ModelOptions(base_url=config.judge_base_url, body=body, **options)
    return JudgeRequest(config.judge, asked, limits or Limits(), config.store, config.prices, size)
