"""Two made-up harnesses' logs of one made-up benchmark, whose rows differ for planted reasons.

Written without the package, from what harnesses are known to do otherwise than one another: it simulates a model and
two harnesses, changes conditions of single rows, and keeps a row only where its own simulation says that exactly the
planted causes change its score. So what a row's causes are is known apart from any code that finds them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

TASKS = {"counting": "number", "distance": "number", "size": "number", "direction": "choice", "route": "choice"}
PREFACES = (
    "Looking at the frames one after another, the room is seen from the door first and then from the window, so ",
    "The video shows the sofa twice (view A), 2 lamps beside it and 4 chairs, which is what I go by: ",
    "From view A, then view B, 2 sofas or 3 of them are seen at the wall, and so ",
    "Step by step: I follow the camera around the table and note where things stand, and then ",
)
PROMPTS = {
    False: "These are frames of a video.\n{question}\nAnswer with a single letter or number.",
    True: "{question}\nThink, then answer briefly and directly.",
}
FRAMES = {False: 32, True: 16}
LIMIT = 38
"""Characters after which a reply ends where the token limit is planted."""
ONE = ("rows", "failure", "data", "prompt", "frames", "cut-off", "parser", "metric", "unexplained")
TWO = (
    ("prompt", "frames"), ("prompt", "cut-off"), ("frames", "cut-off"), ("prompt", "parser"), ("frames", "parser"),
    ("unexplained", "parser"), ("prompt", "metric"), ("frames", "metric"), ("unexplained", "metric"),
    ("data", "prompt"), ("data", "frames"), ("data", "parser"), ("data", "metric"), ("data", "unexplained"),
    ("data", "cut-off"), ("parser", "cut-off"), ("parser", "metric"),
)  # fmt: skip


def read_first(kind: str, text: str) -> str:
    """A harness's parser: the first lone letter, or the first number."""
    found = _answers(kind, text)
    return found[0] if found else ""


def read_last(kind: str, text: str) -> str:
    """Another's: the last."""
    found = _answers(kind, text)
    return found[-1] if found else ""


def _answers(kind: str, text: str) -> list[str]:
    return re.findall(r"\b[A-D]\b" if kind == "choice" else r"-?[0-9]+(?:\.[0-9]+)?", text)


def in_ten_steps(kind: str, reading: str, truth: str) -> float:
    """A metric: mean relative accuracy for numbers, equality for letters."""
    if kind == "choice" or not reading:
        return float(reading == truth and bool(reading))
    error = abs(float(reading) - float(truth)) / float(truth)
    return sum(error < 1 - step / 100 for step in range(50, 100, 5)) / 10


def within_a_quarter(kind: str, reading: str, truth: str) -> float:
    """Another: a number is right within 25 %."""
    if kind == "choice" or not reading:
        return float(reading == truth and bool(reading))
    return float(abs(float(reading) - float(truth)) <= 0.25 * float(truth))


PARSERS = {False: read_first, True: read_last}
METRICS = {False: in_ten_steps, True: within_a_quarter}


@dataclass(frozen=True)
class Question:
    """One question, and a seed for everything that is drawn about it."""

    id: str
    task: str
    text: str
    truth: str
    seed: str

    @property
    def kind(self) -> str:
        return TASKS[self.task]

    def options(self, *, reordered: bool = False) -> tuple[str, ...]:
        """Of a choice; moved by one place in reordered data."""
        found = ("the sofa", "the lamp", "the door", "the shelf") if self.kind == "choice" else ()
        return (*found[-1:], *found[:-1]) if reordered else found


@cache
def reply(question: Question, prompt: bool, frames: bool, again: bool, reordered: bool) -> str:
    """What the simulated model says under some conditions."""
    draw = Random(f"{question.seed} {prompt} {frames} {again}")
    preface = draw.choice(PREFACES)
    if question.kind == "choice":
        said = question.truth if draw.random() < 0.5 else draw.choice("ABCD")
        said = "BCDA"["ABCD".index(said)] if reordered else said
        return draw.choice(("{}", "{}.", "{}. the one on the left", "({}), not B", preface + "it is {}.")).format(said)
    value = float(question.truth) * draw.choice((1, 1, 0.96, 1.12, 1.2, 0.7, 3.1))
    forms = ("{:.2f}", "{:.2f} in all", "About {:.2f}", "{:.2f} of 7", preface + "it is {:.2f}.")
    return draw.choice(forms).format(value)


