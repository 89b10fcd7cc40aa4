"""The learner on frozen features of a language model: a small one with random weights, on the disk as others are."""

from pathlib import Path

import pytest

from leaking import by_length
from networks import write_llama
from tolman.analyze.outside.outside_learner import LearnerSettings
from tolman.analyze.outside.shortcut_audit import audit_with_learners
from tolman.errors import InputError
from tolman.scoring.rule_sets import careful

pytestmark = pytest.mark.full


def test_what_the_options_tell_is_read_from_its_features(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="language models need the extra 'local'")
    settings = LearnerSettings(0, write_llama(tmp_path / "model"))
    found = audit_with_learners(by_length(400, 1, 0.8), [], careful(), settings=settings, learners=["language-model"])
    (row,) = found.rows
    assert row.verdict == "FAIL"
    assert row.score is not None
    assert row.score > 0.4


def test_a_folder_without_a_language_model_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="language models need the extra 'local'")
    settings = LearnerSettings(0, tmp_path)
    with pytest.raises(InputError, match="holds no language model"):
        audit_with_learners(by_length(200, 1), [], careful(), settings=settings, learners=["language-model"])
