"""Rows from open-compass/LawBench: Chinese law questions with options, sums of money and terms of imprisonment.

51 models answered Chinese law questions: multiple choice, prison terms in months, sums of money (zero and one shot).
"""

import re

from clones import Output

REPOSITORY = "open-compass/LawBench"
COMMIT = "e30981bb3ff54c41571f222e0b23e92d27375388"
LICENCE = "Apache-2.0"

CHOICES = re.compile(r"^(.*?)A[:：](.*?)[;；]?\s*B[:：](.*?)[;；]?\s*C[:：](.*?)[;；]?\s*D[:：](.*)$", re.S)


def bare(prompt):
    """The question of a prompt without instruction, example and the signs around a turn."""
    if not isinstance(prompt, str):
        prompt = prompt[-1]["prompt"]
    prompt = prompt.rpartition("请你回答：\n")[2] if "请你回答：\n" in prompt else prompt.partition("\n")[2]
    return re.split(
        r"<eoh>|<\|?(?:Bot|bot|Assistant|assistant|MOSS|end|im_end)|\n+(?:###|Assistant|ASSISTANT|<bot>)|</s>|\[/INST\]",
        prompt,
    )[0].strip()


def rows(clone, paths):
    for path in paths:
        _, shots, _, task = path.split("/")
        known = clone.json(f"predictions/{shots}/GPT4/{task}")  # the plainest prompts give the questions of all models
        for number, item in clone.json(path).items():
            question, options = bare(known[number]["origin_prompt"]), []
            found = CHOICES.match(question) if task in ("1-2.json", "3-6.json") else None
            if found:
                question, *options = (part.strip() for part in found.groups())
                options[3] = options[3].rstrip("。") or options[3]
                truth = "".join(re.findall("[A-D]", item["refr"]))
            else:
                figure = re.search(r"\d+(?:\.\d+)?", item["refr"])
                truth = re.sub(r"\.0+$", "", figure.group()) if figure else ""
            yield Output(f"{path}#{number}", item["prediction"], question[-400:], truth, options)
