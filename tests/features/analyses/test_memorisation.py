"""`analyze memorisation`: runs on a public form and on fresh ones, and what isn't compared."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from answered import answered
from tolman.errors import UsageError
from tolman.features.analyses.config import MemorisationConfig
from tolman.features.analyses.model_analyses import analyze_memorisation
from tolman.item_table import write_items
from tolman.items import Item
from tolman.reports.analysis_results import show_memorisation
from tolman.runs.run_items import load
from tolman.scoring.further_figures import WITHHELD

Bench = Callable[..., Path]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Make a benchmark's folder."""

    def make(
        name: str, *, scenes: int = 20, tasks: tuple[str, ...] = ("near", "far"), first: int = 0, **told: object
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "benchmark.json").write_text(json.dumps({"title": name}))
        (folder / "provenance.json").write_text(json.dumps({"tolman": "0.2.0", "preset": {"name": "a"}} | told))
        items = [
            Item(
                id=f"{name}-{task}-{scene}-{n}", question=f"Which of {n}?", kind="choice", options=("a", "b"),
                answer="AB"[n % 2], task=task, scene=f"{name if not first else 'shared'}/{scene}",
            )
            for task in tasks
            for scene in range(scenes)
            for n in range(2)
        ]  # fmt: skip
        write_items(folder / "items.parquet", items)
        return folder

    return make


def run_on(folder: Path, wrong: int, *, model: str = "m", end: str = "") -> Path:
    """A run in which one of so many answers is wrong."""
    loaded = load(str(folder), None, None)

    def said(number: int, item: Item) -> str:
        return item.answer if (number * 7) % 10 >= wrong else "BA"["AB".index(item.answer)]

    return answered(loaded, folder.parent / f"run-{folder.name}-{model}{end}", said, benchmark=str(folder), model=model)


def test_a_gap_is_found_and_told_for_each_model(bench: Bench) -> None:
    public, one, two = bench("public"), bench("one"), bench("two")
    runs = [run_on(folder, wrong) for folder, wrong in ((public, 0), (one, 4), (two, 4))]
    runs += [run_on(folder, 3, model="other") for folder in (public, one)]
    result = analyze_memorisation(MemorisationConfig(runs=tuple(runs)))
    assert [run.name for run in result.runs] == ["m", "other"]
    gap, none = (run.gaps[result.headline] for run in result.runs)
    assert gap.value == pytest.approx(40.0)
    assert gap.questions == (80, 160)
    assert gap.scenes == (20, 40)
    assert gap.interval is not None
    assert gap.interval.low > 20
    assert result.runs[0].p_holm[result.headline] < 0.01
    assert none.value == pytest.approx(0.0)
    assert none.p is not None
    assert none.p > 0.5
    assert not result.unchecked
    assert not result.unanswered
    text = [str(part) for part in show_memorisation(result)]
    assert any("80 % power" in part for part in text)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tasks": ("near",)}, "only one has the question type far"),
        ({"preset": {"name": "b"}}, "their recipes differ in 'preset'"),
        ({"tolman": "0.1.0"}, "their recipes differ in 'tolman'"),
    ],
)
def test_forms_that_are_not_parallel_are_refused(bench: Bench, changes: dict[str, object], sentence: str) -> None:
    runs = run_on(bench("public"), 1), run_on(bench("other", **changes), 1)
    with pytest.raises(UsageError, match=sentence):
        analyze_memorisation(MemorisationConfig(runs=runs))


def test_forms_that_share_scenes_or_questions_are_refused(bench: Bench, tmp_path: Path) -> None:
    one, two = (run_on(bench(name, first=1), 1) for name in ("one", "two"))
    with pytest.raises(UsageError, match=r"the forms share 20 scenes, such as shared/0, so they are no independent"):
        analyze_memorisation(MemorisationConfig(runs=(one, two)))
    folder, same = bench("public"), bench("same")
    items = load(str(folder), None, None).items
    write_items(same / "items.parquet", [i.model_copy(update={"scene": f"x/{i.scene}"}) for i in items])
    with pytest.raises(UsageError, match="the forms share 80 questions"):
        analyze_memorisation(MemorisationConfig(runs=(run_on(folder, 1), run_on(same, 1))))


def test_forms_of_another_benchmark_and_missing_runs_are_refused(bench: Bench) -> None:
    public, fresh = bench("public"), bench("fresh")
    runs = run_on(public, 1), run_on(fresh, 1)
    with pytest.raises(UsageError, match="all runs are on the same questions"):
        analyze_memorisation(MemorisationConfig(runs=runs[:1]))
    with pytest.raises(UsageError, match="other has no run on the public form"):
        analyze_memorisation(MemorisationConfig(runs=(*runs, run_on(fresh, 1, model="other"))))
    with pytest.raises(UsageError, match="are of m on one form; give one"):
        analyze_memorisation(MemorisationConfig(runs=(*runs, run_on(fresh, 2, end="-again"))))
    (fresh / "form.json").write_text(json.dumps({"form": "tolman-form-1", "benchmark": "0" * 16}))
    with pytest.raises(UsageError, match="is a form of another benchmark"):
        analyze_memorisation(MemorisationConfig(runs=runs))
    with pytest.raises(UsageError, match="is a run on a fresh form; name a run on the public form first"):
        analyze_memorisation(MemorisationConfig(runs=runs[::-1]))


def test_twins_are_one_cluster(bench: Bench) -> None:
    public, fresh = bench("public"), bench("fresh")
    for folder in (public, fresh):
        items = load(str(folder), None, None).items
        named = [
            i.model_copy(update={"scene": f"simulated/{folder.name}-{int(i.cluster.split('/')[1]):04d}"}) for i in items
        ]
        write_items(folder / "items.parquet", named)
    runs = run_on(public, 1), run_on(fresh, 2)
    alone = analyze_memorisation(MemorisationConfig(runs=runs))
    told = {"benchmark": json.loads((runs[0] / "run.json").read_text())["settings"]["data_hash"]}
    told |= {"form": "tolman-form-1", "recipe": {"simulate": {"twins": 2}}}
    (fresh / "form.json").write_text(json.dumps(told))
    pairs = analyze_memorisation(MemorisationConfig(runs=runs))
    assert alone.runs[0].gaps["near"].scenes == (20, 20)
    assert pairs.runs[0].gaps["near"].scenes == (10, 10)
    assert pairs.runs[0].gaps["near"].value == alone.runs[0].gaps["near"].value


def test_recipes_that_are_not_known_are_named(bench: Bench) -> None:
    public, fresh = bench("public"), bench("fresh")
    (fresh / "provenance.json").unlink()
    result = analyze_memorisation(MemorisationConfig(runs=(run_on(public, 1), run_on(fresh, 1))))
    assert "weren't compared" in result.unchecked[0]


def test_a_headline_that_is_withheld_is_named(bench: Bench) -> None:
    runs = [run_on(bench(name), 2) for name in ("public", "one")]
    path = runs[1] / "scores.json"
    figures = json.loads(path.read_text())
    headline = analyze_memorisation(MemorisationConfig(runs=tuple(runs))).headline
    for rule_set in figures["rule_sets"].values():
        rule_set["cells"][headline]["reason"] = WITHHELD
    path.write_text(json.dumps(figures))
    result = analyze_memorisation(MemorisationConfig(runs=tuple(runs)))
    assert result.headline not in result.runs[0].gaps
    assert result.unanswered == ("m: Avg. is left out, as too many responses are unread.",)
