"""Local files that are missing are told before anything is fetched."""

from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.features.generate.audit import audit
from tolman.features.generate.config import AuditConfig
from tolman.features.run.config import ScoreConfig
from tolman.features.run.score_responses import score


@pytest.fixture(autouse=True)
def nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **settings: object) -> None:
        raise AssertionError("asked the hub")

    monkeypatch.setattr("tolman.benchmarks.hub.fetch", refuse)


def test_responses_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.jsonl: does not exist; give a file of responses, or a run's folder"):
        score(ScoreConfig(responses=(tmp_path / "none.jsonl",), benchmark="vsi-bench"))


def test_scenes_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: does not exist; give the folder of the benchmark's scenes"):
        audit(AuditConfig(benchmark="vsi-bench", scenes=tmp_path / "none", out=tmp_path / "audit"))
