"""The benchmarks declared last, on rows in their released shape: questions, prompts, kinds and parsers."""

import json
from pathlib import Path

import pytest

from newer_rows import WRITERS
from released_rows import scores_of
from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item


def items_of(name: str, folder: Path, subset: str | None = None) -> list[Item]:
    benchmark = benchmarks.get(name)
    WRITERS[name](folder)
    found: list[Item] = benchmark.load(folder, subset or next(iter(benchmark.subsets)))
    return found


def prompt_of(name: str, item: Item) -> str:
    benchmark = benchmarks.get(name)
    return benchmark.prompt(item, benchmark.presets[0]).text


def test_vsr_asks_for_true_or_false(tmp_path: Path) -> None:
    right, wrong = items_of("vsr", tmp_path)
    assert (right.answer, wrong.answer, right.media[0].path) == ("A", "B", "train2017/000000017697.jpg")
    assert "subject" not in wrong.labels
    assert prompt_of("vsr", right).endswith("Answer with exactly one word: True or False.")
    for text, score in (("True.", 1.0), (" False", 0.0), ("The statement is true.", 1.0)):
        assert scores_of(benchmarks.get("vsr"), right, text) == {"careful": score}


def test_sphere_reads_choices_and_counts_and_no_intermediate_questions(tmp_path: Path) -> None:
    by_task = {item.task: item for item in items_of("sphere", tmp_path)}
    assert set(by_task) == {"position_only", "distance_and_counting", "object_occlusion"}
    choice, number = by_task["position_only"], by_task["distance_and_counting"]
    assert (choice.answer, choice.media[0].path) == ("A", "test2017/000000000063.jpg")
    assert (number.kind, number.answer, number.unit) == ("number", "2", "count")
    assert prompt_of("sphere", choice) == "Where is it? left or right?"
    assert prompt_of("sphere", number) == "Where is it? Give the answer in number format."


def test_spatialmqa_names_the_axis_of_a_relation(tmp_path: Path) -> None:
    assert [item.task for item in items_of("spatialmqa", tmp_path)] == ["y", "z", "x"]


def test_tomato_names_rows_by_file_and_key_and_writes_options_as_a_mapping(tmp_path: Path) -> None:
    items = items_of("tomato", tmp_path)
    assert [item.id for item in items] == ["rotation/0", "rotation/1", "velocity&frequency/0", "velocity&frequency/1"]
    assert [item.answer for item in items] == ["B", "A", "B", "A"]
    assert items[0].media[0].path == "videos/human/0215-06.mp4"
    assert "<options> \n{'A': 'Clockwise.', 'B': 'No rotation.'} \n</options>" in prompt_of("tomato", items[0])


def test_next_qa_and_egoschema_take_a_column_for_each_option(tmp_path: Path) -> None:
    how, before = items_of("next-qa", tmp_path)
    assert (how.id, how.task, how.answer, how.scene) == ("4010069381_6", "CH", "A", "4010069381")
    assert (before.answer, before.options[4]) == ("E", "pat with hand")
    assert prompt_of("next-qa", how).endswith("\nE. pat with hand\nAnswer with the letter only.")
    dishes, cooking = items_of("egoschema", tmp_path)
    assert (dishes.id, dishes.answer, dishes.media[0].path) == ("0074f737", "D", "videos/0074f737.mp4")
    assert (cooking.answer, cooking.options[0]) == ("A", "C is cooking.")


def test_spatialscore_has_three_kinds_and_three_forms_of_options(tmp_path: Path) -> None:
    small, colon, said, number = items_of("spatialscore", tmp_path)
    assert (small.options, small.answer) == (("Left", "Right"), "A")
    assert (colon.options, colon.answer) == (("63.5 degrees", "59.9 degrees"), "B")
    assert (said.kind, said.answer) == ("yes-no", "yes")
    assert (number.kind, number.answer, number.media[0].path) == ("number", "0.28", "MMVP/259.jpg")


def test_tempcompass_rows_lie_below_videos_and_aspects(tmp_path: Path) -> None:
    items = items_of("tempcompass", tmp_path)
    assert [(item.scene, item.task) for item in items] == [
        ("1034419625", "action"), ("1034419625", "action"), ("1034419625", "speed"), ("7", "action")
    ]  # fmt: skip
    yes = items_of("tempcompass", tmp_path, "yes-no")[0]
    benchmark = benchmarks.get("tempcompass")
    for text, score in (("A", 1.0), ("A. dunking", 1.0), ("A) x</s>", 1.0), ("B", 0.0), ("I see A", 0.0), ("a", 0.0)):
        assert scores_of(benchmark, items[0], text)["official"] == score, text
    for text, score in (("Yes, he is", 1.0), ("yesterday", 1.0), ("No.", 0.0), ("He is", 0.0)):
        assert scores_of(benchmark, yes, text)["official"] == score, text


