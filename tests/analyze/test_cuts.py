"""Figures by labels, held against sums in plain Python."""

import random
from collections.abc import Callable
from statistics import fmean

import pytest

from tolman import benchmarks
from tolman.analyze.labels import MOST_CELLS, cut, label_frame
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVELS, WEIGHTS
from tolman.errors import UsageError
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

Choice = Callable[..., Item]


@pytest.fixture
def levels(choice: Choice) -> tuple[list[Item], dict[str, float]]:
    """Choice questions of all SpatialBench tasks, indoors and outdoors, and whether each is answered rightly."""
    draw = random.Random(4)
    items, right = [], {}
    for number in range(240):
        level = draw.choice(list(LEVELS))
        task = draw.choice(LEVELS[level])
        place = "outdoor" if draw.random() < 0.4 else "indoor"
        labels = {"level": level, "scene_type": place}
        items.append(choice(id=str(number), task=task, scene=f"s{number % 30}", labels=labels))
        right[str(number)] = float(draw.random() < (0.7 if place == "indoor" else 0.3))
    return items, right


def scored(items: list[Item], right: dict[str, float], name: str = "spatialbench", rules: str = "official"):
    spec = benchmarks.get(name)
    answers = [
        Response(id=item.id, response=item.answer if right[item.id] else "D") for item in items if item.id in right
    ]
    return score(items, answers, [spec.rule_set(rules)]), spec.table_of(rules)


def test_levels_by_scene_type_are_the_means_of_their_questions(levels: tuple[list[Item], dict[str, float]]) -> None:
    items, right = levels
    scores, table = scored(items, right)
    found = cut(scores, label_frame(items, ["level", "scene_type"]), ("level", "scene_type"), table)
    assert found.values == (tuple(LEVELS), ("indoor", "outdoor"))
    assert found.follows_task == ("level",)
    for level in LEVELS:
        for place in ("indoor", "outdoor", None):
            own = [i for i in items if i.labels["level"] == level and place in (None, i.labels["scene_type"])]
            cell = found.cells[level, place].cells["score"]
            assert cell.value == pytest.approx(100 * fmean(right[i.id] for i in own), abs=1e-9)
            assert (cell.n, cell.missing, found.cells[level, place].items) == (len(own), (), len(own))
    for place in ("indoor", "outdoor"):
        by_level = {
            level: fmean(right[i.id] for i in items if (i.labels["level"], i.labels["scene_type"]) == (level, place))
            for level in LEVELS
        }
        whole = 100 * sum(WEIGHTS[level] * mean for level, mean in by_level.items())
        assert found.cells[None, place].cells["score"].value == pytest.approx(whole / sum(WEIGHTS.values()), abs=1e-9)
    assert found.cells[None, None].cells == cells(scores, table)
    one = cut(scores, label_frame(items, ["scene_type"]), ("scene_type",), table, columns=["score"]).cells[("indoor",)]
    assert one.cells == {"score": found.cells[None, "indoor"].cells["score"]}
    assert one.unread == {"score": found.cells[None, "indoor"].unread["score"]}


def test_a_part_keeps_the_main_tables_rule_for_parts_without_a_question(
    levels: tuple[list[Item], dict[str, float]],
) -> None:
    """Indoors no question of a level: the released code counts it as 0, and so does the cell, and says so."""
    items, right = levels
    items = [i for i in items if (i.labels["level"], i.labels["scene_type"]) != ("spatial_causality", "indoor")]
    scores, table = scored(items, right)
    found = cut(scores, label_frame(items, ["scene_type"]), ("scene_type",), table)
    cell = found.cells[("indoor",)].cells["score"]
    assert (cell.missing, round(cell.attainable, 2)) == (("Causality",), 74.08)
    assert found.cells[("outdoor",)].cells["score"].missing == ()
    assert (
        cell
        == cells(scores.filter(scores["id"].is_in([i.id for i in items if i.labels["scene_type"] == "indoor"])), table)[
            "score"
        ]
    )


def test_unanswered_and_unread_are_counted_where_they_are(choice: Choice) -> None:
    items = [
        choice(id=str(n), task="Attribute (Meas.)", scene=f"s{n}", labels={"difficulty": ("easy", "hard")[n % 2]})
        for n in range(40)
    ]
    spec = benchmarks.get("mmsi-bench")
    outcomes = [Response(id=str(n), response="A" if n < 20 else "I can't tell.") for n in range(0, 40, 2)]
    outcomes += [Failure(id=str(n), kind=FailureKind.NETWORK, message="gone") for n in range(1, 11, 2)]
    outcomes += [Response(id=str(n), response="A") for n in range(11, 40, 2)]
    scores = score(items, outcomes, [spec.rule_set("official")])
    found = cut(scores, label_frame(items, ["difficulty"]), ("difficulty",), spec.table)
    easy, hard = found.cells[("easy",)], found.cells[("hard",)]
    assert (easy.cells["average"].n, easy.cells["average"].unanswered, easy.cells["average"].value) == (20, 0, 50.0)
    assert (hard.cells["average"].n, hard.cells["average"].unanswered, hard.cells["average"].value) == (15, 5, 100.0)
    assert (easy.unread["average"].share, hard.unread["average"].share) == (50.0, 0.0)
    assert easy.cells["average"].interval is not None
    assert easy.cells["average"].effective_scenes == pytest.approx(20)


def test_bad_cuts_are_refused(choice: Choice) -> None:
    items = [choice(id=str(n), task="t", labels={"each": str(n)}) for n in range(MOST_CELLS + 1)]
    spec = benchmarks.get("mmsi-bench")
    scores = score(items, [], [spec.rule_set("official")])
    with pytest.raises(UsageError, match=r"a table by each has 2,001 cells; 2,000 are the most\. Leave out 'each'"):
        cut(scores, label_frame(items, ["each"]), ("each",), spec.table)
    with pytest.raises(UsageError, match="names the label 'each' twice"):
        cut(scores, label_frame(items, ["each"]), ("each", "each"), spec.table)


def test_a_label_follows_from_no_type_where_each_question_has_one_of_its_own(choice: Choice) -> None:
    tasks = [task for own in LEVELS.values() for task in own]
    items = [
        choice(id=f"{task}{n}", task=task, scene=f"s{n}", labels={"tier": ("easy", "hard")[place % 2]})
        for place, task in enumerate(tasks)
        for n in range(2)
    ]
    right = {item.id: 1.0 for item in items}

    def follows(some: list[Item], **more: object) -> tuple[str, ...]:
        scores, table = scored(some, right)
        return cut(scores, label_frame(some, ["tier"]), ("tier",), table, **more).follows_task  # type: ignore[arg-type]

    assert follows(items[::2]) == ()
    assert follows(items) == ("tier",)
    assert follows(items, measured=("tier",)) == ()
