"""Tables by labels and under taxonomies, printed from run folders; each cell is held against plain Python."""

import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

import charted
import tolman
from three_rooms import ROOMS
from tolman import benchmarks
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS as MMSI_TYPES
from tolman.benchmarks.site.site_rows import CATEGORIES
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF, LEVELS, WEIGHTS
from tolman.benchmarks.vsi_bench import CHOICE_TASKS, NUMBER_UNITS
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.items import Item, Media
from tolman.responses import Failure, FailureKind, Outcome, Response

Choice = Callable[..., Item]
Number = Callable[..., Item]
THRESHOLDS = [Fraction(n, 100) for n in range(50, 100, 5)]


def right(item: Item, text: str) -> float:
    """The score of a response that is a letter or a number by itself: accuracy, and mean relative accuracy."""
    if item.options:
        return float(text == item.answer)
    error = abs(Fraction(text) - Fraction(item.answer)) / Fraction(item.answer)
    return fmean(float(error < 1 - threshold) for threshold in THRESHOLDS)


def answered(items: Sequence[Item], seed: int, share: float = 0.6) -> dict[str, str]:
    """Responses of a model that is right on a share of the questions."""
    draw = random.Random(seed)
    return {
        item.id: item.answer
        if draw.random() < share
        else (
            draw.choice(item.letters) if item.options else f"{float(item.answer) * draw.choice([0.53, 0.83, 1.27]):.3f}"
        )
        for item in items
    }


def make_run(
    folder: Path,
    name: str,
    items: Sequence[Item],
    answers: Mapping[str, str],
    *,
    model: str = "my/model",
    lost: Iterable[str] = (),
    **changes: Any,
) -> Path:
    """A run's folder, scored."""
    lost = set(lost)
    outcomes: list[Outcome] = [Response(id=i.id, response=answers[i.id]) for i in items if i.id not in lost]
    outcomes += [Failure(id=key, kind=FailureKind.NETWORK, message="gone") for key in sorted(lost)]
    changes |= {"benchmark": name, "model": model}
    return charted.make_run(folder / re.sub(r"\W", "-", model), outcomes, changes, items)


def cells(paths: Sequence[Path], *options: str) -> dict[tuple[str, ...], float]:
    """What `tolman report` prints as CSV: (table's column, labels, scorer, model) → figure, of tables by labels."""
    done = CliRunner().invoke(app, ["report", *map(str, paths), "--format", "csv", "--published", "none", *options])
    assert done.exit_code == 0, done.output
    found = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["table"]:
            found[row["column"], row["labels"], row["rules"], row["model"]] = float(row["value"])
    return found


def adjusted(items: Sequence[Item], scores: Mapping[str, float]) -> float:
    """Chance-adjusted accuracy, SITE's equation 1."""
    chance = sum(1 / len(item.options) for item in items if item.options)
    return 100 * (sum(scores[item.id] for item in items) - chance) / (len(items) - chance)


@pytest.fixture
def site_items(choice: Choice) -> list[Item]:
    draw = random.Random(1)
    sources = ["CLEVR", "Ego-Exo4D", "VSR", "SpatialSense"]
    families = [
        "site/associate-ego-to-exo",
        "site/associate-exo-to-ego",
        "site/reorder-ego-to-exo",
        "site/reorder-exo-to-ego",
    ]
    items = []
    for n in range(200):
        texts = [f"option {i}" for i in range(draw.choice([2, 3, 4, 5]))]
        source = draw.choice(sources)
        category = CATEGORIES[3] if source == "Ego-Exo4D" else draw.choice(CATEGORIES)
        labels = {"dataset": source, "category": category}
        if source == "Ego-Exo4D":
            labels["family"] = draw.choice(families)
        answer = "ABCDE"[draw.randrange(len(texts))]
        items.append(choice(*texts, id=str(n), answer=answer, task=category, scene=f"s{n % 40}", labels=labels))
    return items