def test_an_order_of_letters_is_one_of_the_options_and_right_as_a_whole(tmp_path: Path) -> None:
    order, choice = items_of("lego-puzzles", tmp_path)
    assert (order.kind, order.answer, choice.answer) == ("order", '["two", "four", "one", "three"]', "C")
    assert "sequence of letters" in prompt_of("lego-puzzles", order)
    assert "<image 1>" in prompt_of("lego-puzzles", choice)
    for text, score in (("BDAC", 1.0), ("B, D, A, C", 1.0), ("BDCA", 0.0)):
        assert scores_of(benchmarks.get("lego-puzzles"), order, text) == {"careful": score}, text


def test_stare_and_eriq_take_options_out_of_the_question_and_marks_of_pictures_with_them(tmp_path: Path) -> None:
    said, folded = items_of("stare", tmp_path)
    assert (said.task, folded.task, said.options, said.answer) == ("2d_trans", "folding_nets", ("yes", "no"), "B")
    assert "<image>" not in prompt_of("stare", said)
    (asked,) = items_of("eriq", tmp_path)
    assert (asked.task, [one.path for one in asked.media]) == ("SUBTASK_PLANNING", ["images/a.jpg", "images/b.jpg"])
    assert prompt_of("eriq", asked) == "What next?\nA. lift\nB. wait"


def test_a_nested_file_of_another_shape_is_named(tmp_path: Path) -> None:
    (tmp_path / "multi-choice.json").write_text(json.dumps({"7": [{"question": "?"}]}))
    with pytest.raises(InputError, match=r"multi-choice.json.*'\{dim\}': is missing"):
        benchmarks.get("tempcompass").load(tmp_path, "multi-choice")


def test_ecbench_reads_a_column_with_a_dot_and_a_refusal_as_the_truth(tmp_path: Path) -> None:
    two, unseen = items_of("ecbench", tmp_path)
    assert (two.question, two.task, two.media[0].path) == ("How?", "Information Change",
                                                           "rgb_video/dynamic/dynamic_0000.mp4")  # fmt: skip
    assert "I can't see it." in unseen.answer


def test_beacon3d_takes_the_question_type_from_the_id(tmp_path: Path) -> None:
    assert {item.task for item in items_of("beacon3d", tmp_path)} == {"existence"}


def test_spbench_prompts_have_options_for_choices_only(tmp_path: Path) -> None:
    choice, number = items_of("spbench", tmp_path)
    assert prompt_of("spbench", choice).startswith("Question: How far is it?\nOptions:\nA. lamp\nB. bed\n\nPlease")
    assert prompt_of("spbench", number).startswith("Question: How far is it?\n\nPlease answer the question using a num")
    assert [one.path for one in number.media] == ["SPBench/a.jpg", "SPBench/b.jpg"]
    assert number.unit == "m"


def test_osi_bench_prompts_follow_the_question_type(tmp_path: Path) -> None:
    choice, number, described = items_of("osi-bench", tmp_path)
    assert "numeric tags" in prompt_of("osi-bench", choice)
    assert "\nQuestion: How far is 1 from 2?\n\nYour answer must be only the final" in prompt_of("osi-bench", number)
    assert prompt_of("osi-bench", described).startswith("Question: How far is 1 from 2?\nA. left\nB. right\n\nYour")


def test_spatial_dise_asks_for_letters_in_the_picture(tmp_path: Path) -> None:
    (item,) = items_of("spatial-dise", tmp_path)
    assert (item.options, item.answer, item.task) == (("A", "B", "C", "D"), "B", "3D Rotation")
    assert item.media[0].path == "a/1.png"
    assert "labeled A, B, C, D. Please select" in prompt_of("spatial-dise", item)


def test_omni3d_bench_counts_must_be_exact(tmp_path: Path) -> None:
    items = items_of("omni3d-bench", tmp_path)
    assert [item.kind for item in items] == ["yes-no", "text", "number", "number"]
    benchmark = benchmarks.get("omni3d-bench")
    assert scores_of(benchmark, items[2], "<ans>3</ans>")["vlmevalkit"] == 1.0
    assert scores_of(benchmark, items[2], "4")["vlmevalkit"] == 0.0
    assert 0 < (scores_of(benchmark, items[3], "1.5")["vlmevalkit"] or 0) < 1


def test_metavqa_asks_for_the_letter_once(tmp_path: Path) -> None:
    (item,) = items_of("metavqa", tmp_path)
    assert (item.options, item.answer) == (("left", "right"), "B")
    assert prompt_of("metavqa", item).count("Please answer directly") == 1
