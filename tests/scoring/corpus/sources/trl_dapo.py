"""Completions of Qwen2.5-VL while it is trained on A-OKVQA with <think>/<answer> tags, of logs in an earlier commit of JuncyLu/trl_DAPO.

Qwen2.5-VL (in DAPO training, with and without special rewards) answers A-OKVQA choice questions: <think>, <answer>, broken tags, bare letters.
"""

import re

from clones import Output

REPOSITORY = "JuncyLu/trl_DAPO"
COMMIT = "c8cc163dadd6e36014b7ffca9e90f6ca6a488139"
LICENCE = "Apache-2.0"

SAMPLE = re.compile(
    r"^\*\*Prompt:\*\* (.*?)^\*\*Completion:\*\* (.*?)\n\n(?:\*\*Solution:\*\* (.*?)\n\n)?\*\*Rewards:\*\*", re.S | re.M
)
OPTION = re.compile(r"^[A-J]: (.*)$", re.M)


def asked(prompt):
    """The question and the options of a prompt."""
    user = re.split(r"(?:<\|im_start\|>user|^user)\n", prompt, flags=re.M)[-1]
    user = re.split(r"<\|im_end\|>|^(?:<\|im_start\|>)?assistant", user, flags=re.M)[0]
    user = re.sub(r"<\|[a-z_]+\|>", "", user).strip()
    return user[: user.find("\nA: ")].strip(), tuple(option.strip() for option in OPTION.findall(user))


def rows(clone, paths):
    found = [
        (f"{path}#{number}", asked(sample[1]), sample[2], (sample[3] or "").strip())
        for path in paths
        for number, sample in enumerate(SAMPLE.finditer(clone.text(path)))
    ]
    solutions = {item: solution for _, item, _, solution in found if re.fullmatch("[A-J]", solution)}
    for key, (question, options), output, _ in found:
        yield Output(key, output, question[:400], solutions.get((question, options), ""), options)
