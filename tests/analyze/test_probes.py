"""Probes joined to questions: scripted models say known things of known scenes."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from drawings import asked_about
from terminal import typed
from three_rooms import ROOMS
from tolman.analyze.probes import ProbedAnswer, SceneProbe, summarise_probes
from tolman.errors import UsageError
from tolman.features.analyses.config import ProbesConfig
from tolman.features.analyses.probe_analyses import analyze_probes
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.scene_arrays import SEEN, geometries_by_id


def _probe(said: Mapping[str, int], true: Mapping[str, int], scene: str = "a") -> SceneProbe:
    return SceneProbe(scene, said, true, frozenset({"bed", "cup", "door", "lamp", "sofa"}))


def test_a_list_is_held_against_the_scene() -> None:
    found = summarise_probes(
        "object-list", [_probe({"bed": 1, "cup": 3, "lamp": 2, "dragon": 1}, {"bed": 1, "cup": 2, "door": 1})], []
    )
    assert found.named is not None
    assert (round(found.named.value, 6), found.named.n) == (round(200 / 3, 6), 3)
    assert found.invented is not None
    assert (round(found.invented.value, 6), found.invented.n) == (round(100 / 3, 6), 3)
    assert found.right is not None
    assert (found.right.value, found.right.n) == (50, 2)
    assert found.strange == 1
    assert found.together is None


def test_a_route_is_judged_by_pairs_and_equal_frames_have_no_order() -> None:
    true = {"bed": 0, "cup": 10, "door": 10, "sofa": 40}
    found = summarise_probes("route", [_probe({"cup": 0, "bed": 1, "door": 2, "sofa": 3}, true)], [])
    assert found.right is not None
    assert (found.right.value, found.right.n) == (80, 5)  # bed–cup is wrong, cup–door has no order


def test_answers_are_split_by_the_probe_and_the_parts_make_up_the_whole() -> None:
    answers = [ProbedAnswer(f"{i}", "ab"[i % 2], f"s{i % 10}", float(i % 3 == 0), agrees=i % 5 < 2) for i in range(100)]
    found = summarise_probes("object-list", [], answers, unread=1, unjoined=2)
    assert {task: own.answers for task, own in found.tasks.items()} == {"a": 50, "b": 50}
    whole = found.together
    assert whole is not None
    assert whole.score_agreeing is not None
    assert whole.score_others is not None
    share = whole.agreeing.value / 100
    assert share == 0.4
    assert share * whole.score_agreeing.value + (1 - share) * whole.score_others.value == pytest.approx(
        whole.score.value
    )
    assert whole.score.interval is not None
    assert (found.unread, found.unjoined) == (1, 2)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions about three rooms, and runs of scripted models that know half of each room."""
    folder = tmp_path_factory.mktemp("probes")
    typed(folder, "generate", str(ROOMS), "--out", "bench", "--per-scene", "12")
    scenes = geometries_by_id(ROOMS)
    for probe in ("object-list", "route"):
        lines = []
        for item in asked_about(folder):
            geometry = scenes[item.scene or ""]
            first = list(geometry.appearances(SEEN))
            known = first[::2]
            said = json.dumps(known if probe == "route" else {name: geometry.scene.count(name) for name in known})
            right = all(geometry.category(name) in known for name in categories_in(item))
            answer = item.answer if right else "no idea"
            turns = [{"purpose": p, "prompt": "", "response": r} for p, r in ((probe, said), ("answer", answer))]
            lines.append(json.dumps({"id": item.id, "response": answer, "turns": turns}) + "\n")
        (folder / f"{probe}.jsonl").write_text("".join(lines))
        model = f"scripted/{probe}.jsonl"
        typed(folder, "run", "./bench", "--model", model, "--protocol", probe, "--scenes", str(ROOMS), "--out", probe)
    return folder


@pytest.mark.parametrize("probe", ["object-list", "route"])
def test_a_model_that_answers_what_it_names_scores_a_hundred_there_and_nothing_elsewhere(
    place: Path, probe: str
) -> None:
    (found,) = analyze_probes(ProbesConfig(runs=(place / probe,), scorer="careful")).runs.values()
    assert (found.scenes, found.unread, found.strange) == (3, 0, 0)
    assert found.right is not None
    assert found.right.value == 100
    assert found.invented is not None
    assert found.invented.value == 0
    assert found.named is not None
    assert 30 < found.named.value < 70
    whole = found.together
    assert whole is not None
    assert 5 < whole.agreeing.value < 95
    assert whole.score_agreeing is not None
    assert whole.score_agreeing.value == 100
    assert whole.score_others is not None
    assert whole.score_others.value == 0
    assert whole.answers + found.unjoined == len(asked_about(place))


def test_the_command_prints_a_row_for_each_question_type(place: Path) -> None:
    shown = typed(place, "analyze", "probes", "object-list").stdout
    assert "3 object lists read, 0 unread" in shown
    assert "of the named, right number: 100.0 %" in shown
    assert "object_counting" in shown
    result = json.loads(typed(place, "analyze", "probes", "route", "--json").stdout)
    assert next(iter(result["runs"].values()))["probe"] == "route"


def test_other_runs_are_refused(place: Path) -> None:
    typed(place, "run", "./bench", "--model", "baseline/random", "--out", "direct")
    with pytest.raises(UsageError, match=r"asked nothing about scenes; run it with --protocol object-list or route\."):
        analyze_probes(ProbesConfig(runs=(place / "direct",), scenes=ROOMS))
