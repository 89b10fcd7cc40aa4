"""Tiny made-up question files in the columns of released benchmarks whose data is not at hand."""

import base64
import csv
import json
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.item_kind import kind_of
from tolman.scoring.picture_places import read_place
from tolman.scoring.score_items import score

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel."""

ENCODED = base64.b64encode(PICTURE).decode()


def viewspatial(folder: Path) -> None:
    rows = [
        {
            "question_type": task,
            "image_path": [f"ViewSpatial-Bench/scannetv2_val/scene00{n}_00/original_images/0.jpg"],
            "question": "Where is the counter?",
            "answer": f"{'AB'[n % 2]}. {('right', 'left')[n % 2]}",
            "choices": "A. right\nB. left\nC. front\nD. back" if n else "A. right\nB. left",
        }
        for n, task in enumerate(
            ("Camera perspective - Relative Direction", "Person perspective - Relative Direction",
             "Camera perspective - Object View Orientation")
        )
    ]  # fmt: skip
    (folder / "ViewSpatial-Bench.json").write_text(json.dumps(rows))


def embspatial(folder: Path) -> None:
    rows = [
        {
            "data_source": source,
            "scene_id": "s1",
            "question_id": f"{source}_{number}",
            "question": "How are the chair and the table positioned?",
            "relation": relation,
            "image": ENCODED,
            "answer_options": ["left of it", "right of it", "above it", "under it"],
            "answer": number,
            "objects": [{"name": "chair", "bbox": [1, 2, 3, 4]}],
        }
        for number, (source, relation) in enumerate((("mp3d", "left"), ("ai2thor", "right"), ("scannet", "above")))
    ]
    (folder / "embspatial_bench.json").write_text(json.dumps(rows))


def blink_row(task: str, number: int, choices: int, images: int) -> dict[str, Any]:
    listed = "\n".join(f"({'ABCDE'[i]}) option {i}" for i in range(choices))
    picture = {"bytes": PICTURE, "path": None}
    return {
        "idx": f"val_{task}_{number}",
        "question": "Which one?",
        "sub_task": task,
        **{f"image_{i}": picture if i <= images else None for i in range(1, 5)},
        "choices": [f"option {i}" for i in range(choices)],
        "answer": f"({'ABCDE'[number % choices]})",
        "prompt": f"Which one?\nSelect from the following choices.\n{listed}\n",
    }


def blink(folder: Path) -> None:
    import polars as pl

    for task, choices, images in (("Jigsaw", 2, 3), ("Counting", 4, 1), ("Multi-view_Reasoning", 2, 2)):
        (folder / task).mkdir()
        count = 1 if task == "Jigsaw" else 2
        rows = [blink_row(task, number, choices, images) for number in range(1, count + 1)]
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / task / "val-00000-of-00001.parquet")


QUESTIONS = {"VIN6MS3J": ("height_higher", ("cup", "lamp")), "QQ6MS3JA": ("multi_object_facing", tuple("wxyz"))}
"""3DSRBench: id, category and options of its base questions."""


def threedsrbench(folder: Path) -> None:
    """Each base question in all orders of its options, and so its mirrored twin."""
    rows = []
    for qid, (category, options) in QUESTIONS.items():
        for flip in ("", "-flip"):
            for turn in range(len(options)):
                turned = [*options[turn:], *options[:turn]]
                answer = "ABCD"[turned.index(options[0])]
                cells = dict(zip("ABCD", [*turned, "", ""], strict=False))
                suffix = f"{flip}-{turn}" if turn else flip
                rows.append({"index": len(rows), "qid": qid + suffix, "question": "Which one?", **cells,
                             "answer": answer, "category": category, "image": ENCODED})  # fmt: skip
    with (folder / "3dsrbench_v1_vlmevalkit_circular.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)


def mindcube(folder: Path) -> None:
    (folder / "data" / "raw").mkdir(parents=True)
    rows = [
        {
            "id": f"{setting}_group{number}_q0_1_2",
            "category": ["perpendicular", "P-P"],
            "type": "among",
            "meta_info": [["chair"], ["front"]],
            "question": f"From view 1, what is to my left? {options}",
            "images": [f"other_all_image/{setting}/group{number}/{side}.png" for side in ("front", "left")],
            "gt_answer": "B",
        }
        for number, (setting, options) in enumerate(
            (("among", "A. Sofa B. Door of room A. C. Lamp D. Wall"), ("aroundnew", "A. Yes B. No"),
             ("rotation", "A. Cup B. Pot C. Pan"), ("translation", "A. Left B. Right"))
        )
    ]  # fmt: skip
    for name in ("MindCube", "MindCube_tinybench"):
        (folder / "data" / "raw" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))


SPAR_NUMBERS = tuple(
    f"{quantity}_prediction_{form}{views}"
    for quantity in ("depth", "distance") for form in ("oc", "oo") for views in ("", "_mv")
)  # fmt: skip

SPAR_CHOICES = (
    "obj_spatial_relation_oo", "obj_spatial_relation_oc_mv", "obj_spatial_relation_oo_mv", "spatial_imagination_oc",
    "spatial_imagination_oo", "spatial_imagination_oc_mv", "spatial_imagination_oo_mv", "position_matching",
    "camera_motion_infer", "distance_infer_center_oo", "distance_infer_center_oo_mv",
)  # fmt: skip


def spar_row(number: int, task: str) -> dict[str, Any]:
    question, answer = {
        True: ("How far is the red point from the camera, in metres?", "1.5"),
        False: ("Where is the lamp, seen from the bed? A. left B. right C. above D. below", "ABCD"[number % 4]),
    }[task in SPAR_NUMBERS]
    if task == "view_change_infer":
        question = "How did the camera move? Answer as move_right:metres,rotate_left:degrees"
        answer = "move_right:0.3,move_up:0.1,rotate_left:20"
    views = 2 if task.endswith("_mv") or task == "view_change_infer" else 1
    return {
        "id": number,
        "img_type": "multi view" if views == 2 else "single view",
        "format_type": "fill" if task in SPAR_NUMBERS else "select",
        "task": task,
        "source": "scannet",
        "image": [{"bytes": PICTURE, "path": f"scene0000_00_{i}.png"} for i in range(views)],
        "question": question,
        "answer": answer,
    }


def spar(folder: Path) -> None:
    """One row of each task."""
    import polars as pl

    rows = [spar_row(number, task) for number, task in enumerate((*SPAR_NUMBERS, *SPAR_CHOICES, "view_change_infer"))]
    pl.DataFrame(rows).write_parquet(folder / "test-00000-of-00001.parquet")


def omnispatial(folder: Path) -> None:
    types = (("Dynamic_Reasoning", "Motion_Analysis"), ("Complex_Logic", "Geometric_Reasoning"),
             ("Perspective_Taking", "Egocentric"), ("Perspective_Taking", "Egocentric"))  # fmt: skip
    rows = [
        {
            "id": f"0_{number}",
            "question": "How long will it take for the moving car to reach the camera?",
            "options": ["2.7s", "14.7s", "25.7s", "3.9s"][: 2 if number else 4],
            "answer": number % 2,
            "task_type": task,
            "sub_task_type": sub_task,
        }
        for number, (task, sub_task) in enumerate(types)
    ]
    for task, _ in types:
        (folder / task).mkdir(exist_ok=True)
        (folder / task / "0.png").write_bytes(PICTURE)
    (folder / "data.json").write_text(json.dumps(rows))


def vlm4d(folder: Path) -> None:
    sides = ("not moving", "left", "right", "backwards")
    real = [(f"validation_{number}", sides, "left", f"videos_real/{source}/v.mp4")
            for number, source in ((9, "davis"), (922, "youtube-vos"), (923, "ego4d"), (1371, "ego4d"))]  # fmt: skip
    made = [
        ("synthetic_1", sides, "right", "videos_synthetic/a.mp4"),
        ("synthetic_2", ("Yes", "No cat is there", "One", "Two"), "No cat is there", "videos_synthetic/b.mp4"),
        ("synthetic_3", ("north", "south", "up", "down"), "north", "videos_synthetic/c.mp4"),
    ]
    (folder / "QA").mkdir()
    for name, found in (("real_mc", real), ("synthetic_mc", made)):
        rows = [
            {
                "id": identity,
                "video": f"https://huggingface.co/datasets/shijiezhou/VLM4D/resolve/main/{video}",
                "question_type": "multiple-choice",
                "question": "From the camera perspective, which direction are the cyclists moving toward?",
                "choices": dict(zip("ABCD", options, strict=True)),
                "answer": answer,
            }
            for identity, options, answer, video in found
        ]
        (folder / "QA" / f"{name}.json").write_text(json.dumps(rows))


_REVSI_CHOICES = (
    *(f"object_rel_direction_{way}_{level}" for way in ("forward", "backward") for level in ("easy", "hard")),
    "object_rel_distance_closest", "object_rel_distance_farthest", "route_planning",
)  # fmt: skip

_REVSI_NUMBERS = (
    "object_counting_single", "object_counting_multiple", "object_abs_distance", "object_size_estimation",
    "room_size_estimation_single", "room_size_estimation_multiple",
)  # fmt: skip


def revsi(folder: Path) -> None:
    """One question of each type in each config; the truths of numbers depend on the config."""
    for config, number in (("16_frame", "2"), ("32_frame", "3"), ("64_frame", "4.5"), ("all_frame", "5")):
        rows = [
            {
                "id": 3 * place + 11,
                "scene_id": f"scene{place % 3:04d}_00",
                "num_frames": int(config[:2]) if config[0].isdigit() else 300,
                "question_type": task,
                "question": "Which is closer to the door?" if task in _REVSI_CHOICES else "How much is it?",
                "options": ["A. the lamp", "B. the sofa"] if task in _REVSI_CHOICES else None,
                "ground_truth": "B" if task in _REVSI_CHOICES else number,
            }
            for place, task in enumerate((*_REVSI_CHOICES, *_REVSI_NUMBERS))
            if config != "16_frame" or not task.startswith(("room", "route"))
        ]
        (folder / f"{config}.jsonl").write_text("\n".join(map(json.dumps, rows)))


def vsi_super_recall(folder: Path) -> None:
    rows = [
        {
            "video_path": f"{length}/{number:08d}.mp4",
            "question": "These are frames of a video.\nIn which order was the bear seen?",
            "options": [f"{letter}. order {letter}" for letter in "ABCD"],
            "answer": "ABCD"[number % 4],
            "type": length,
        }
        for number, length in enumerate(("10mins", "30mins", "60mins", "120mins", "240mins"))
    ]
    (folder / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))


def vsi_super_count(folder: Path) -> None:
    for length in ("10mins", "30mins", "60mins", "120mins"):
        rows = [
            {"video_path": f"{length}/{number}.mp4", "question": "How many different chairs?", "answer": 31.0 + number}
            for number in range(2)
        ]
        (folder / f"{length}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        streamed = {"video_path": "s.mp4", "question": "?", "query_times": [60.0, 120.0], "answers": [3, 5]}
        (folder / f"{length}_streaming.jsonl").write_text(json.dumps(streamed))


def sti_bench(folder: Path) -> None:
    import polars as pl

    rows = [
        {
            "ID": number % 2,
            "Video": f"scene000{number // 2}.mp4",
            "time_start": 1.5 * number,
            "time_end": 8.5,
            "Question": "How far does the camera move?",
            "Candidates": json.dumps({letter: f"{place} m" for place, letter in enumerate("ABCDE")}),
            "Answer": "AEC"[number],
            "Task": "Displacement",
            "Scene": "indoor",
        }
        for number in range(3)
    ]
    pl.DataFrame(rows).write_parquet(folder / "qa.parquet")


def mmsi_video(folder: Path) -> None:
    listed = "\nA. left\nB. right\nC. none of these\n"
    prompts = {
        "(Cross-Video) Memoery Update": "First <video>, then <video>. What is new in <image>?",
        "Planning": "The clip: <video>\nWhere do I go?",
        "(Spatial Construction) Instance/Scene Attribute": "<video>What shape has the table?",
    }
    rows = [
        {
            "id": f"question_{number:04d}",
            "type": task,
            "system_prompt": "You see clips.",
            "task_prompt": "Answer. " if number else "",
            "user_prompt": prompt + listed,
            "format_prompt": "Give the letter.",
            "ori_question": prompt,
            "options": ["A. left", "B. right", "C. none of these"],
            "ground_truth": "ABC"[number],
            "video_list": [
                {"path": f"scan/{number}{clip}.mp4", "start": 1.0 + clip, "end": 9.5, "base_fps": 2}
                for clip in range(prompt.count("<video>"))
            ],
            "frames_list": [["scan/0.jpg"]],
            "ref_images": ["a/new.png"] * prompt.count("<image>"),
        }
        for number, (task, prompt) in enumerate(prompts.items())
    ]
    (folder / "mmsivideo.json").write_text(json.dumps(rows))


def cv_bench(folder: Path) -> None:
    import polars as pl

    picture = {"bytes": PICTURE, "path": None}
    choices = {"Count": ["1", "2", "3", "0"], "Relation": ["left", "right"], "Depth": ["the bed", "the lamp"]}
    rows = []
    for half, source, task in (
        ("2D", "ADE20K", "Count"), ("2D", "ADE20K", "Relation"), ("2D", "COCO", "Count"), ("3D", "Omni3D", "Depth")
    ):  # fmt: skip
        options = choices[task]
        listed = "\n".join(f"({'ABCD'[i]}) {text}" for i, text in enumerate(options))
        rows.append({
            "idx": len(rows), "type": half, "task": task, "image": picture, "question": "Which is it?",
            "choices": options, "answer": f"({'AB'[len(rows) % 2]})", "filename": "img/1.png", "source": source,
            "prompt": f"Which is it? Select from the following choices.\n{listed}",
        })  # fmt: skip
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "test.parquet")


def erqa(folder: Path) -> None:
    import polars as pl

    picture = {"bytes": PICTURE, "path": None}
    demand = "Please answer directly with only the letter of the correct option and nothing else."
    rows = [
        {
            "question_id": f"ERQA_{number}",
            "question": f"What will the arm do? Choices: {listed} {demand}",
            "images": [picture] * (number + 1),
            "answer": "B",
            "question_type": task,
        }
        for number, (task, listed) in enumerate(
            (("Trajectory Reasoning", "A. Lift the can. B. Drop the can. C. Rest. D. Turn."),
             ("Pointing", "A. Point A. B. Point B."))
        )
    ]  # fmt: skip
    pl.DataFrame(rows).write_parquet(folder / "test-00000-of-00001.parquet")


def spatialviz(folder: Path) -> None:
    import polars as pl

    rows = [
        {
            "Category": category,
            "Task": task,
            "Level": "Level0",
            "Image_id": "0-0-3-2",
            "Question": "Which one is the figure after it is turned?",
            "Choices": ["The first", "The second", "The third", "None of them"],
            "Answer": "ABCD"[number],
            "Explanation": "It is turned to the left.",
        }
        for number, (category, task) in enumerate(
            (("MentalRotation", "2DRotation"), ("MentalRotation", "3DRotation"), ("MentalAnimation", "ArrowMoving"))
        )
    ]
    pl.DataFrame(rows).write_parquet(folder / "test-00000-of-00001.parquet")


def all_angles(folder: Path) -> None:
    rows = [
        {
            "index": number,
            "folder": "06_fencing",
            "category": category,
            "pair_idx": "0",
            "image_path": [f"egohumans/06_fencing/cam0{camera}.jpg" for camera in range(3)],
            "question": "How many people are there in all views?",
            "A": "Two people",
            "B": "Three people",
            "C": options[0] if options else "",
            "answer": "B",
            "sourced_dataset": "egohumans",
        }
        for number, (category, *options) in enumerate(
            (("counting", "Four people"), ("relative_distance", "No one"), ("manipulation",))
        )
    ]
    (folder / "data.json").write_text(json.dumps(rows))


def openeqa(folder: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "question": "Where is the mirror?",
            "answer": "Next to the staircase above the dark brown cabinet",
            "category": "object localization",
            "question_id": "f2e82760-5c3c-41b1-88b6-85921b9e7b32",
            "episode_history": "hm3d-v0/001-hm3d-TPhiubUHKcP",
            "extra_answers": ["Next to the staircase", "by the stairs"],
        },
        {
            "question": "Are the cabinets below the mirror closed?",
            "answer": "Yes.",
            "category": "object state recognition",
            "question_id": "d16b6600-beb5-4bf4-8045-d018b75eefb1",
            "episode_history": "scannet-v0/002-scannet-scene0709_00",
        },
    ]
    (folder / "data").mkdir()
    (folder / "data" / "open-eqa-v0.json").write_text(json.dumps(rows))


def sqa3d(folder: Path) -> None:
    asked = (("What is on my right?", "TV"), ("Is the door open?", "no"), ("How many chairs are there?", "two"),
             ("Am I near a wall?", "yes"))  # fmt: skip
    questions = [
        {
            "scene_id": "scene0050_00",
            "situation": "I am standing by the ottoman.",
            "alternative_situation": ["I just stood up.", "I stand."],
            "question": question,
            "question_id": 220602000002 + number,
        }
        for number, (question, _) in enumerate(asked)
    ]
    annotations = [
        {
            "scene_id": "scene0050_00",
            "question_type": "N/A",
            "answer_type": "other",
            "question_id": 220602000002 + number,
            "answers": [{"answer": answer, "answer_confidence": "yes", "answer_id": 1}],
            "rotation": {"_x": 0, "_y": 0, "_z": 0, "_w": 1},
            "position": {"x": 0.7, "y": 0.1, "z": 0},
        }
        for number, (_, answer) in reversed(list(enumerate(asked)))
    ]
    for name, key, rows in (("questions", "questions", questions), ("sqa_annotations", "annotations", annotations)):
        text = json.dumps({"info": {"version": "1.0"}, key: rows})
        (folder / f"v1_balanced_{name}_test_scannetv2.json").write_text(text)


def png(rows: list[bytes]) -> bytes:
    """A grey PNG of rows of pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def mask_picture(width: int, height: int, box: tuple[int, int, int, int], value: int = 255) -> bytes:
    """A PNG that is bright in a box and black elsewhere."""
    x0, y0, x1, y1 = box
    return png([bytes(value * (x0 <= x < x1 and y0 <= y < y1) for x in range(width)) for y in range(height)])


