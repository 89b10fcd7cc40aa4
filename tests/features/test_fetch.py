"""`tolman fetch`: questions and media of a subset, the lock file, stopping and going on."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import fake_hub
from fake_hub import LATER, FakeHub, Repository
from tolman import benchmarks
from tolman.benchmarks.fetching.lock import read_lock
from tolman.cli import app
from tolman.errors import InputError, RunInterruptedError, UnknownFieldWarning, UsageError
from tolman.features.catalogue.compute import fetch
from tolman.features.catalogue.config import FetchConfig
from tolman.features.config import make
from tolman.features.events import Advanced, Began, Event, Noted
from tolman.runs.run_items import load

EXTRACT = Path(__file__).parents[1] / "extracts" / "vsi_bench_extract.jsonl"
ROWS = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()]
NAME = "nyu-visionx/VSI-Bench"


def lines(rows: list[dict[str, object]]) -> bytes:
    """As JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def archive(dataset: str) -> bytes:
    """Of its videos, 500 bytes each, and a large one that no question names."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        for scene in sorted({row["scene_name"] for row in ROWS if row["dataset"] == dataset}):
            opened.writestr(f"{dataset}/{scene}.mp4", bytes(500))
        opened.writestr(f"{dataset}/large.mp4", os.urandom(300_000))
    return content.getvalue()


@pytest.fixture
def commit() -> str:
    source = benchmarks.get("vsi-bench").hub
    assert source is not None
    return source.revision


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: str) -> Iterator[FakeHub]:
    """VSI-Bench as released, with the questions of two of its three data sets."""
    rows = [row for row in ROWS if row["dataset"] != "scannetpp"]
    with fake_hub.serving() as server:
        fake_hub.use(server, tmp_path, monkeypatch)
        monkeypatch.chdir(tmp_path)
        files = {f"{name}.zip": archive(name) for name in ("arkitscenes", "scannet", "scannetpp")}
        server.repositories[NAME] = Repository({commit: {"README.md": b"# VSI\n", "test.jsonl": lines(rows), **files}})
        yield server


def test_questions_and_the_media_that_they_name_come_and_a_run_finds_them(
    hub: FakeHub, tmp_path: Path, commit: str
) -> None:
    told: list[Event] = []
    result = fetch(FetchConfig(benchmark="vsi-bench"), told.append)
    assert (result.repository, result.revision, result.items) == (
        NAME,
        commit,
        len(load("vsi-bench", None, None).items),
    )
    assert set(result.files) == {"test.jsonl", "arkitscenes.zip", "scannet.zip"}
    assert not hub.sent["scannetpp.zip"], "no question names it"
    assert result.media is not None
    assert result.fetched == sum(result.files.values())
    (steps,) = [[e for e in told if isinstance(e, Began) and e.what.startswith("fetching media")]]
    assert len(steps) == 1
    assert sum(event.count for event in told if isinstance(event, Advanced)) == sum(
        event.total or 0 for event in told if isinstance(event, Began)
    )
    loaded = load("vsi-bench", None, None)
    assert loaded.source == f"{NAME}@{commit}"
    assert loaded.media_folder() == result.media
    assert all((result.media / medium.path).is_file() for item in loaded.items for medium in item.media)
    hub.asked.clear()
    again = fetch(FetchConfig(benchmark="vsi-bench"))
    assert again.fetched == 0
    assert not hub.asked


MINDCUBE = {
    "id": "among_1", "category": ["x"], "type": "t", "meta_info": [], "gt_answer": "B",
    "question": "Where is it? A. Left B. Right", "images": ["other_all_image/among/1.jpg", "other_all_image/among/2.jpg"],
}  # fmt: skip


def packed_questions(answer: str = "B") -> bytes:
    """MindCube's data.zip: questions beside pictures."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        opened.writestr("data/raw/MindCube_tinybench.jsonl", json.dumps(MINDCUBE | {"gt_answer": answer}) + "\n")
        for path in MINDCUBE["images"]:
            opened.writestr(f"data/{path}", os.urandom(300))
    return content.getvalue()


