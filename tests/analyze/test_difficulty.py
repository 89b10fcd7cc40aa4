"""Difficulty of items: planted parameters are found, also by few models, and nothing is said where data say nothing."""

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from score_frames import score_frame
from tolman.analyze.difficulty import (
    DifficultyResult,
    bank_of,
    difficulties,
    fit,
    predicted_difficulty,
)
from tolman.analyze.observer_answers import AnswerTable
from tolman.errors import UsageError
from tolman.scoring.adaptive_testing import read_bank
from tolman.scoring.clusters import Floats


def planted(models: int, items: int, slopes: float = 0.0, seed: int = 1) -> tuple[Floats, Floats, Floats]:
    """Scores of planted 2PL models with some unanswered items, abilities, and difficulties."""
    generator = np.random.default_rng(seed)
    abilities, hard = generator.normal(-0.3, 0.8, models), generator.normal(0, 1.2, items)
    steep = np.exp(slopes * generator.normal(size=items))
    right = generator.random((models, items)) < 1 / (1 + np.exp(-steep * (abilities[:, None] - hard)))
    return np.where(generator.random(right.shape) < 0.1, math.nan, right), abilities, hard


@pytest.mark.parametrize("models", [8, 30])
def test_rasch_finds_planted_parameters_and_states_its_error(models: int) -> None:
    scores, abilities, hard = planted(models, 500)
    rasch, _ = fit(scores)
    assert rasch.difficulties == pytest.approx(1.2, abs=0.15)
    assert np.abs(rasch.abilities - abilities).max() < 0.45
    off = (hard - rasch.difficulty) / rasch.error
    assert off.std() == pytest.approx(1, abs=0.12)
    assert (np.abs(off) < 1.96).mean() == pytest.approx(0.95, abs=0.03)
    assert np.corrcoef(hard, rasch.difficulty)[0, 1] > (0.75 if models == 8 else 0.9)


def test_discriminations_are_found_where_they_differ_only() -> None:
    found = {}
    for slopes in (0.0, 0.5):
        rasch, other = fit(planted(25, 400, slopes)[0])
        found[slopes] = other.slopes, 2 * (other.likelihood - rasch.likelihood)
    assert found[0.0][0] < 0.25
    assert found[0.0][1] < 2.7
    assert found[0.5][0] == pytest.approx(0.5, abs=0.15)
    assert found[0.5][1] > 15


def test_scores_between_0_and_1_vary_less_and_so_say_more() -> None:
    scores, _, hard = planted(10, 300)
    generator = np.random.default_rng(0)
    chance = 1 / (1 + np.exp(-(np.linspace(-1, 1, 10)[:, None] - hard)))
    parts = np.mean(generator.random((5, *chance.shape)) < chance, axis=0)
    whole, fifths = fit(scores)[0], fit(parts)[0]
    assert whole.noise == 1
    assert fifths.noise == pytest.approx(0.2, abs=0.03)
    assert fifths.error.mean() < 0.7 * whole.error.mean()


def frames(scores: Floats, task: str = "t") -> list[pl.DataFrame]:
    return [
        score_frame((str(i), 0, task, f"s{i}", own) for i, own in enumerate(row.tolist()) if not math.isnan(own))
        for row in scores
    ]


def test_the_bank_holds_what_was_fitted_and_is_read_again(tmp_path: Path) -> None:
    scores, _, hard = planted(12, 200)
    few = frames(scores[:, :10], "few")
    models = [
        pl.concat([one, other.with_columns(id="f" + pl.col("id"))])
        for one, other in zip(frames(scores), few, strict=True)
    ]
    tasks, rows = difficulties(models, {str(i): value for i, value in enumerate(hard.tolist())})
    assert tasks["few"].reason == "10 items answered by 12 models; a fit needs 20 and 4"
    assert tasks["t"].used_name == "Rasch"
    assert tasks["t"].predicted is not None
    assert tasks["t"].predicted.spearman > 0.75
    result = DifficultyResult([f"m{k}" for k in range(12)], "careful", tasks, rows, {})
    bank = bank_of(result, "b", "all", "0123")
    (tmp_path / "bank.json").write_text(bank.model_dump_json())
    assert read_bank(tmp_path / "bank.json") == bank
    assert set(bank.tasks) == {"t"}
    assert len(bank.items) == 200
    assert rows.filter(pl.col("task") == "few")["difficulty"].null_count() == 10


def test_too_few_models_are_refused_and_equal_items_have_no_difficulty() -> None:
    scores, _, _ = planted(3, 50)
    with pytest.raises(UsageError, match="answers of 4 models or more, not of 3"):
        difficulties(frames(scores), {})
    generator = np.random.default_rng(2)
    alike = (generator.random((6, 300)) < np.linspace(0.2, 0.8, 6)[:, None]).astype(float)
    reliability = fit(alike)[0]
    assert reliability.difficulties < 0.35
    with pytest.raises(UsageError, match="no question type can be fitted: 10 items answered by 4 models"):
        difficulties(frames(planted(4, 10)[0]), {})


def test_items_that_noise_leaves_right_are_predicted_easy() -> None:
    def table(margin: float) -> AnswerTable:
        noise = np.array([0.0, 0.1, 0.3, 1.0])
        right = 0.5 + 0.5 * np.exp(-noise / margin)
        chances = np.stack([right, 1 - right], axis=-1)[:, None]
        return AnswerTable("i", "t", "s", "position", chances, np.array([0.5, 0.5]), np.array([1.0, 0.0]), 1.0)

    values = [predicted_difficulty(table(margin)) for margin in (0.05, 0.3, 2.0)]
    assert values == sorted(values, reverse=True)
    mean = (0.5 + 0.5 * np.exp(-np.array([0.1, 0.3, 1.0]) / 0.3)).mean()
    assert values[1] == pytest.approx(-math.log(mean / (1 - mean)))