def test_site_by_data_set_and_its_table_3(site_items: list[Item], tmp_path: Path) -> None:
    """Chance-adjusted accuracy for each source, and for each direction of the ego-exo questions."""
    models = {"a/one": answered(site_items, 1), "a/two": answered(site_items, 2, 0.3)}
    paths = [make_run(tmp_path, "site", site_items, answers, model=name) for name, answers in models.items()]
    across = cells(paths, "--by", "dataset", "--by", "dataset,family", "--layout", "across")
    down = cells(paths, "--by", "dataset", "--layout", "down")
    for name, answers in models.items():
        scores = {item.id: right(item, answers[item.id]) for item in site_items}
        for source in {item.labels["dataset"] for item in site_items}:
            own = [item for item in site_items if item.labels["dataset"] == source]
            value = across["overall", f"dataset={source}", "official", name]
            assert value == pytest.approx(adjusted(own, scores), abs=1e-9)
            assert down["overall", f"dataset={source}", "official", name] == pytest.approx(value, abs=1e-9)
            plain = 100 * fmean(scores[item.id] for item in own)
            assert down["accuracy", f"dataset={source}", "official", name] == pytest.approx(plain, abs=1e-9)
        families = {item.labels["family"] for item in site_items if "family" in item.labels}
        assert len(families) == 4
        for family in families:
            own = [item for item in site_items if item.labels.get("family") == family]
            value = across["overall", f"dataset=Ego-Exo4D; family={family}", "official", name]
            assert value == pytest.approx(adjusted(own, scores), abs=1e-9)
        assert across["overall", "dataset=*", "official", name] == pytest.approx(adjusted(site_items, scores), abs=1e-9)


SET_OF = {
    "site/associate-ego-to-exo": "association, ego to exo",
    "site/associate-exo-to-ego": "association, exo to ego",
    "site/reorder-ego-to-exo": "order, ego to exo",
    "site/reorder-exo-to-ego": "order, exo to ego",
}


def released_site_run(site_items: list[Item], place: Path) -> tuple[Path, list[Item], dict[str, str], Path]:
    """A run on rows as released, of which only the data set's name tells the ego-exo tasks apart, and a file that does."""
    items = []
    for item in site_items:
        family = item.labels.get("family")
        labels = {name: value for name, value in item.labels.items() if name != "family"}
        items.append(item.model_copy(update={"labels": labels | ({"dataset": SET_OF[family]} if family else {})}))
    answers = answered(items, 1)
    tables = [f'[places."{name}"]\nfamily = "{family}"\n' for family, name in SET_OF.items()]
    (place / "places.toml").write_text('by = "dataset"\n' + "".join(tables))
    return make_run(place, "site", items, answers), items, answers, place / "places.toml"


@pytest.mark.full
def test_rows_that_name_no_family_make_table_3_with_a_file_of_places(site_items: list[Item], tmp_path: Path) -> None:
    path, items, answers, places = released_site_run(site_items, tmp_path)
    found = cells([path], "--by", "family", "--places", str(places))
    scores = {item.id: right(item, answers[item.id]) for item in items}
    for family, name in SET_OF.items():
        own = [item for item in items if item.labels["dataset"] == name]
        cell = found["overall", f"family={family}", "official", "my/model"]
        assert cell == pytest.approx(adjusted(own, scores), abs=1e-9)
    places.write_text('by = "dataset"\n[places.VSR]\nfamily = "site/associate"\n')
    with pytest.raises(InputError, match=r"'site/associate' is no class of family"):
        tolman.report(path, by="family", places=places, published="none")


@pytest.fixture
def vsi_items(choice: Choice, number: Number) -> list[Item]:
    draw = random.Random(2)
    items = []
    for n in range(260):
        source = draw.choice(["arkitscenes", "scannet", "scannetpp"])
        labels, scene = {"dataset": source}, f"{source}/{draw.randrange(12)}"
        media = (Media(kind="video", path=f"{scene}.mp4"),)
        task = draw.choice([*NUMBER_UNITS, *CHOICE_TASKS])
        if task == "obj_appearance_order" and source == "arkitscenes":
            task = "route_planning"  # as released: it has none of that type
        common = {"id": str(n), "task": task, "scene": scene}
        if task in NUMBER_UNITS:
            item = number(str(draw.randint(2, 60)), unit=NUMBER_UNITS[task], **common)
        else:
            item = choice(answer=draw.choice("ABCD"), **common)
        items.append(item.model_copy(update={"labels": labels, "media": media}))
    return items


