"""Small local vision-language models on video choice questions (TOMATO, MVBench, Video-MME), of jfbastien/VLMaxxing.

Local Qwen2.5-VL and Gemma (pruned and not) answer video choice questions: letters, refusals, descriptions cut off before any answer.
"""

import re

from clones import Output

REPOSITORY = "jfbastien/VLMaxxing"
COMMIT = "33560571d09171abfc32f68f382c4f9a9928d70b"
LICENCE = "CC-BY-4.0"  # research artifacts; the code of the repository is MIT

QUESTIONS = [
    f"research/experiments/2026/artifacts/{name}.jsonl"
    for name in (
        "phase1_41_qwen_videomme_32f_long/dense_n10",
        "phase1_41_qwen_videomme_16f_holdout/dense_n30",
        "phase1_37B_tomato_motion_dev_v2_cached/control",
    )
]
"""Files with questions that the files of the outputs leave out."""
OPTION = re.compile(r"^[A-J]\. (.*)$", re.M)


def rows(clone, paths):
    found, questions, truths = [], {}, {}
    for path in [*paths, *QUESTIONS]:
        for number, record in clone.json_lines(path):
            item = record.get("item_id")
            if isinstance(record.get("question"), str):
                questions[item] = record["question"]
            if isinstance(record.get("answer_index"), int):
                truths[item] = record["answer_index"]
            for cell, value in record.items():
                text = value.get("text") if isinstance(value, dict) else value
                found.append((item, text, f"{path}#{number}/{cell}"))
    for item, text, key in found:
        if item in questions:
            options = [option.strip() for option in OPTION.findall(questions[item])]
            index = truths.get(item, -1)
            truth = chr(65 + index) if 0 <= index < len(options) else ""
            yield Output(key, text, questions[item].split("\nA. ")[0][:400], truth, options)
