"""Training sets: rows with the benchmark's prompts and right answers; `tests/interop` has their readers read them."""

import json
import multiprocessing
import runpy
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tolman
from tolman.errors import InputError, UsageError
from tolman.exports.training import questions_at
from tolman.features.catalogue.compute import ExportResult, export
from tolman.features.catalogue.config import ExportConfig

ROOMS = Path(__file__).resolve().parents[1] / "rooms"
FORMS = ("llava", "llama-factory", "ms-swift", "trl", "verl")
FILES = {"llava": "train.json", "llama-factory": "train.json", "ms-swift": "train.jsonl"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few generated questions of every type about a video."""
    out = tmp_path_factory.mktemp("training") / "bench"
    tolman.generate(ROOMS, out, preset="vsi-paper", max_filter_rounds=0, per_task=4)
    return out


def exported(bench: Path, form: str, out: Path, *settings: str, **more: Any) -> ExportResult:
    return export(ExportConfig(source=(f"{bench}/",), form=form, out=out, settings=settings, **more))


def rows_of(out: Path, form: str) -> list[dict[str, Any]]:
    text = out / FILES.get(form, "train.parquet")
    if text.suffix == ".parquet":
        return pl.read_parquet(text).to_dicts()
    if text.suffix == ".jsonl":
        return [json.loads(line) for line in text.read_text().splitlines()]
    return json.loads(text.read_text())


def turns(row: dict[str, Any]) -> Iterator[str]:
    """The texts of a row, whatever its form."""
    if "conversations" in row:
        yield from (turn["value"] for turn in row["conversations"])
        return
    for turn in [*row.get("messages", row.get("prompt")), *row.get("completion", ())]:
        content = turn["content"]
        yield content if isinstance(content, str) else "".join(part["text"] or "<image>" for part in content)


@pytest.mark.parametrize("form", FORMS)
def test_rows_ask_as_a_run_does_and_answer_right(bench: Path, tmp_path: Path, form: str) -> None:
    items = tolman.load(bench).items()
    result = exported(bench, form, tmp_path / "out", "frames=2")
    assert result.use.startswith(f"{len(items)} rows. ")
    rows = rows_of(tmp_path / "out", form)
    assert len(rows) == len(items) > 20
    for item, row in zip(items, rows, strict=True):
        asked, *answered = turns(row)
        assert asked.count("<image>") == 2
        assert item.question in asked
        assert asked.endswith(("using a single word or phrase.", "option's letter from the given choices directly."))
        assert answered == ([] if form == "verl" else [item.answer])
    again = tolman.load(tmp_path / "out").items()
    assert [item.id for item in again] == [item.id for item in items]


def test_videos_stay_videos_with_a_mark_each(bench: Path, tmp_path: Path) -> None:
    for form, key in (("llava", "video"), ("llama-factory", "videos"), ("ms-swift", "videos"), ("verl", "videos")):
        out = tmp_path / form
        exported(bench, form, out)
        row = rows_of(out, form)[0]
        assert next(turns(row)).startswith("<video>\nThese are frames of a video.\n")
        (named,) = row[key] if isinstance(row[key], list) else [row[key]]
        named = named["video"] if isinstance(named, dict) else named
        assert (out / named).is_file()
        assert Path(named).is_absolute() == (form in ("ms-swift", "verl"))
    info = json.loads((tmp_path / "llama-factory" / "dataset_info.json").read_text())
    assert info["bench"]["columns"] == {"messages": "conversations", "videos": "videos"}


def test_reasoning_comes_before_an_answer_that_is_still_read(bench: Path, tmp_path: Path) -> None:
    result = exported(bench, "ms-swift", tmp_path / "out", "reasoning=yes")
    rows = rows_of(tmp_path / "out", "ms-swift")
    for item, row in zip(tolman.load(bench).items(), rows, strict=True):
        target = row["messages"][1]["content"]
        assert target.startswith("<think>\n") == bool(item.reasoning)
        assert target.endswith(item.answer)
        assert tolman.reward(item, target, scorer="careful") == 1
    assert sum("closest points" in row["messages"][1]["content"] for row in rows) >= 4
    assert not any("reasoning" in note for note in result.notes)
    assert "scorer='careful'" in (tmp_path / "out" / "reward.py").read_text()


def test_steps_of_reasoning_have_no_types_in_brackets(tmp_path: Path) -> None:
    tolman.generate(ROOMS, tmp_path / "pairs", preset="mmsi", max_filter_rounds=0, per_task=1)
    exported(tmp_path / "pairs", "llava", tmp_path / "out", "reasoning=yes")
    rows = rows_of(tmp_path / "out", "llava")
    items = tolman.load(tmp_path / "pairs").items()
    assert any("(Grounding)" in str(item.reasoning) for item in items)
    for item, row in zip(items, rows, strict=True):
        target = row["conversations"][1]["value"]
        assert "(Grounding)" not in target
        assert "Reasoning)." not in target
        assert target.endswith(f"``{item.answer}``")  # as MMSI-Bench demands it


def rewarded(job: tuple[Path, str, str]) -> float:
    compute = runpy.run_path(str(job[0] / "reward.py"))["compute_score"]
    return float(compute("x", job[2], "", {"id": job[1]}))


def test_the_reward_is_that_of_the_item_in_forked_and_spawned_workers(bench: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    exported(bench, "verl", out)
    items = tolman.load(bench).items()[::9]
    answers = [(item, text) for item in items for text in (item.answer, "C", "7", f"The answer is {item.answer}.", "")]
    expected = [tolman.reward(item, text) for item, text in answers]
    assert len(set(expected)) > 1
    compute = runpy.run_path(str(out / "reward.py"))["compute_score"]
    assert [compute("x", text, "", {"id": item.id}) for item, text in answers] == expected
    jobs = [(out, item.id, text) for item, text in answers]
    # An executor: `Pool.map` waits forever for a worker that died.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(rewarded, jobs)) == expected
    global _COMPUTE
    _COMPUTE = compute
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(in_fork, jobs)) == expected


_COMPUTE: Any = None


def in_fork(job: tuple[Path, str, str]) -> float:
    return float(_COMPUTE("x", job[2], "", {"id": job[1]}))


@pytest.mark.full
def test_rewards_of_rows_are_the_scores_of_the_command(shared_data: Path, tmp_path: Path) -> None:
    from features.test_rewards import texts
    from terminal import tolman as command

    bench = tmp_path / "bench"
    tolman.generate(ROOMS, bench, preset="vsi-paper", max_filter_rounds=0)
    exported(bench, "verl", tmp_path / "out")
    items = tolman.load(bench).items()
    answers = texts(shared_data, items)
    with (tmp_path / "answers.jsonl").open("w", encoding="utf-8") as file:
        for item, sample, text in answers:
            file.write(json.dumps({"id": item.id, "repeat": sample, "response": text}) + "\n")
    done = command(tmp_path, "score", "answers.jsonl", "--benchmark", "./out", "--out", "run")
    assert done.returncode in (0, 1), done.stderr
    rows = pl.read_parquet(tmp_path / "run" / "scores.parquet").filter(pl.col("rule_set") == "official")
    expected = {(id, sample): score for id, sample, score in rows.select("id", "repeat", "score").iter_rows()}
    compute = runpy.run_path(str(tmp_path / "out" / "reward.py"))["compute_score"]
    assert {(item.id, n): compute("x", text, "", {"id": item.id}) for item, n, text in answers} == expected


def test_settings_and_sources_that_can_not_be_are_one_sentence(bench: Path, tmp_path: Path, shared_data: Path) -> None:
    for setting, says in (
        ("reasoning=maybe", "yes or no"),
        ("frames=0", "from 1 to 1024"),
        ("scorer=x", "no scorer 'x'"),
    ):
        with pytest.raises(UsageError, match=says):
            exported(bench, "verl", tmp_path / "out", setting)
    with pytest.raises(UsageError, match="training on it makes its scores meaningless"):
        export(ExportConfig(source=("vsi-bench",), form="llava", out=tmp_path / "out", data=shared_data / "vsi-bench"))
    assert not (tmp_path / "out").exists()


def test_questions_with_a_stray_mark_are_left_out_and_counted(bench: Path, tmp_path: Path) -> None:
    items = [item.model_dump() for item in tolman.load(bench).items()[:3]]
    for item in items:
        item["media"] = [{"kind": "video", "path": str(bench / item["media"][0]["path"])}]
    items[1]["question"] += " <video>"
    own = tolman.load(items, name="own").save(tmp_path / "own")
    result = exported(own, "llava", tmp_path / "out")
    assert [row["id"] for row in rows_of(tmp_path / "out", "llava")] == [items[0]["id"], items[2]["id"]]
    assert result.notes == ("1 question left out: their text has a mark such as <image> without a medium.",)


@pytest.mark.parametrize("form", FORMS)
def test_an_overlap_is_refused_before_writing_and_found_in_every_form(bench: Path, tmp_path: Path, form: str) -> None:
    with pytest.raises(UsageError, match=r"share [23] scenes, \d+ questions, [23] videos or images, first scene simu"):
        exported(bench, form, tmp_path / "no", disjoint_from=(f"{bench}/",))
    assert not (tmp_path / "no").exists()
    exported(bench, form, tmp_path / "out")
    file = tmp_path / "out" / FILES.get(form, "train.parquet")
    own, asked = questions_at(str(file)), questions_at(f"{bench}/")
    assert [one.id for one in own] == [one.id for one in asked]
    assert [one.scene for one in own] == [one.scene for one in asked]
    for one, item in zip(own, asked, strict=True):
        assert item.question in one.prompt
        assert one.media
        assert all(Path(medium.path).is_file() for medium in one.media)


def test_training_files_of_others_are_read_and_broken_ones_are_one_sentence(tmp_path: Path) -> None:
    row = {"messages": [{"role": "user", "content": [{"type": "text", "text": "How many?"}]}], "image": "a/b.png"}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n\n" + json.dumps({"prompt": "Why?"}) + "\n")
    first, second = questions_at(str(tmp_path / "x.jsonl"))
    assert (first.id, first.prompt, first.media[0].path) == ("row 1", "How many?", str(tmp_path / "a" / "b.png"))
    assert (second.prompt, second.media) == ("Why?", ())
    for text, says in (("{", "can't be read"), ("[1]", "row 1"), ('[{"prompt": ""}]', "no conversations, messages or")):
        (tmp_path / "y.json").write_text(text)
        with pytest.raises(InputError, match=says):
            questions_at(str(tmp_path / "y.json"))
    with pytest.raises(InputError, match="does not exist"):
        questions_at(str(tmp_path / "none.json"))
    shutil.copyfile(tmp_path / "x.jsonl", tmp_path / "z.parquet")
    with pytest.raises(InputError, match="can't be read"):
        questions_at(str(tmp_path / "z.parquet"))