TUPLES = (
    "Your answer should be formatted as a list of tuples, i.e. [(x1, y1)], where each tuple contains the x and y "
    "coordinates of a point satisfying the conditions above. The coordinates should be between 0 and 1, indicating the "
    "normalized pixel locations of the points in the image."
)
"""RefSpatial-Bench: its column `suffix`."""


def in_table(content: bytes) -> dict[str, Any]:
    return {"bytes": content, "path": None}


def refspatial(folder: Path) -> None:
    import polars as pl

    (folder / "data").mkdir()
    for split in ("location", "placement", "unseen"):
        rows = [
            {
                "id": number,
                "image": in_table(png([bytes(64)] * 48)),
                "mask": in_table(mask_picture(64, 48, (8 * number, 10, 8 * number + 8, 30))),
                "object": f"the cup {number}",
                "prompt": f"Please point out the cup {number}.",
                "suffix": TUPLES,
                "step": number,
            }
            for number in (1, 2)
        ]
        pl.DataFrame(rows).write_parquet(folder / "data" / f"{split}-00000-of-00001.parquet")


def where2place(folder: Path) -> None:
    import polars as pl

    rows = [
        {
            "question_id": str(number),
            "question": "Find a few spots beside the plate.",
            "question_type": "pointing",
            "image": in_table(png([bytes(640)] * 480)),
            "mask": in_table(mask_picture(640, 480, (100 * number + 50, 60, 100 * number + 90, 90))),
        }
        for number in range(2)
    ]
    pl.DataFrame(rows).write_parquet(folder / "test-00000-of-00001.parquet")


