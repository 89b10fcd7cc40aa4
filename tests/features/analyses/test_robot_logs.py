"""Result files of robot policies: each form, damaged files, and their place in a correlation."""

import json
from pathlib import Path

import numpy as np
import pytest

from tolman.errors import InputError, UsageError
from tolman.features.analyses.config import CorrelationConfig
from tolman.features.analyses.model_analyses import analyze_correlation
from tolman.features.analyses.robot_logs import read_robot_logs

MODELS = {"a": 1, "b": 3, "c": 4, "d": 7}
"""Successes of ten episodes."""


def openvla(path: Path, successes: int, episodes: int = 10, *, prefix: str = "", suite: str = "libero_spatial") -> None:
    lines = [f"Task suite: {suite}"] if suite else []
    for n in range(episodes):
        lines += [f"{prefix}Starting episode {n + 1}...", *(["Caught exception: no plan"] if n == 9 else [])]
        lines += [f"{prefix}Success: {n < successes}", f"{prefix}# episodes completed so far: {n + 1}"]
        lines += [f"{prefix}# successes: {min(n + 1, successes)} (0.0%)"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "Current total success rate: 0.5"]) + "\n")


def embodied(folder: Path, successes: int, episodes: int = 10) -> None:
    for n in range(episodes):
        path = folder / "eb_nav" / "m_exp" / ("base" if n % 2 else "long_horizon") / "results"
        path.mkdir(parents=True, exist_ok=True)
        value = int(n < successes)
        content = {"task_success": [value] if n == 0 else float(value), "num_steps": 4}
        (path / f"episode_{n}_final_res.json").write_text(json.dumps(content))


def lerobot(path: Path, successes: int, episodes: int = 10) -> None:
    tasks = [
        {"task_group": "libero_goal", "task_id": half, "metrics": {"successes": [n < successes for n in own]}}
        for half, own in enumerate((range(episodes // 2), range(episodes // 2, episodes)))
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"per_task": tasks, "overall": {"pc_success": float("nan")}}))


def simpler(folder: Path, successes: int, episodes: int = 10) -> None:
    for n in range(episodes):
        path = folder / "widowx_spoon" / f"rob_0.1_{n}_rot_0_0_0_rgb_overlay_None"
        path.mkdir(parents=True, exist_ok=True)
        name = "success" if n < successes else "failure"
        (path / f"{name}_obj_0.1_{n}_moved_correct_obj_True.mp4").write_bytes(b"")


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    folder = tmp_path / "robots"
    for model, successes in MODELS.items():
        openvla(folder / model / "EVAL-libero_spatial-openvla-2026.txt", successes)
        embodied(folder / model / "running", successes)
        lerobot(folder / model / "eval_info.json", successes)
        if model != "a":
            simpler(folder / model / "videos", successes)
    return folder


def test_every_form_gives_its_success_rates(robots: Path) -> None:
    models, rates, remarks = read_robot_logs(robots)
    assert models == list(MODELS)
    assert set(rates) == {"EB-Navigation", "libero_goal", "libero_spatial", "widowx_spoon"}
    for name, own in rates.items():
        wanted = [np.nan if name == "widowx_spoon" and model == "a" else 10.0 * n for model, n in MODELS.items()]
        np.testing.assert_allclose(own, wanted)
    assert "libero_spatial: success rates of 10 episodes, of 4 of 4 models." in remarks
    assert "widowx_spoon: success rates of 10 episodes, of 3 of 4 models." in remarks


def test_logs_of_several_seeds_are_pooled_and_openpi_is_read(tmp_path: Path) -> None:
    openvla(tmp_path / "a" / "EVAL-libero_10-openvla-x--seed-1.txt", 2, suite="")
    openvla(tmp_path / "a" / "EVAL-libero_10-openvla-x--seed-2.txt", 4, suite="")
    openvla(tmp_path / "b" / "log.txt", 5, 5, prefix="INFO:root:" + " ", suite="libero_10")
    (tmp_path / "b" / "notes.txt").write_text("Success: we are happy\n")
    _, rates, remarks = read_robot_logs(tmp_path)
    assert rates["libero_10"].tolist() == [30.0, 100.0]
    assert remarks == ["libero_10: success rates of 5 to 20 episodes, of 2 of 2 models."]


def test_damaged_files_are_one_sentence(robots: Path) -> None:
    log = robots / "a" / "EVAL-libero_spatial-openvla-2026.txt"
    whole = log.read_text()
    log.write_text(whole.replace("Success: True\n", "", 1))
    with pytest.raises(InputError, match="counts 10 episodes, and 9 say whether they succeeded"):
        read_robot_logs(robots)
    log.rename(log.with_name("log.txt"))
    log.with_name("log.txt").write_text(whole.replace("Task suite: libero_spatial\n", ""))
    with pytest.raises(InputError, match="doesn't name its task suite"):
        read_robot_logs(robots)
    log.with_name("log.txt").unlink()
    info = robots / "a" / "eval_info.json"
    for text, problem in (
        ("{", "is no JSON"), ("[]", "is no object"), ('{"aggregated": {}}', "has no list 'per_task'"),
        ('{"per_task": [{"task_group": "g", "metrics": {"successes": [2]}}]}', "row 1: has no group or no successes"),
    ):  # fmt: skip
        info.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_robot_logs(robots)


def test_pickles_are_named_and_not_read(tmp_path: Path) -> None:
    for model in "ab":
        (tmp_path / model).mkdir()
        (tmp_path / model / "result.pt").write_bytes(b"\x80\x04.")
    with pytest.raises(InputError, match=r"result\.pt.*is a pickle, which isn't read"):
        read_robot_logs(tmp_path)
    (tmp_path / "a" / "result.pt").unlink()
    with pytest.raises(InputError, match="holds no result of a robot"):
        read_robot_logs(tmp_path)


def test_robots_are_correlated_and_a_column_is_held_fixed(robots: Path) -> None:
    found = analyze_correlation(CorrelationConfig(table=robots, score="EB-Navigation", against=("libero_spatial",)))
    assert found.correlations["libero_spatial"].pearson == pytest.approx(1)
    assert any("EB-Navigation: success rates of 10 episodes" in mark for mark in found.marks)
    with pytest.raises(UsageError, match="'libero_goal' can't be both correlated and held fixed"):
        analyze_correlation(
            CorrelationConfig(table=robots, score="EB-Navigation", against=("libero_goal",), control=("libero_goal",))
        )