def test_questions_in_an_archive_are_unpacked_before_they_are_read(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository({fake_hub.COMMIT: {"data.zip": packed_questions()}})
    hub.repositories["MLL-Lab/MindCube"] = repository
    done = fetch(FetchConfig(benchmark="mindcube"))
    assert (done.items, done.revision, list(done.files)) == (1, fake_hub.COMMIT, ["data.zip"])
    assert read_lock(tmp_path / "tolman.lock")["mindcube"].files.keys() == {"data.zip"}
    assert hub.asked["GET", f"/datasets/MLL-Lab/MindCube/resolve/{fake_hub.COMMIT}/data.zip"] == 1
    loaded = load("mindcube", None, None)
    (item,) = loaded.items
    assert loaded.source == f"MLL-Lab/MindCube@{fake_hub.COMMIT}"
    assert all((loaded.media_folder() / medium.path).is_file() for medium in item.media)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody there: what the machine has is enough
    assert load("mindcube", None, None).items == loaded.items
    assert fetch(FetchConfig(benchmark="mindcube")).items == 1


def test_all_shards_of_a_release_come_and_are_read(hub: FakeHub, commit: str) -> None:
    rows = [row for row in ROWS if row["dataset"] != "scannetpp"]
    shards = {}
    for number, own in enumerate((rows[:10], rows[10:])):
        content = io.BytesIO()
        pl.DataFrame(own, infer_schema_length=None).write_parquet(content)
        shards[f"test-{number:05d}-of-00002.parquet"] = content.getvalue()
    hub.repositories[NAME] = Repository({commit: shards})
    done = fetch(FetchConfig(benchmark="vsi-bench", media=False))
    assert (done.items, sorted(done.files)) == (len(rows), sorted(shards))
    hub.repositories[NAME] = Repository({LATER: dict(list(shards.items())[:1])})
    with pytest.raises(InputError, match=r"1 of 2 shards is read, test-00001-of-00002\.parquet is not"):
        fetch(FetchConfig(benchmark="vsi-bench", media=False, revision=LATER))


def test_an_archive_of_questions_that_is_not_the_locked_one_is_refused(hub: FakeHub, tmp_path: Path) -> None:
    hub.repositories["MLL-Lab/MindCube"] = Repository({fake_hub.COMMIT: {"data.zip": packed_questions()}})
    fetch(FetchConfig(benchmark="mindcube"))
    lock = tmp_path / "tolman.lock"
    text = lock.read_text(encoding="utf-8")
    lock.write_text(re.sub(r"sha256:\w{4}", "sha256:0000", text), encoding="utf-8")
    with pytest.raises(InputError, match=r"data\.zip"):
        load("mindcube", None, None)


def test_a_dry_run_says_what_would_come(hub: FakeHub, tmp_path: Path) -> None:
    result = fetch(FetchConfig(benchmark="vsi-bench"), dry_run=True)
    assert set(result.files) == {"test.jsonl", "arkitscenes.zip", "scannet.zip"}
    assert result.fetched == sum(result.files.values()) - result.files["test.jsonl"]
    assert not hub.sent["arkitscenes.zip"]
    assert result.lock is None
    assert not (tmp_path / "tolman.lock").exists()


def test_without_media_only_questions_come(hub: FakeHub) -> None:
    result = fetch(FetchConfig(benchmark="vsi-bench", media=False))
    assert (set(result.files), result.media) == ({"test.jsonl"}, None)


def test_runs_keep_to_the_state_of_the_lock_file_and_an_update_tells_what_changed(
    hub: FakeHub, tmp_path: Path, commit: str
) -> None:
    fetch(FetchConfig(benchmark="vsi-bench", media=False))
    state = read_lock(tmp_path / "tolman.lock")["vsi-bench"]
    assert (state.repository, state.revision, list(state.files)) == (NAME, commit, ["test.jsonl"])
    corrected = [{**row, "ground_truth": "7"} if row["question_type"] == "object_counting" else row for row in ROWS]
    hub.repositories[NAME].commits[LATER] = {"test.jsonl": lines(corrected)}
    assert fetch(FetchConfig(benchmark="vsi-bench", media=False)).revision == commit
    result = fetch(FetchConfig(benchmark="vsi-bench", media=False, update=True))
    assert (result.revision, result.changed) == (LATER, ("'test.jsonl' has another content",))
    loaded = load("vsi-bench", None, None)
    assert loaded.source == f"{NAME}@{LATER}"
    assert {item.answer for item in loaded.items if item.task == "object_counting"} == {"7"}
    assert load("vsi-bench", None, None, commit).source == f"{NAME}@{commit}"


def test_questions_that_changed_under_the_same_revision_are_refused_by_runs_too(hub: FakeHub, tmp_path: Path) -> None:
    result = fetch(FetchConfig(benchmark="vsi-bench", media=False))
    assert result.questions is not None
    file = (result.questions / "test.jsonl").resolve()
    file.write_bytes(file.read_bytes() + b"\n")
    for attempt in (
        lambda: load("vsi-bench", None, None),
        lambda: fetch(FetchConfig(benchmark="vsi-bench", media=False)),
    ):
        with pytest.raises(
            InputError, match=r"tolman\.lock, field 'vsi-bench': the file 'test\.jsonl' of .* has the hash"
        ):
            attempt()


def test_a_new_column_is_a_note(hub: FakeHub, commit: str) -> None:
    rows = [{**row, "difficulty": 3} for row in ROWS]
    hub.repositories[NAME].commits[commit]["test.jsonl"] = lines(rows)
    with pytest.warns(UnknownFieldWarning, match="'difficulty' is not known of this benchmark and not read"):
        assert fetch(FetchConfig(benchmark="vsi-bench", media=False)).items == len(ROWS)


def test_a_data_set_with_a_new_name_is_noted(hub: FakeHub) -> None:
    hub.repositories["elsewhere/VSI-Bench"] = hub.repositories.pop(NAME)
    hub.forwarded[NAME] = "elsewhere/VSI-Bench"
    told: list[Event] = []
    assert fetch(FetchConfig(benchmark="vsi-bench", media=False), told.append).repository == "elsewhere/VSI-Bench"
    assert Noted(f"The data set {NAME} is elsewhere/VSI-Bench on the hub by now.", "warning") in told


def test_what_the_user_stops_ends_with_a_sentence_and_goes_on(hub: FakeHub, tmp_path: Path) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Advanced) and hub.sent["arkitscenes.zip"]:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tolman.features.catalogue.compute.UNIT", 50_000)
        with pytest.raises(
            RunInterruptedError, match="Stopped: finished downloads are kept, and the same command resumes from there"
        ):
            fetch(FetchConfig(benchmark="vsi-bench"), stop)
    sent = hub.sent["arkitscenes.zip"]
    result = fetch(FetchConfig(benchmark="vsi-bench"))
    whole = result.files["arkitscenes.zip"]
    assert hub.sent["arkitscenes.zip"] - sent < whole, "it went on where it was"
    assert result.fetched < whole + result.files["scannet.zip"]
    assert result.media is not None