POINTS_END = (
    "Your answer should be formatted as a list of tuples, i.e. [(x1, y1), ...], where each tuple contains the x and y "
    "coordinates of a point satisfying the conditions above. The coordinates should be between 0 and 1, indicating the "
    "normalized pixel locations of the points."
)
"""RoboSpatial-Home: how its questions for points end."""


def robospatial(folder: Path) -> None:
    import polars as pl

    for category, question, answer in (
        ("configuration", "Is the bowl left of the cup? Answer yes or no.", "yes"),
        ("compatibility", "Can the bowl fit left of the cup? Answer yes or no.", "no"),
        (
            "context",
            f"Pinpoint several points left of the bowl. {POINTS_END}",
            "[(0.25, 0.5), (0.75, 0.5), (0.5, 0.9)]",
        ),
    ):
        picture = in_table(png([bytes(64)] * 48))
        row = {"category": category, "question": question, "answer": answer, "img": picture, "depth_image": picture,
               "mask": picture if category == "context" else None}  # fmt: skip
        pl.DataFrame([row]).write_parquet(folder / f"{category}-00000-of-00001.parquet")


LEVELS = ("L1_single", "L2_objects", "L3_2d_spatial", "L4_occ", "L4_pose", "L5_6d_spatial", "L5_collision")


