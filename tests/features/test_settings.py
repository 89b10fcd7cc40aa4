"""Settings that several configs have are one setting; files written with them stay as they were."""

from pathlib import Path

import pytest

from tolman.errors import UsageError
from tolman.features.analyses.config import ErrorsConfig
from tolman.features.config import fields_of, judge_request, make, read_tables, write_config
from tolman.features.run.config import RunConfig, ScoreConfig

JUDGES = ("judge", "judge_base_url", "judge_body", "judge_sample")
BOTH = (*JUDGES, "data", "subset", "revision", "out", "store", "count_failures_as_wrong")
RUN = """\
[run]
benchmark = "vsi-bench"
model = "openai/m"
data = "released"
judge = "openai/j"
judge_base_url = "http://localhost/v1"
judge_body = "{\\"seed\\": 1}"
judge_sample = "5%"
prices = "prices.json"
store = "answers.sqlite"
count_failures_as_wrong = true
"""
SCORE = """\
[score]
responses = "answers.jsonl"
benchmark = "vsi-bench"
out = "scored"
judge = "openai/j"
judge_base_url = "http://localhost/v1"
judge_body = "{\\"seed\\": 1}"
judge_sample = "5%"
concurrency = 4
prices = "prices.json"
store = "answers.sqlite"
"""
"""What '--write-config' wrote when each config had settings of its own, below its first line."""


def test_a_setting_of_runs_and_of_scoring_is_one_setting() -> None:
    run, score = ({one.name: one for one in fields_of(kind)} for kind in (RunConfig, ScoreConfig))
    assert [name for name in BOTH if run[name].setting is not score[name].setting] == []
    assert [name for name in BOTH if run[name].default != score[name].default] == []
    errors = {one.name: one.setting for one in fields_of(ErrorsConfig)}
    assert [name for name in ("judge_base_url", "judge_body", "store") if errors[name] is not run[name].setting] == []


@pytest.mark.parametrize(("name", "kind", "text"), [("run", RunConfig, RUN), ("score", ScoreConfig, SCORE)])
def test_files_written_before_are_read_and_written_as_they_were(
    name: str, kind: type[RunConfig | ScoreConfig], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tolman.plugins._loaded", {})
    (tmp_path / "before.toml").write_text(text)
    (table,) = read_tables(tmp_path / "before.toml", name)
    config = make(kind, table)
    write_config(tmp_path / "again.toml", name, config)
    written = text.replace('responses = "answers.jsonl"', 'responses = [\n    "answers.jsonl",\n]')
    assert (tmp_path / "again.toml").read_text().split("\n\n", 1)[1] == written
    judging = judge_request(config, sample=config.judge_sample)
    assert judging is not None
    assert (judging.model, judging.options.base_url, judging.options.body) == (
        "openai/j", "http://localhost/v1", {"seed": 1},
    )  # fmt: skip
    assert (judging.store, judging.prices, str(judging.sample)) == ("answers.sqlite", Path("prices.json"), "5%")


def test_settings_of_a_judge_without_one_are_told_by_every_config() -> None:
    url = {"judge_base_url": "http://localhost/v1"}
    for config in (
        RunConfig(benchmark="b", model="m", **url),
        ScoreConfig(responses=Path("r"), **url),
        ErrorsConfig(runs=(Path("r"),), **url),
    ):
        with pytest.raises(UsageError, match="--judge-base-url without a judge; name it with --judge"):
            judge_request(config)
