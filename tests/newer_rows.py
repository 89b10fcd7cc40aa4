"""Question files in the columns of the benchmarks declared last, and the writers of all declared benchmarks."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from released_rows import ENCODED, WRITERS as EARLIER

Rows = list[dict[str, Any]]


def _lines(path: Path, rows: Rows) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("\n".join(map(json.dumps, rows)))


def _json(path: Path, value: Any) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(value))


def _separated(path: Path, rows: Rows, separator: str) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)


def _parquet(path: Path, rows: Rows) -> None:
    import polars as pl

    pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)


def vsr(folder: Path) -> None:
    for split in ("zeroshot", "random"):
        rows = [
            {"image": "1.jpg", "image_link": "http://images.cocodataset.org/train2017/000000017697.jpg",
             "caption": "The car is behind the suitcase.", "label": label, "relation": "behind",
             "subj": "car" if label else "", "obj": "suitcase"}
            for label in (1, 0)
        ]  # fmt: skip
        _lines(folder / split / "test.jsonl", rows)


def sphere(folder: Path) -> None:
    found = {"single_skill/position_only": ("pos", ["left", "right"], "left"),
             "combine_2_skill/distance_and_counting": ("num", None, "2"),
             "reasoning/object_occlusion": ("bool", ["yes", "no"], "no"),
             "reasoning/object_occlusion_w_intermediate": ("bool", ["yes", "no"], "no")}  # fmt: skip
    for name, (form, options, answer) in found.items():
        about = {"viewpoint": "allo", "format": form, "source_dataset": "coco_test2017", "source_img_id": "63"}
        row = {"question_id": "1.a", "question": "Where is it?", "answer": answer, "metadata": about}
        _json(folder / f"{name}.json", [row | ({"option": options} if options else {})])


def spatialmqa(folder: Path) -> None:
    options = ["on/above", "below", "in front of", "behind", "left of", "right of"]
    rows = [{"image": "000000028827.jpg", "question": "Where is the mirror located relative to the fireplace?",
             "options": options, "answer": answer} for answer in ("on/above", "behind", "left of")]  # fmt: skip
    _lines(folder / "test.jsonl", rows)


def spatial_mm(folder: Path) -> None:
    for name in ("one", "two"):
        row = {"image_name": "129d118ad0.jpg", "question": "Which direction is the cat looking at?\nA. left\nB. upwards",
               "answer": "B. upwards", "object1": "cat", "object2": ""}  # fmt: skip
        _json(folder / f"spatial_mm_{name}_obj.json", [row])


def tomato(folder: Path) -> None:
    row = {"question": "Which direction(s) does the hand rotate in?", "options": ["Clockwise.", "No rotation."],
           "answer": 1, "key": "0215-06", "motion_type": "rotation", "demonstration_type": "human"}  # fmt: skip
    for name in ("rotation", "velocity&frequency"):
        _json(folder / "data" / f"{name}.json", {"0": row, "1": row | {"answer": 0}})


def spatialscore(folder: Path) -> None:
    asked = (
        ("multi-choice", "Do they move left or right?\n(a) Left (b) Right", "(a)"),
        ("multi-choice", "What is the field of view?\nA: 63.5 degrees\nB: 59.9 degrees", "B"),
        ("judgment", "Is the door next to the plant? Answer with Yes or No.", "Yes"),
        ("open-ended", "Give the mean depth in meters.", "0.28 meters"),
    )
    rows = [{"index": number, "category": "Others", "question_type": kind, "input_modality": "single-image",
             "question": question, "answer": answer, "img_paths": ["./dataset/MMVP/259.jpg"], "source": "MMVP"}
            for number, (kind, question, answer) in enumerate(asked)]  # fmt: skip
    _json(folder / "SpatialScore-Hard.json", rows)


def tempcompass(folder: Path) -> None:
    choice = {"question": "What is the man doing?\nA. dunking\nB. dribbling", "answer": "A. dunking"}
    said = {"question": "Is the man dunking?", "answer": "yes"}
    for name, row in (("multi-choice", choice), ("yes_no", said)):
        _json(folder / f"{name}.json", {"1034419625": {"action": [row, row], "speed": [row]}, "7": {"action": [row]}})


def ecbench(folder: Path) -> None:
    rows = [{"video_name": "dynamic_0000", "dimensions": dimensions, "video_source": "evs", "question_en_v2.2": "How?",
             "answer_en_v2.2": answer, "source_dataset": "dynamic"}
            for dimensions, answer in (("['Information_Change']", "Two"), ("Counting", "I can't see it."))]  # fmt: skip
    _json(folder / "ECbench_qa.json", rows)


def beacon3d(folder: Path) -> None:
    for name in ("scannet", "3rscan", "multiscan"):
        row = {"question_id": f"{name}_27_1_existence_1", "scene_id": name, "question": "Is the box near the door?",
               "object_ids": [27], "object_names": ["box"], "answers": ["No"]}  # fmt: skip
        _json(folder / name / f"{name}_qa.json", [row])


def spbench(folder: Path) -> None:
    for name in ("SI", "MV"):
        rows = [{"index": number, "question": "How far is it?", "candidates": candidates, "question_type": task,
                 "image_path": "['SPBench/a.jpg', 'SPBench/b.jpg']", "answer": answer}
                for number, (task, candidates, answer) in enumerate(
                    (("object_rel_distance", "['A. lamp', 'B. bed']", "B"), ("object_abs_distance", "", "2.5")))
                ]  # fmt: skip
        _separated(folder / f"SPBench-{name}.tsv", rows, "\t")


def dsr_bench(folder: Path) -> None:
    row = {"index": 0, "video": "a.mp4", "question": "How does it move?", "options": '["A. left", "B. right"]',
           "answer": "A", "task_type": "abs_dir"}  # fmt: skip
    _separated(folder / "DSRBench.tsv", [row], "\t")


def osi_bench(folder: Path) -> None:
    rows = [{"question": "How far is 1 from 2?", "category": category, "options": options, "answer": answer,
             "file_name": "a.mp4", "video_length": 9.5}
            for category, options, answer in (("relative_distance", ["A. 1", "B. 2"], "B"),
                                              ("absolute_distance", None, "7.5"),
                                              ("trajectory_description", ["A. left", "B. right"], "A"))]  # fmt: skip
    _parquet(folder / "test-00000-of-00001.parquet", rows)


def vstat(folder: Path) -> None:
    choice = {"video_id": "v1", "video_path": "videos/a.mp4", "source_task": "cups", "question": "Where?\nA. 1\nB. 2",
              "choices": ["1", "2"], "answer": "B", "answer_type": "mcq"}  # fmt: skip
    number = choice | {"source_task": "book", "question": "How many?", "choices": [], "answer": "4"}
    _json(folder / "vstat_qa_clean.json", {"data": {"cups": [choice], "book": [number]}})


def spatial_dise(folder: Path) -> None:
    row = {"question": "Which is it?", " answer": " B", " category": " 3D Rotation", " options": " A,B,C,D",
           " image": " images/a/1.png", " difficulty": " easy", " dise_category": " Intrinsic-Static"}  # fmt: skip
    _separated(folder / "DISE-benchmark.csv", [{key.strip(): value for key, value in row.items()}], ",")


def omni3d_bench(folder: Path) -> None:
    rows = [{"index": number, "image": ENCODED, "question": "How?", "answer": answer, "answer_type": form}
            for number, (form, answer) in enumerate((("str", "yes"), ("str", "lamp"), ("int", "3"), ("float", "1.4")))
            ]  # fmt: skip
    _separated(folder / "omni3dbench.tsv", rows, "\t")


def metavqa(folder: Path) -> None:
    demand = "Please answer directly with only the letter of the correct option and nothing else."
    row = {"question": f"Where is <1>?\nA. left\nB. right\n{demand}", "answer": "B", "obs": ["obs/1.png"]}
    _lines(folder / "test.jsonl", [row])


def camerabench(folder: Path) -> None:
    rows = [{"Index": number, "Question": "Does the camera pan left?", "Video": f"{number % 2}.mp4", "answer": answer}
            for number, answer in enumerate(("Yes", "No", "No", "Yes"))]  # fmt: skip
    _lines(folder / "test.jsonl", rows)


def stare(folder: Path) -> None:
    rows = [{"qid": f"{task}_1", "question": "Is it <image> a cube?\nA. yes\nB. no", "answer": "B ", "images": [ENCODED],
             "category": task, "other_info": ""} for task in ("folding_nets", "2d_trans")]  # fmt: skip
    for row in rows:
        _parquet(folder / f"{row['category']}.parquet", [row])


def eriq(folder: Path) -> None:
    row = {"index": 0, "image_path": "['a.jpg', 'b.jpg']", "question_raw": "<image><image>What next?\nA. lift\nB. wait",
           "answer": "A", "task_type": "QA_SUBTASK_PLANNING"}  # fmt: skip
    _separated(folder / "ERIQ.tsv", [row], "\t")


def lego_puzzles(folder: Path) -> None:
    row = {"index": 0, "image": ENCODED, "question": "How is <image 1> built?", "A": "one", "B": "two", "C": "three",
           "D": "four", "E": "", "answer": "BDAC", "category": "ordering", "question_type": "sort"}  # fmt: skip
    choice = row | {"index": 1, "answer": "C", "category": "height", "question_type": "multiple_choice"}
    _separated(folder / "LEGO.tsv", [row, choice], "\t")


def next_qa(folder: Path) -> None:
    row = {"video": "4010069381", "frame_count": 369, "width": 640, "height": 480,
           "question": "how do the two man play the instrument", "answer": 0, "qid": 6, "type": "CH",
           "a0": "roll the handle", "a1": "tap their feet", "a2": "strum the string", "a3": "hit with sticks",
           "a4": "pat with hand"}  # fmt: skip
    for split in ("val", "test"):
        _separated(folder / f"{split}.csv", [row, row | {"qid": 7, "type": "TP", "answer": 4}], ",")


def egoschema(folder: Path) -> None:
    row = {"q_uid": "0074f737", "question": "What is the focus of the video?", "option 0": "C is cooking.",
           "option 1": "C is doing laundry.", "option 2": "C is cleaning the kitchen.",
           "option 3": "C is cleaning dishes.", "option 4": "C is cleaning the bathroom.", "truth": 3}  # fmt: skip
    rows = [row, row | {"q_uid": "00b9a0de", "truth": 0}]
    _json(folder / "subset_anno.json", {one["q_uid"]: one for one in rows})


WRITERS: dict[str, Callable[[Path], None]] = EARLIER | {
    "beacon3d": beacon3d,
    "camerabench-vqa": camerabench,
    "dsr-bench": dsr_bench,
    "ecbench": ecbench,
    "egoschema": egoschema,
    "eriq": eriq,
    "lego-puzzles": lego_puzzles,
    "metavqa": metavqa,
    "next-qa": next_qa,
    "omni3d-bench": omni3d_bench,
    "osi-bench": osi_bench,
    "spatial-dise": spatial_dise,
    "spatial-mm": spatial_mm,
    "spatialmqa": spatialmqa,
    "spatialscore": spatialscore,
    "spbench": spbench,
    "sphere": sphere,
    "stare": stare,
    "tempcompass": tempcompass,
    "tomato": tomato,
    "vsr": vsr,
    "vstat": vstat,
}
"""Name of a benchmark → the function that writes its files into a folder."""
