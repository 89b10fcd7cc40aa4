"""Outputs on MATH-Vision (math problems with a figure) by 16 model settings, of mathllm/MATH-V.

GPT-3.5/4/4V, Gemini Pro, Qwen-VL, InternLM-XComposer2, LLaVA, ShareGPT4V, SPHINX answer MATH-Vision (figure maths, choice and number).
"""

from clones import Output

REPOSITORY = "mathllm/MATH-V"
COMMIT = "a1f5cc3add200c0cd080fad463e500f44ef1fb41"
LICENCE = "MIT"


def rows(clone, paths):
    items = {str(item["id"]): item for _, item in clone.json_lines("data/test.jsonl")}
    for path in paths:
        for number, record in clone.json_lines(path):
            item = items.get(str(record["id"]))
            if item is None:
                continue
            options, truth = [str(o) for o in item["options"]], str(item["answer"]).strip()
            if options:
                truth = truth if len(truth) == 1 and 0 <= ord(truth) - 65 < len(options) else ""
            yield Output(
                f"{path}#{number}", record.get("response"), item["question"][:400], truth.replace(",", ""), options
            )