def spatial457(folder: Path) -> None:
    (folder / "questions").mkdir()
    for level in LEVELS:
        rows = [
            {"image_filename": f"superCLEVR_new_00000{number}.png", "question": "What is it?", "answer": answer,
             "question_index": number, "program": []}
            for number, answer in enumerate(("airliner", 3, True))
        ]  # fmt: skip
        (folder / "questions" / f"{level}.json").write_text(json.dumps({"info": {}, "questions": rows}))


def share_inside(item: Item) -> tuple[float, float]:
    """A right point, as shares of the picture's width and height."""
    x, y = re.findall(r"[\d.]+", kind_of(item).right_response(item))
    return float(x), float(y)


def in_pixels(item: Item) -> str:
    (x, y), (width, height) = share_inside(item), read_place(item.answer).size
    return f"({int(x * width)}, {int(y * height)})"


def in_tags(item: Item) -> str:
    x, y = share_inside(item)
    return f'<points x1="{100 * x:.2f}" y1="{100 * y:.2f}" alt="cup">cup</points>'


def in_thousandths(item: Item, name: str, *, y_first: bool) -> str:
    x, y = (round(1000 * share) for share in share_inside(item))
    return f"```json\n{json.dumps([{name: [y, x] if y_first else [x, y]}])}\n```"