def vsi_average(items: Sequence[Item], scores: Mapping[str, float]) -> float:
    """The mean over the tasks that have questions; direction is the mean over its difficulties."""
    by_task: dict[str, list[float]] = {}
    for item in items:
        by_task.setdefault(item.task, []).append(scores[item.id])
    means = {task: fmean(values) for task, values in by_task.items()}
    direction = [mean for task, mean in means.items() if task.startswith("object_rel_direction")]
    others = [mean for task, mean in means.items() if not task.startswith("object_rel_direction")]
    return 100 * fmean([*others, fmean(direction)])


def test_vsi_bench_by_source(vsi_items: list[Item], tmp_path: Path) -> None:
    answers = answered(vsi_items, 3)
    path = make_run(tmp_path, "vsi-bench", vsi_items, answers)
    found = cells([path], "--by", "source", "--scorer", "careful")
    scores = {item.id: right(item, answers[item.id]) for item in vsi_items}
    for source in ("arkitscenes", "scannet", "scannetpp"):
        own = [item for item in vsi_items if item.labels["dataset"] == source]
        assert found["average", f"source={source}", "careful", "my/model"] == pytest.approx(
            vsi_average(own, scores), abs=1e-9
        )
    text = CliRunner().invoke(app, ["report", str(path), "--by", "source"]).stdout
    assert (
        "‡ my/model, official: arkitscenes without a scored question of Appr. Order: the mean is over the other" in text
    )


def test_mmsi_bench_by_difficulty_counts_what_failed_in_its_cell(choice: Choice, tmp_path: Path) -> None:
    draw = random.Random(5)
    items = [
        choice(
            id=str(n), answer=draw.choice("ABCD"), task=draw.choice(MMSI_TYPES), scene=f"s{n}",
            labels={"difficulty": draw.choice(["easy", "medium", "hard"])},
        )
        for n in range(90)
    ]  # fmt: skip
    answers = answered(items, 6)
    hard = [item.id for item in items if item.labels["difficulty"] == "hard"]
    path = make_run(tmp_path, "mmsi-bench", items, answers, lost=hard[:4])
    found = cells([path], "--by", "difficulty")
    for level in ("easy", "medium", "hard"):
        own = [i for i in items if i.labels["difficulty"] == level and i.id not in hard[:4]]
        plain = 100 * fmean(right(item, answers[item.id]) for item in own)
        assert found["average", f"difficulty={level}", "official", "my/model"] == pytest.approx(plain, abs=1e-9)
    text = CliRunner().invoke(app, ["report", str(path), "--by", "difficulty"]).stdout
    table = text[text.index("Avg. by difficulty, official") :]
    assert re.search(r"scorer +eff\. scenes +all +interval +easy +medium +hard", table)
    assert "my/model: failed or missing, not in the figures: hard 4, all 4." in table
    assert "my/model [incomplete; 90 of 1,000]" in table


def test_spatialbench_level_by_scene_type(choice: Choice, tmp_path: Path) -> None:
    draw = random.Random(7)
    items = []
    for n in range(240):
        task = draw.choice(list(LEVEL_OF))
        labels = {"level": LEVEL_OF[task], "scene_type": draw.choice(["indoor", "outdoor"])}
        items.append(choice(id=str(n), answer=draw.choice("ABCD"), task=task, scene=f"s{n % 30}", labels=labels))
    answers = answered(items, 8)
    path = make_run(tmp_path, "spatialbench", items, answers)
    found = cells([path], "--by", "level,scene_type")
    scores = {item.id: right(item, answers[item.id]) for item in items}
    for place in ("indoor", "outdoor"):
        means = {}
        for level in LEVELS:
            own = [i for i in items if (i.labels["level"], i.labels["scene_type"]) == (level, place)]
            means[level] = fmean(scores[item.id] for item in own)
            cell = found["score", f"level={level}; scene_type={place}", "official", "my/model"]
            assert cell == pytest.approx(100 * means[level], abs=1e-9)
        whole = 100 * sum(WEIGHTS[level] * means[level] for level in LEVELS) / sum(WEIGHTS.values())
        assert found["score", f"level=*; scene_type={place}", "official", "my/model"] == pytest.approx(whole, abs=1e-9)


