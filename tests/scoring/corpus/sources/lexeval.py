"""Rows from CSHaitao/LexEval: Chinese law questions with lettered options, single right letter.

38 models answered 18 kinds of Chinese law multiple choice (LexEval, zero and few shot).
"""

import re

from clones import Output

REPOSITORY = "CSHaitao/LexEval"
COMMIT = "044c695f62894deef41ad9a30797e1da0404945c"
LICENCE = "MIT"


def parted(text):
    """The question and the options of an input; for a few-shot input, of its last question."""
    text = re.sub(r"\s*答案[:：]\s*$", "", text)
    begins = [found.start() for found in re.finditer(r"(?:^|\n|。|[:：])\s*A\s*[:：]", text)]
    if not begins:
        return None
    question, rest = text[: begins[-1] + 1], text[begins[-1] :]
    pieces = re.split(r"(?:^|\n|(?<=。)|(?<=[:：]))\s*[A-J]\s*[:：]", rest)
    return question.rpartition("答案:")[2].strip(), [piece.strip().rstrip(",，") for piece in pieces[1:]]


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            parts = parted(item["input"])
            if parts:
                truth = str(item["answer"]).strip()
                yield Output(f"{path}#{number}", item["output"], parts[0][-400:], truth, parts[1])