def lmms_eval_robospatial(item: Item) -> str:
    if item.kind == "points":
        return in_thousandths(item, "point_2d", y_first=False)
    return f"It seems so.\nAnswer: {item.answer}"


SAYINGS: dict[tuple[str, str], Callable[[Item], str]] = {
    ("refspatial", "official-absolute"): in_pixels,
    ("refspatial", "official-molmo"): in_tags,
    ("refspatial", "official-gemini"): lambda item: in_thousandths(item, "point", y_first=True),
    ("robospatial-home", "lmms-eval"): lmms_eval_robospatial,
    ("spatial457", "vlmevalkit"): lambda item: f"{{'Reasoning': 'I see it.', 'Answer': '{item.answer}'}}",
}
"""Benchmark and scorer → a right response in the form that this scorer reads, where it reads no other."""


def right_response(benchmark: str, scorer: str, item: Item) -> str:
    """What a model that is always right would say."""
    said = SAYINGS.get((benchmark, scorer))
    return said(item) if said is not None else kind_of(item).right_response(item)


WRITERS: dict[str, Callable[[Path], None]] = {
    "3dsrbench": threedsrbench,
    "all-angles": all_angles,
    "blink": blink,
    "cv-bench": cv_bench,
    "embspatial": embspatial,
    "erqa": erqa,
    "mindcube": mindcube,
    "mmsi-video": mmsi_video,
    "omnispatial": omnispatial,
    "openeqa": openeqa,
    "refspatial": refspatial,
    "revsi": revsi,
    "robospatial-home": robospatial,
    "spar": spar,
    "spar-tiny": spar,
    "spatial457": spatial457,
    "spatialviz": spatialviz,
    "sqa3d": sqa3d,
    "sti-bench": sti_bench,
    "viewspatial": viewspatial,
    "vlm4d": vlm4d,
    "vsi-super-count": vsi_super_count,
    "vsi-super-recall": vsi_super_recall,
    "where2place": where2place,
}
"""Name of a benchmark → what writes its files into a folder."""


def scores_of(benchmark: BenchmarkSpec, item: Item, text: str) -> dict[str, float | None]:
    """What each scorer of a benchmark gives a response."""
    rows = score([item], [Response(id=item.id, response=text)], benchmark.rule_sets)
    return dict(zip(rows["rule_set"], rows["score"], strict=True))


def figures_of(benchmark: BenchmarkSpec, items: Sequence[Item], texts: Iterable[str]) -> dict[str, Cell]:
    """The official figures of a response to each item."""
    responses = [Response(id=item.id, response=text) for item, text in zip(items, texts, strict=True)]
    return cells(score(items, responses, [benchmark.rule_set("official")]), benchmark.table)