def check_taxonomies(path: Path, items: Sequence[Item], answers: Mapping[str, str], rules: str) -> set[str]:
    """Hold a run's figures under all four taxonomies against the labels and scores of its questions.

    Returns:
        The classes that have questions.
    """
    options = [word for name in ("vsi-bench", "site", "mmsi-bench", "spatialbench") for word in ("--taxonomy", name)]
    done = CliRunner().invoke(
        app, ["report", str(path), *options, "--format", "json", "--published", "none", "--scorer", rules]
    )
    assert done.exit_code == 0, done.output
    tables = json.loads(done.stdout)["cuts"]
    of = {table["taxonomy"]: table["rows"][0]["figures"] for table in tables if not table["by"]}
    scores = {item.id: right(item, answers[item.id]) for item in items}
    seen = set()
    for name, label in (
        ("vsi-bench", "vsi_task"), ("site", "site_category"), ("mmsi-bench", "mmsi_type"), ("spatialbench", "spatialbench_task")
    ):  # fmt: skip
        placed = [item for item in items if item.labels[label]]
        for cls in {item.labels[label] for item in placed}:
            own = [item for item in placed if item.labels[label] == cls]
            value = adjusted(own, scores) if name == "site" else 100 * fmean(scores[item.id] for item in own)
            key = COLUMN_OF.get(cls) or next(
                c.key for c in benchmarks.named(name).table.columns if getattr(c.node, "tasks", None) == {cls}
            )
            assert of[name][key]["value"] == pytest.approx(value, abs=1e-9), (name, cls)
            assert of[name][key]["n"] == len(own)
            seen.add(cls)
    placed = [item for item in items if item.labels["vsi_task"]]
    tasks = {item.labels["vsi_task"] for item in placed}
    mean = fmean(fmean(scores[i.id] for i in placed if i.labels["vsi_task"] == task) for task in tasks)
    assert of["vsi-bench"]["average"]["value"] == pytest.approx(100 * mean, abs=1e-9)
    assert of["site"]["overall"]["value"] == pytest.approx(
        adjusted([i for i in items if i.labels["site_category"]], scores), abs=1e-9
    )
    by_level = {}
    for level in LEVELS:
        own = [i for i in items if LEVEL_OF.get(i.labels["spatialbench_task"]) == level]
        if own:
            by_level[level] = fmean(scores[item.id] for item in own)
            assert of["spatialbench"][level]["value"] == pytest.approx(100 * by_level[level], abs=1e-9)
    whole = sum(WEIGHTS[level] * mean for level, mean in by_level.items()) / sum(WEIGHTS[level] for level in by_level)
    assert of["spatialbench"]["score"]["value"] == pytest.approx(100 * whole, abs=1e-9)
    scales = next(table for table in tables if table["by"] == ["scale"])
    for scale in {item.labels["scale"] for item in items}:
        own = [item for item in items if item.labels["scale"] == scale and item.labels["site_category"]]
        assert scales["rows"][0]["figures"][scale]["value"] == pytest.approx(adjusted(own, scores), abs=1e-9)
    return seen


COLUMN_OF = {
    "object_rel_direction": "rel_direction",  # without difficulties: one pool in place of a mean of three
    "spatial_causal_reasoning": "spatial_causality",
}


@pytest.mark.full
def test_a_generated_benchmark_under_all_four_taxonomies(tmp_path: Path) -> None:
    """What SpatialBench's preset asks about three rooms."""
    pytest.importorskip("shapely", reason="the families need the extra 'build'")

    made = tolman.generate(ROOMS, tmp_path / "bench", preset="spatialbench")
    items = benchmarks.get(str(made.out)).load(made.out, "all")
    answers = answered(items, 9)
    path = make_run(tmp_path, str(made.out), items, answers)
    seen = check_taxonomies(path, items, answers, "careful")
    assert {"object_counting", "spatial relationship reasoning", "MSR", "affordance"} <= seen
    planning = [item for item in items if item.labels["spatialbench_level"] == "spatial_planning"]
    plain = 100 * fmean(right(item, answers[item.id]) for item in planning)
    found = cells([path], "--by", "spatialbench_level,scene_type", "--scorer", "careful")
    key = "spatialbench_level=spatial_planning; scene_type=indoor"
    assert found["score", key, "careful", "my/model"] == pytest.approx(plain, abs=1e-9)


