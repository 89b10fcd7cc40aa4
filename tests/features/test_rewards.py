"""The reward of a response is its score."""

import copy
import json
import multiprocessing
import pickle
import random
import string
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import terminal
import tolman
from tolman.errors import UsageError
from tolman.features.rewards import origin_of

Make = Callable[..., tolman.Item]
EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
ANSWERS = 10_000


def texts(shared: Path, items: list[tolman.Item]) -> list[tuple[tolman.Item, int, str]]:
    """Twice as many responses as questions: real outputs of models, and made ones around the truth or anything."""
    draw = random.Random(0)
    lines = (shared / "reading" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    real = [json.loads(line)["output"] for line in lines]
    real = sorted((text for text in real if len(text) < 200), key=len)
    plain = ("{}", "{}.", "The answer is {}", "**{}**", "({})")
    forms = (*plain, "{} chairs, I think", "Not {}, but 4.", "\n{}\n", "-{}", "")
    found = []
    for sample in range(2):
        for item in items:
            kind = draw.random()
            if kind < 0.2:
                text = draw.choice(real)
            elif kind < 0.3:
                text = "".join(draw.choices(string.printable, k=draw.randrange(12)))
            else:
                value = item.answer if draw.random() < 0.5 else draw.choice("ABCD0123456789")
                text = draw.choice(forms).format(value)
            found.append((item, sample, text))
    return found


@pytest.mark.full
def test_ten_thousand_rewards_are_the_scores_of_the_command(shared_data: Path, tmp_path: Path) -> None:
    data = shared_data / "vsi-bench"
    items = tolman.load("vsi-bench", data=data).items()
    answers = texts(shared_data, items)
    assert len(answers) >= ANSWERS
    with (tmp_path / "answers.jsonl").open("w", encoding="utf-8") as file:
        for item, sample, text in answers:
            file.write(json.dumps({"id": item.id, "repeat": sample, "response": text}) + "\n")
    done = terminal.tolman(
        tmp_path, "score", "answers.jsonl", "--benchmark", "vsi-bench", "--data", str(data), "--out", "run"
    )
    assert done.returncode in (0, 1), done.stderr  # 1: some of the real outputs were cut off
    rows = pl.read_parquet(tmp_path / "run" / "scores.parquet")
    for scorer in ("official", "careful"):
        own = rows.filter(pl.col("rule_set") == scorer)
        expected = {(id, sample): score for id, sample, score in own.select("id", "repeat", "score").iter_rows()}
        rewards = {(item.id, n): tolman.reward(item, text, scorer=scorer) for item, n, text in answers}
        assert rewards == expected
    assert 0 < sum(rewards.values()) < len(rewards)


def rewarded(item: tolman.Item) -> float:
    return tolman.reward(item, item.answer)


def test_items_know_their_benchmark_in_other_processes_and_as_copies() -> None:
    items = tolman.load("vsi-bench", data=EXTRACT).items()[:4]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(rewarded, items) == [1.0] * 4
    for same in (pickle.loads(pickle.dumps(items[0])), copy.deepcopy(items[0]), items[0].model_copy()):
        assert same == items[0]
        assert origin_of(same) == "vsi-bench"


def test_what_an_item_knows_of_its_benchmark_is_in_no_file_and_no_comparison() -> None:
    item = tolman.load("vsi-bench", data=EXTRACT).items()[0]
    plain = tolman.Item.model_validate(item.model_dump())
    assert origin_of(plain) == ""
    assert (plain, hash(plain.model_dump_json())) == (item, hash(item.model_dump_json()))


def test_own_items_have_the_careful_scorer(choice: Make) -> None:
    item = choice(answer="C")
    assert tolman.reward(item, "The answer is (C).", scorer="careful") == 1
    assert tolman.reward(item, "C", benchmark="vsi-bench") == 1
    with pytest.raises(UsageError, match="name the benchmark with benchmark="):
        tolman.reward(item, "C", scorer="official")
    with pytest.raises(UsageError, match="did you mean 'careful'"):
        tolman.reward(item, "C", benchmark="vsi-bench", scorer="carful")


def test_the_default_scorer_is_careful_where_there_is_no_official(choice: Make, tmp_path: Path) -> None:
    item = choice(answer="C")
    benchmark = tolman.load([item.model_dump()], name="own")
    saved = tolman.load(benchmark.save(tmp_path / "own"))
    for one in (item, benchmark.items()[0], saved.items()[0]):
        assert tolman.reward(one, "The answer is (C).") == 1


def test_items_of_a_folder_are_rewarded_by_its_scorers(tmp_path: Path) -> None:
    folder = tolman.load("vsi-bench", data=EXTRACT).save(tmp_path / "bench")
    item = tolman.load(folder).items()[0]
    assert origin_of(item) == str(folder.resolve())
    assert tolman.reward(item, item.answer) == 1
