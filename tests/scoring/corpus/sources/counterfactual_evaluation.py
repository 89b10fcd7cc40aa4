"""Sums in base 8, 9 and 10, the next number in a base, and whether chess openings are legal: answers of four models.

GPT-4, GPT-3.5, Claude 1.3, PaLM 2 add in base 8/9/10, count on, and judge chess openings (boxed numbers, sentences, chains of thought).
"""

import re

from clones import Output

REPOSITORY = "ZhaofengWu/counterfactual-evaluation"
COMMIT = "cc0122ad6a65ea80e2f0f223e79858406a0df326"
LICENCE = "MIT"


def plain(cell):
    """The text a cell stands for (the files write it with Python's backslash escapes)."""
    return cell.encode("latin-1", "backslashreplace").decode("unicode_escape")


def in_base(value, base):
    digits = ""
    while value:
        value, digit = divmod(value, base)
        digits = str(digit) + digits
    return digits or "0"


def chess(prompt, truths):
    """The question whether an opening is legal, its truth, and the options."""
    opening = re.search(r'new opening "([^"]+)" legal', prompt)[1]
    swapped = "chess variant" in prompt
    question = "With knights and bishops swapped at the start, is" if swapped else "Is"
    return f'{question} the chess opening "{opening}" legal?', truths.get((swapped, opening), ""), ["Yes", "No"]


def arithmetic(prompt, base):
    """The question for a sum or the next number in a base, and its truth; None where the prompt asks neither."""
    asked = re.findall(r"what is (?:the next number after )?(\d+)(?:\+(\d+))?\?", prompt)
    if not asked:
        return None
    first, second = asked[-1]
    what = f"{first}+{second}" if second else f"the next number after {first}"
    return f"In base-{base}, what is {what}?", in_base(int(first, base) + int(second or "1", base), base)


def rows(clone, paths):
    truths = {}
    for swapped, mode in ((False, "real_world"), (True, "counter_factual")):
        for legal in ("TF", "FT"):
            text = clone.text(f"chess/data/chess_4_move/{mode}_{legal[0]}_{legal[1]}.txt")
            for line in text.splitlines():
                truths[swapped, line.strip().replace(" *", "")] = "A" if legal[swapped] == "T" else "B"
    for path in paths:
        base = re.search(r"base(\d+)", path)
        for number, line in enumerate(clone.text(path).split("\n")):
            cells = line.split("\t")
            if len(cells) < 4 or cells[2] != "False":
                continue
            prompt = plain(cells[0])
            asked = arithmetic(prompt, int(base[1])) if base else chess(prompt, truths)
            if asked:
                yield Output(f"{path}#{number}", plain(cells[1]), *asked)