def test_a_label_s_hostile_value_is_text_in_every_form(choice: Choice, tmp_path: Path) -> None:
    evil = "</td><script>alert(1)</script> [b]|_{7*7}\x1b[31m\nnew"
    items = [choice(id=str(n), task=MMSI_TYPES[0], labels={"difficulty": evil if n % 2 else "=easy"}) for n in range(8)]
    path = make_run(tmp_path, "mmsi-bench", items, answered(items, 1))
    result = tolman.report(path, by="difficulty", published="none")
    assert [row["labels"]["difficulty"] for row in result.cut().to_dicts()] == [evil, "=easy", None]
    page = result.render("html")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    text = CliRunner().invoke(app, ["report", str(path), "--by", "difficulty", "--published", "none"]).stdout
    assert "\x1b" not in text
    assert "[b]|_{7*7}\ufffd[31m\ufffdnew" in text
    line = next(line for line in result.render("markdown").splitlines() if "alert" in line)
    assert r"\<script\>alert(1)\</script\> \[b\]\|\_{7\*7}" in line
    assert r"[b]|\_\{7*7\}" in result.render("latex")
    assert "\n" not in line


def test_published_figures_stand_in_their_cells(
    site_items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tolman.benchmarks.published import PublishedCut

    cuts = [
        PublishedCut("human", "Human", "subset", "Table 3", ("dataset",), ("VSR",), "overall", 98.0),
        PublishedCut("model", "Best", "", "Table 3", ("dataset",), ("VSR",), "overall", 99.5),
        PublishedCut("model", "Best", "", "Table 3", ("dataset",), ("CLEVR",), "overall", -5.56),
        PublishedCut("model", "Best", "", "Table 9", ("family",), ("VSR",), "overall", 1.0),
    ]
    monkeypatch.setitem(vars(benchmarks.get("site")), "published_cuts", cuts)
    paths = [make_run(tmp_path, "site", site_items, answered(site_items, n), model=f"a/{n}") for n in (1, 2)]
    table = tolman.report(paths, by="dataset").report.cuts[0]
    human, best, one, two = table.rows
    assert [row.name for row in table.rows] == ["Human (subset)", "Best", "a/1", "a/2"]
    assert {key: figure.value for key, figure in best.figures.items()} == {"VSR": 99.5, "CLEVR": -5.56}
    assert (human.figures["VSR"].value, human.figures["VSR"].rank, best.figures["VSR"].rank) == (98.0, None, 1)
    assert {one.figures["VSR"].rank, two.figures["VSR"].rank} == {2, 3}
    assert len(tolman.report(paths, by="dataset", published="none").report.cuts[0].rows) == 2


def test_published_rows_stand_beside_values_that_are_columns_of_the_table(choice: Choice, tmp_path: Path) -> None:
    """The paper prints levels, tasks and categories; it prints no scene type."""
    items = [
        choice(id=str(n), task=task, scene=f"s{n}", labels={"level": LEVEL_OF[task], "scene_type": ("indoor", "outdoor")[n % 2]})
        for n, task in enumerate([*LEVEL_OF] * 2)
    ]  # fmt: skip
    path = make_run(tmp_path, "spatialbench", items, answered(items, 1))
    report = tolman.report(path, by=["level", "scene_type", "level,scene_type"], published="all").report
    by_level, *others = report.cuts
    published = {row.name: row for row in report.rows if row.rules == "published"}
    found = {row.name: row for row in by_level.rows if row.rules == "published"}
    best = next(row for name, row in published.items() if name.startswith("Gemini-2.5-pro"))
    for level in LEVELS:
        assert found[best.name].figures[level].value == best.figures[level].value
    assert found[best.name].figures["all"].value == best.figures["score"].value
    assert not [row for table in others for row in table.rows if row.rules == "published"]
    by_task = tolman.report(path, by="task", layout="across").report.cuts[0]
    tasks = next(row for row in by_task.rows if row.name == best.name).figures
    assert tasks["affordance"].value == best.figures["affordance"].value
    assert tasks["spatial_causal_reasoning"].value == best.figures["spatial_causality"].value


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"by": "datset"}, r"no question has the label 'datset'; .*'dataset'"),
        ({"by": "dataset", "figure": "overal"}, r"no column 'overal'.*'overall'"),
        ({"by": "dataset", "layout": "up"}, "no layout 'up'"),
        ({"by": "dataset", "scorer": "offical"}, r"no scorer 'offical'.*'official'"),
        ({"by": ","}, "--by takes one label or several"),
        ({"taxonomy": "sites"}, r"no taxonomy 'sites'.*'site'"),
        ({"layout": "down"}, "--layout is for tables by labels; add --by or --taxonomy"),
    ],
)
def test_a_wrong_setting_is_one_sentence(
    site_items: list[Item], tmp_path: Path, settings: dict[str, str], what: str
) -> None:
    path = make_run(tmp_path, "site", site_items[:5], answered(site_items, 1))
    with pytest.raises(UsageError, match=what):
        tolman.report(path, **settings)  # type: ignore[arg-type]