def run(question: Question, changed: frozenset[str], *, is_b: bool, reorder: bool) -> dict[str, Any] | None:
    """A row of a harness's log: harness A's, but for what is changed.

    Args:
        question: the question.
        changed: the causes that are switched to what they are in B's log.
        is_b: whether a failed call is counted as wrong, as B does, or left out.
        reorder: whether changed data has its options in another order, or only another truth.
    """
    if "rows" in changed:
        return None
    data = "data" in changed
    reordered = data and reorder
    options = question.options(reordered=reordered)
    text = "\n".join([question.text, *(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=False))])
    truth = question.truth
    if data:
        truth = "BCDA"["ABCD".index(truth)] if question.kind == "choice" else f"{1.6 * float(truth):.2f}"
    prompt, frames = "prompt" in changed, "frames" in changed
    row: dict[str, Any] = {
        "id": question.id, "task": question.task, "question": text, "target": truth, "frames": FRAMES[frames],
        "prompt": PROMPTS[prompt].format(question=text), "response": None, "failure": None, "finish_reason": None,
        "prediction": "", "score": 0.0 if is_b else None,
    }  # fmt: skip
    if "failure" in changed:
        return row | {"failure": "429 too many requests, retried 3 times"}
    said = reply(question, prompt, frames, "unexplained" in changed, reordered)
    cut = "cut-off" in changed and len(said) > LIMIT
    said = said[:LIMIT] if cut else said
    reading = PARSERS["parser" in changed](question.kind, said)
    score = METRICS["metric" in changed](question.kind, reading, truth)
    reason = "length" if cut else "stop"
    return row | {"response": said, "finish_reason": reason, "prediction": reading, "score": score}


def moving(question: Question, causes: frozenset[str], *, reorder: bool) -> set[str]:
    """Which of some causes change the score in at least one combination of the others: by simulating them all."""
    scores = {}
    for size in range(len(causes) + 1):
        for chosen in combinations(sorted(causes), size):
            row = run(question, frozenset(chosen), is_b=True, reorder=reorder)
            scores[frozenset(chosen)] = row and row["score"]
    return {c for c in causes for chosen in scores if c not in chosen and scores[chosen] != scores[chosen | {c}]}


@dataclass(eq=False)
class Pair:
    """Two logs, and what was planted.

    Attributes:
        a, b: rows.
        causes: id of each question whose scores differ → the causes.
        questions: by id.
    """

    a: list[dict[str, Any]] = field(default_factory=list)
    b: list[dict[str, Any]] = field(default_factory=list)
    causes: dict[str, frozenset[str]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)


def questions(seed: int) -> Iterator[Question]:
    """Made-up questions without end."""
    draw = Random(seed)
    number = 0
    while True:
        task = draw.choice(list(TASKS))
        truth = draw.choice("ABCD") if TASKS[task] == "choice" else f"{draw.uniform(1, 9):.2f}"
        yield Question(f"q{number}", task, f"Question {number} of {task}?", truth, f"{seed} {number}")
        number += 1


def planted_pair(seed: int, differing: int, alike: int) -> Pair:
    """Two logs of `differing` rows with different scores, a third of them for two causes at once, and `alike` rows with
    equal ones, of which some were asked under other conditions that changed nothing."""
    draw = Random(f"pair {seed}")
    plan: list[frozenset[str] | None] = [frozenset(draw.choice(TWO)) for _ in range(differing // 3)]
    plan += [frozenset([draw.choice(ONE)]) for _ in range(differing - len(plan))]
    plan += [None] * alike
    draw.shuffle(plan)
    made, pair = questions(seed), Pair()
    for causes in plan:
        while True:
            question = next(made)
            if int(question.id[1:]) > 1000 * (differing + alike):
                raise RuntimeError(f"no question fits {causes}")
            reorder = question.kind == "choice" and draw.random() < 0.4
            if _fits(question, causes, reorder=reorder, pair=pair, draw=draw):
                break
    return pair


def _fits(question: Question, causes: frozenset[str] | None, *, reorder: bool, pair: Pair, draw: Random) -> bool:
    harness = {"parser", "metric"}
    changed = (
        causes if causes is not None else frozenset(draw.sample(["prompt", "frames", "unexplained", "cut-off"], 1))
    )
    both = frozenset(changed | harness)
    one = run(question, frozenset(), is_b=False, reorder=reorder)
    other = run(question, both, is_b=True, reorder=reorder)
    moved = moving(question, both, reorder=reorder)
    if causes is None:
        if moved:
            return False
    elif moved != causes or (one and one["score"]) == (other and other["score"]):
        return False
    if causes == {"failure"} and draw.random() < 0.3:  # both failed: A leaves it out, B counts it as wrong
        one = run(question, frozenset(["failure"]), is_b=False, reorder=reorder)
    if causes == {"rows"} and draw.random() < 0.5:
        one, other = other, run(question, frozenset(harness), is_b=True, reorder=reorder)
    pair.questions[question.id] = question
    pair.a += [one] if one else []
    pair.b += [other] if other else []
    if causes is not None:
        pair.causes[question.id] = causes
    return True
