"""`tolman generate` and `tolman audit` as a user types them."""

import json
import subprocess
from pathlib import Path

import pytest

import terminal


def tolman(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return terminal.tolman(place, *arguments, COLUMNS="200")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """A folder with a tenth of the scenes, and their questions."""
    folder = tmp_path_factory.mktemp("construction")
    (folder / "scenes").mkdir()
    kept = {}
    for path in (shared_data / "vsi-bench" / "meta_info").glob("*.json"):
        records = dict(list(json.loads(path.read_text()).items())[:10])
        kept.update({name: record["dataset"] for name, record in records.items()})
        (folder / "scenes" / path.name).write_text(json.dumps(records))
    import polars as pl

    questions = pl.read_parquet(shared_data / "vsi-bench" / "test-00000-of-00001.parquet")
    (folder / "data").mkdir()
    questions.filter(pl.col("scene_name").is_in(list(kept))).write_parquet(folder / "data" / "test-0.parquet")
    return folder


def test_generate_run_and_oracle(place: Path) -> None:
    made = tolman(place, "generate", "scenes", "--out", "mine")
    assert made.returncode == 0, made.stderr
    assert "questions from 30 scenes: mine. Evaluate with 'tolman run ./mine'." in made.stdout
    ran = tolman(place, "run", "./mine", "--model", "baseline/oracle", "--scenes", "scenes", "--out", "o", "--json")
    assert ran.returncode == 0, ran.stderr
    official = next(row for row in json.loads(ran.stdout)["rows"] if row["headline"])
    assert official["figures"]["rel_direction"]["value"] == 100
    assert official["figures"]["object_size"]["value"] == 100


def test_numbers_as_multiple_choice(place: Path) -> None:
    assert tolman(place, "generate", "scenes", "--out", "choices", "--choices", "--per-task", "20").returncode == 0
    ran = tolman(place, "run", "./choices", "--model", "baseline/most-frequent", "--out", "c", "--json")
    assert ran.returncode == 0, ran.stderr
    figures = json.loads(ran.stdout)["rows"][0]["figures"]
    assert figures["object_abs_distance"]["n"] == 20
    assert figures["object_abs_distance"]["value"] == pytest.approx(25, abs=5)


def test_audit_writes_findings_and_a_list_to_leave_out(place: Path) -> None:
    done = tolman(place, "audit", "vsi-bench", "--scenes", "scenes", "--data", "data", "--out", "found")
    assert done.returncode == 0, done.stderr
    assert "object_abs_distance" in done.stdout
    findings = [json.loads(line) for line in (place / "found" / "findings.jsonl").read_text().splitlines()]
    assert {f["status"] for f in findings} == {"agrees", "not checked"} | {
        f["status"] for f in findings if f["status"] == "differs"
    }
    doubtful = (place / "found" / "exclude.txt").read_text().split()
    assert doubtful == [f["id"] for f in findings if f["verdict"] == "answer in doubt"]
    assert all(f["doubts"] for f in findings if f["id"] in doubtful)
    strict = (place / "found" / "exclude-strict.txt").read_text().split()
    safe = [f["id"] for f in findings if f["verdict"] == "rule broken, answer safe"]
    assert doubtful
    assert safe
    assert sorted(strict) == sorted(doubtful + safe)
    assert f"The answers of {len(doubtful)} items are in doubt" in done.stdout
    assert f"{len(safe)} more break a rule, and their answers are safe" in done.stdout
    assert "two wrong options within 0.15 m of each other (safe)" in done.stdout
    summary = json.loads((place / "found" / "summary.json").read_text())["tasks"]
    assert sum(row["in_doubt"] for row in summary) == len(doubtful)
    assert sum(row["broken_but_safe"] for row in summary) == len(safe)
    ran = tolman(
        place, "run", "vsi-bench", "--data", "data", "--exclude", "found/exclude.txt", "--model", "baseline/random", "--out", "x"
    )  # fmt: skip
    assert f"{len(findings) - len(doubtful):,} of {len(findings):,} items (--exclude ({len(doubtful)}))" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["generate", "nowhere", "--out", "fresh"], "nowhere: holds no scenes-*.parquet and no scene meta-info"),
        (
            ["generate", "scenes", "--out", "fresh", "--preset", "vsi"],
            "there is no preset 'vsi'; known: vsi-paper, vsi-official",
        ),
        (["generate", "scenes", "--out", "scenes"], "scenes: holds other files"),
        (
            ["audit", "vsi-bench", "--scenes", "data", "--data", "data"],
            "data: holds no scenes-*.parquet and no scene meta-info",
        ),
        (["run", "vsi-bench", "--data", "data", "--model", "baseline/oracle"], "give their folder with --scenes"),
    ],
)
def test_a_typo_is_one_sentence(place: Path, arguments: list[str], sentence: str) -> None:
    done = tolman(place, *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_filtering_can_be_left_out(place: Path) -> None:
    rounds = {}
    for name, arguments in (("filtered", []), ("raw", ["--filter-rounds", "0"])):
        made = tolman(place, "generate", "scenes", "--families", "size", "--out", name, *arguments)
        assert made.returncode == 0, made.stderr
        rounds[name] = json.loads((place / name / "provenance.json").read_text())["preset"]["share"]["turns"]
    assert rounds == {"filtered": 10, "raw": 0}
    assert "shortcut filtering was off" in (place / "raw" / "README.md").read_text()
    assert "shortcut filtering was off" not in (place / "filtered" / "README.md").read_text()


@pytest.mark.parametrize(
    ("preset", "task", "reason"),
    [
        ("vsi-paper", "object_counting", "no object with a box"),
        ("mmsi", "Motion (Cam.)", "no object with a box"),
        ("site", "view_association_ego_to_exo", "no exocentric recording: none has a role that begins with 'exo'"),
        ("spatialbench", "affordance", "no object with a box"),
        ("all", "Motion (Cam.)", "no object with a box"),
    ],
)
def test_why_nothing_can_be_asked(preset: str, task: str, reason: str, tmp_path: Path) -> None:
    """A video with exact poses and no boxes: a table of reasons, and the most frequent ones in the error."""
    pytest.importorskip("shapely", reason="the families need the extra 'generate'")
    from generate.test_reasons import write_kitchen

    write_kitchen(tmp_path / "kitchen")
    done = tolman(tmp_path, "generate", "kitchen", "--preset", preset, "--out", "mine")
    assert done.returncode == 2
    (row,) = (line for line in done.stdout.splitlines() if line.startswith(f"{task} "))
    assert row.rstrip().endswith(reason)
    assert f"no question can be asked of the one scene under the preset '{preset}': " in done.stderr
    assert reason in done.stderr
    assert not (tmp_path / "mine").exists()


def test_bad_scenes_are_named_and_skipped(place: Path) -> None:
    (place / "bad").mkdir()
    path = next((place / "scenes").glob("scannet_*.json"))
    records = json.loads(path.read_text())
    first = next(iter(records))
    records[first]["object_bbox"] = {}
    (place / "bad" / path.name).write_text(json.dumps(records))
    done = tolman(place, "generate", "bad", "--out", "some")
    assert done.returncode == 0, done.stderr
    assert f"skipped: scannet/{first}: it has no usable object" in done.stdout
    assert json.loads((place / "some" / "provenance.json").read_text())["statistics"]["skipped"]
    (place / "none").mkdir()
    (place / "none" / path.name).write_text(json.dumps({first: records[first]}))
    none = tolman(place, "generate", "none", "--out", "nothing")
    assert none.returncode == 2
    assert "none: holds no usable scene" in none.stderr