def test_a_file_of_places_gives_questions_their_classes(site_items: list[Item], tmp_path: Path) -> None:
    answers = answered(site_items, 1)
    path = make_run(tmp_path, "site", site_items, answers)
    places = tmp_path / "places.toml"
    places.write_text(
        'by = "dataset"\n[places.VSR]\nmmsi-bench = "MSR"\nscale = "vista"\n[places.CLEVR]\nscale = "figural"\n'
    )
    result = tolman.report(path, taxonomy="mmsi-bench", by="scale", places=places, published="none")
    by_scale, under = result.cut(0), result.cut(1)
    own = [item for item in site_items if item.labels["dataset"] == "VSR"]
    (msr,) = under.filter(under["column"] == "msr").to_dicts()
    assert msr["value"] == pytest.approx(100 * fmean(right(item, answers[item.id]) for item in own), abs=1e-9)
    assert msr["n"] == len(own)
    counts = {row["labels"]["scale"]: row["n"] for row in by_scale.to_dicts()}
    assert counts["figural"] == sum(item.labels["dataset"] == "CLEVR" for item in site_items)
    assert counts["vista"] == len(own)
    others = len(site_items) - len(own)
    assert f"{others:,} questions have no place in it and are in no figure" in result.report.cuts[1].notes[0]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("places = 3", "needs a table for each value"),
        ('[place.x]\nsite = "y"', r"field 'place': is no field of a file of places.*places"),
        ('[places.x]\nsites = "y"', r"field 'places\.x\.sites': is no taxonomy.*site"),
        ('[places.x]\nscale = "hug"', r"field 'places\.x\.scale': 'hug' is no class of scale.*figural"),
        ("[places", "is no TOML"),
    ],
)
def test_a_broken_file_of_places_is_one_sentence(tmp_path: Path, text: str, what: str) -> None:
    from tolman.features.report.report_cuts import read_places

    (tmp_path / "places.toml").write_text(text)
    with pytest.raises(InputError, match=what):
        read_places(tmp_path / "places.toml")


def test_scores_by_labels_in_python(vsi_items: list[Item], tmp_path: Path) -> None:
    answers = answered(vsi_items, 3)
    run = tolman.open_run(make_run(tmp_path, "vsi-bench", vsi_items, answers))
    frame = run.scores.by("source", "kind", scorer="careful")
    rows = {(row["source"], row["kind"]): row for row in frame.filter(frame["column"] == "object_count").to_dicts()}
    own = [i for i in vsi_items if (i.labels["dataset"], i.task) == ("scannet", "object_counting")]
    assert rows["scannet", "number"]["value"] == pytest.approx(100 * fmean(right(i, answers[i.id]) for i in own))
    assert (rows["scannet", "number"]["n"], rows["scannet", "choice"]["value"]) == (len(own), None)
    assert rows[None, None]["n"] == sum(item.task == "object_counting" for item in vsi_items)