@pytest.mark.full
@pytest.mark.usefixtures("hub")
def test_a_score_states_the_revision_of_its_data(commit: str) -> None:
    runner = CliRunner()
    done = runner.invoke(
        app, ["run", "vsi-bench", "--model", "baseline/best-constant", "--protocol", "blind", "--out", "run", "--notes"]
    )
    assert done.exit_code == 0, done.output
    assert re.search(rf"vsi-bench full, data \w+ of {NAME} at {commit[:12]}, ", done.output)
    assert json.loads(Path("run/run.json").read_text())["data"] == f"{NAME}@{commit}"


def test_what_is_not_on_the_hub_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "benchmark.json").write_text('{"title": "Mine", "scoring_profile": "vsi-bench"}')
    with pytest.raises(UsageError, match="Mine isn't on the hub; there is nothing to fetch"):
        fetch(make(FetchConfig, {"benchmark": str(tmp_path)}))


@pytest.mark.full
def test_the_command_is_stopped_by_a_signal_and_goes_on(hub: FakeHub, tmp_path: Path, commit: str) -> None:
    """A process of its own, with the client's true sizes: a file of 40 MB, cut off by Ctrl-C half-way."""
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w") as opened:
        opened.writestr("arkitscenes/large.mp4", os.urandom(40_000_000))
    files = hub.repositories[NAME].commits[commit]
    files["arkitscenes.zip"] = large.getvalue()
    hub.slow = "arkitscenes.zip"
    command = [sys.executable, "-m", "tolman", "fetch", "vsi-bench"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | fake_hub.environment(hub, tmp_path), stderr=subprocess.PIPE, text=True
    )
    ended = time.monotonic() + 120
    while sum(path.stat().st_size for path in tmp_path.glob("hub/*/blobs/*.tolman-part")) < 20_000_000:
        assert time.monotonic() < ended
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (
        errors.strip().splitlines()[-1]
        == "tolman: Stopped: finished downloads are kept, and the same command resumes from there."
    )
    assert "Traceback" not in errors
    hub.slow = ""
    hub.sent.clear()
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | fake_hub.environment(hub, tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert hub.sent["arkitscenes.zip"] <= 40_000_000 - 20_000_000 + 1_000
    assert f"questions of {NAME}@{commit}" in done.stdout
    assert "Licence: Apache-2.0 (questions)." in done.stdout