def test_evidence_is_seen_or_not_by_the_frames_of_each_run(choice: Choice, tmp_path: Path) -> None:
    """Of a hundred frames, two evenly taken ones miss what four show."""
    needed = {"frames": 100, "seconds": 10.0, "needed": [{"name": "chair", "frames": [[60, 70]]}]}
    items = [
        choice(
            id=str(n), answer="ABCD"[n % 4], task="route_planning", scene=f"s{n}", media=(Media(kind="video", path="a.mp4"),),
            evidence={"needed_frames": needed} if n < 20 else {},
        )
        for n in range(30)
    ]  # fmt: skip
    answers = answered(items, 1)
    paths = [
        make_run(tmp_path, "vsi-bench", items, answers, model=f"openai/m{count}", frames={"count": count})
        for count in (2, 4)
    ]
    found = tolman.report(paths, by=["evidence", "frames"], published="none")
    rows = {(row["name"], row["labels"]["evidence"]): row for row in found.cut(0).to_dicts()}
    plain = 100 * fmean(right(item, answers[item.id]) for item in items[:20])
    for name, value in (("openai/m2", "not seen"), ("openai/m4", "seen")):
        assert (rows[name, value]["n"], rows[name, value]["value"]) == (20, pytest.approx(plain))
        assert rows[name, "unknown"]["n"] == 10
    assert ("openai/m2", "seen") not in rows
    assert {row["labels"]["frames"] for row in found.cut(1).to_dicts()} == {"2 frames", "4 frames", None}


@pytest.mark.full
def test_the_paper_s_table_3_takes_the_file_of_places(site_items: list[Item], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the paper's figures need the extra 'analyze'")
    path, items, answers, places = released_site_run(site_items, tmp_path)
    out = tmp_path / "paper"
    done = CliRunner().invoke(app, ["paper", "site", str(path), "--places", str(places), "--out", str(out)])
    assert done.exit_code == 0, done.output
    (written,) = out.rglob("table-3*.csv")
    scores = {item.id: right(item, answers[item.id]) for item in items}
    rows = {
        row["labels"]: float(row["value"])
        for row in csv.DictReader(io.StringIO(written.read_text(encoding="utf-8")))
        if row["table"] and row["column"] == "overall" and row["rules"] == "official"
    }
    for family, name in SET_OF.items():
        own = [item for item in items if item.labels["dataset"] == name]
        assert rows[f"family={family}"] == pytest.approx(adjusted(own, scores), abs=1e-9)


def test_questions_without_a_place_get_a_sentence_in_place_of_empty_tables(choice: Choice, tmp_path: Path) -> None:
    tasks = ("counting & existence", "spatial relationship reasoning")
    items = [choice(id=f"image-{n}", answer="A", task=tasks[n % 2], scene=f"s{n}") for n in range(12)]
    path = make_run(tmp_path, "site", items, dict.fromkeys([item.id for item in items], "A"))
    for name in ("vsi-bench", "mmsi-bench", "spatialbench"):
        made = report(ReportConfig(runs=(path,), taxonomy=(name,), published="none"))
        (table,) = made.report.cuts
        assert not table.columns
        assert f'places."counting & existence".{name} = "' in table.notes[0]
        text = CliRunner().invoke(app, ["report", str(path), "--taxonomy", name]).stdout
        assert "--places FILE" in text.replace("\n", " ")
        for form in ("markdown", "latex", "html", "csv", "json"):
            assert made.render(form)
    places = tmp_path / "places.toml"
    places.write_text('places."counting & existence".vsi-bench = "object_counting"\n')
    (placed,) = report(ReportConfig(runs=(path,), taxonomy=("vsi-bench",), places=places, published="none")).report.cuts
    assert placed.rows[0].figures["object_count"].n == 6
    assert any("spatial relationship reasoning 6" in note for note in placed.notes)
