"""Replies made at random, from a seed: letters, option texts, markdown, tags, phrases in several languages, reasoning,
numbers, points, JSON whole and broken; cut, repeated and with characters changed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

OPTIONS = ("front-left", "a red chair", "Between the bed and the sofa", "12 m", "Nowhere")
LETTERS = "AAABBBCCCDDDEEFGIZabcd"
FORMS = (
    "{}", "{}", "{}.", "({})", "{})", "{}:", "[{}]", "**{}**", "*{}*", '"{}"', "'{}'", "`{}`", "``{}``", "{{{}}}",
    "({}", "{}\n", " {} ", "{},", "{} .", "**({})**", "### {}", "> {}", "- {}) ", "{}。", "（{}）", "【{}】", "_{}_",
    r"\boxed{{{}}}", r"$\boxed{{\text{{{}}}}}$", "<answer>{}</answer>", "<answer> {}. text</answer>", "<answer>{}",
    "<Answer>{}</Answer>", "<Answer>my answer is {}", "< answer x='1' >({})</ answer >", "{}</think>", "{} </answer>",
    "<think>{}</think>", "<think>{}", "<think>maybe {} or B</think>", "</think>{}", "<thought>{}</thought>",
    "Answer: {}", "answer:{}", "Answer:   {}", "ANSWER: {}", "Answer {}", "Answer = {}", "answer is {}",
    '"answer": "{}"', "The answer is {}", "the answer is: {}", "The correct answer is **{}**.", "My answer is {}.",
    "Final answer: {}", "Final Answer {}", "correct answer ({})", "I choose {}", "I pick {}", "The best option is {}",
    "my choice is {}", "Option {}", "option {}: text", "- option {} : text", "选项 {}：文字", "Ans='{}'", "Ans = {}",
    "{} is correct", "{} was correct", "答案：{}", "最终答案 > {}", "我选择{}", "所以（{}）", "选{}。", "答案是{}", "答えは{}です", "정답은 {}",
    "옵션 {}", "La respuesta es {}", "{}. front-left", "{}: a red chair", "{} because it is near", "not {}", "{} or B",
    "{} and A", "{}/{}", "answer is a {}", '{{"answer": "{}"}}', '```json\n{{"answer": "{}"}}\n```',
    '{{"analysis": "x", "answer": "{}", }}', '["{}"]', "['{}', 2]", "{{'Reasoning': 'x', 'Answer': '{}'}}",
    '"Answer":{}', "The answer is {}, as B is wrong", "correct path {}", "答案correct path {}",
)  # fmt: skip
PROSE = (
    "Based on the image, ", "A chair is closer.", "I think the left one", "Let me think step by step.",
    "because A is wrong", "The chair is on the left hand side.", "Die Antwort ist", "It is a bed.",
    "I can't process this file.", "no answer", "Cannot determine the answer", "Failed to obtain answer via API",
    "No answer is possible", "Therefore,", "Wait, hmm.", "图中的椅子在左边。", "Стул слева.", "写真の左にあります。", "1. First",
    "2) Second", "Z", "", "...", "\u200b", "\ufeff", "ſ", "K", "ı", "İ", "Nowhere", "front-left", "12 m", "A red chair",
    "BETWEEN THE BED AND THE SOFA", "Dog", "Yes", "yes", "No", "not sure", "Answer: yes",
)  # fmt: skip
NUMBERS = (
    "3", "3", "2", "4", "5", "12", "0", "1", "3.5", "2.5", "1.9", "0.25", "4.0", "26.4", "1,200", "-4", "-2.5", "+3",
    ".5", "5.", "1e3", "2-3", "2 to 3", "3.5 m^2", "m^2", "^2", "^12", "1.2.3", "error 429", "٣", "1_000", "nan", "inf",
    "-inf", "1e400", "007", "3/4", "two", "three", "Three", "twenty-one", "two hundred and five", "one thousand",
    "seventeen", "hundred", "and", "zero", "someone", "<answer>3.2 m</answer>", "<answer> 4 </answer>",
    "<answer>about 3</answer>", "[3, 4]", "['2.5']", "[]", "[1", "about 3 metres",
)  # fmt: skip
MOVES = ("move_right", "move_left", "move_up", "move_down", "move_forward", "move_backward", "rotate_right", "rotate_left", "rotate_up", "rotate_down")  # fmt: skip
BETWEEN = (" ", " ", " ", "\n", "\n\n", ", ", ". ", ": ", "", "\t", "\r\n", "\u3000", "\xa0", "\u2028", " - ", ":")

Maker = Callable[[random.Random], str]


def letters(rng: random.Random) -> str:
    """A reply to a multiple-choice question."""

    def part() -> str:
        if rng.random() < 0.25:
            return rng.choice(PROSE)
        if rng.random() < 0.1:
            return rng.choice(OPTIONS)
        form = rng.choice(FORMS)
        return form.format(*(rng.choice(LETTERS) for _ in range(form.count("{}"))))

    return _changed(rng, _joined(rng, part))


def in_parentheses(rng: random.Random) -> str:
    """A reply in which letters mostly stand in parentheses, between blanks, in paragraphs."""

    def part() -> str:
        return rng.choice(("({})", "({})", "({})", "({}).", "{}", "the option ({}) is", "\n\n")).format(
            rng.choice("ABCDE")
        )

    return _changed(rng, _joined(rng, part)) if rng.random() < 0.8 else letters(rng)


def yes_or_no(rng: random.Random) -> str:
    """A reply to a yes-or-no question."""

    def part() -> str:
        form = rng.choice(
            ("{}", "{}.", "**{}**", "Answer: {}", "<answer>{}</answer>", "{}, because", "<think>{}</think>")
        )
        return form.format(rng.choice(("yes", "no", "Yes", "No", "NO", "not sure", "none", "unknown", "know", "eyes")))

    return _changed(rng, _joined(rng, part)) if rng.random() < 0.8 else letters(rng)


def numbers(rng: random.Random) -> str:
    """A reply to a question for a number."""

    def part() -> str:
        one = rng.random()
        if one < 0.2:
            return rng.choice(PROSE)
        if one < 0.3:
            return rng.choice(
                ("<think>{}</think>", "Answer: {}", "**{}**", "({})", "{} m", "about {}", "<think>{}")
            ).format(rng.choice(NUMBERS))
        return rng.choice(NUMBERS)

    return _changed(rng, _joined(rng, part))


def moves(rng: random.Random) -> str:
    """A change of view, of which some are no lists of amounts."""
    pairs = []
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        colon, amount = (
            rng.choice((":", ":", ":", ":", ": ", "=", "::")),
            rng.choice((*NUMBERS, "1", "2", "20", "0.5", "30")),
        )
        pairs.append(rng.choice(("", "", "", " ")) + rng.choice(MOVES) + colon + amount)
    return rng.choice((",", ",", ",", ", ", ";")).join(pairs)


def points(rng: random.Random) -> str:
    """A reply that names points or boxes. Numbers are small, as a released code fills boxes of any size."""

    def number() -> str:
        return rng.choice(("0.5", "0.25", "1.0", "0", "1", "2", "30", "47", "63", "-1", "-0.01", "0.999", "1.5", "5.", "+3", "40.5", ".5"))  # fmt: skip

    def small() -> str:
        return rng.choice(("0", "1", "2", "0.1", "0.5", "0.9", "1.0", "-1", "-0.5"))

    def part() -> str:
        one = rng.random()
        if one < 0.15:
            return rng.choice(PROSE)
        if one < 0.4:
            return f"({number()}{rng.choice((',', ', ', ' , ', ',  ', ';'))}{number()}{rng.choice((')', ')', ')', ']', ''))}"
        if one < 0.5:
            return f"[{number()}, {number()}]"
        if one < 0.6:
            return f"({', '.join(small() for _ in range(rng.choice((1, 3, 4, 4, 4, 5))))})"
        if one < 0.7:
            return f'<points x1="{number()}" y1="{number()}" x2="{small()}"  y2="{small()}" alt="a">b</points>'
        if one < 0.75:
            return f'<point x="{number()}" y="{number()}">'
        return _fenced(rng)

    return _changed(rng, _joined(rng, part), least=0.1)


def fenced_points(rng: random.Random) -> str:
    """A reply that is mostly a fenced block of JSON."""
    return _changed(rng, _fenced(rng), least=0.1) if rng.random() < 0.8 else points(rng)


def made(maker: Maker, count: int, seed: int) -> Iterator[str]:
    """So many replies."""
    rng = random.Random(f"replies {maker.__name__} {seed}")
    for _ in range(count):
        yield maker(rng)


def _fenced(rng: random.Random) -> str:
    entries = ", ".join(
        rng.choice(
            (
                *[f'{{"point": [{rng.randint(-5, 1005)}, {rng.randint(0, 1000)}], "label": "a"}}'] * 6,
                f'{{"point_2d": [{rng.randint(-5, 1005)}, {rng.random():.3f}]}}',
                '{"point": [1]}',
                '{"point_2d": ["1", 2]}',
                '{"label": "point"}',
                '"point"',
                "7",
                '{"point": null}',
            )
        )
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3)))
    )
    fence = rng.choice(("```json\n", "```json\n", "```\n", "```json ", "```"))
    return f"{fence}[{entries}{rng.choice((']', ']', ']', ''))}\n```"


def _joined(rng: random.Random, part: Callable[[], str]) -> str:
    """One to some parts with something between them; now and then none."""
    text = ""
    for i in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 6) if rng.random() > 0.02 else (40,))):
        text += (rng.choice(BETWEEN) if i else "") + part()
    return text


def _changed(rng: random.Random, text: str, least: float = 0.25) -> str:
    """The text, or with characters changed, doubled or missing, cut off, in other letters, or with white space around."""
    while text and rng.random() < least:
        place = rng.randrange(len(text))
        text = rng.choice(
            (
                text[:place] + text[place + 1 :],
                text[:place] + text[place] + text[place:],
                text[:place] + rng.choice(' \n.,:()*`{}<>"ABCDabcd') + text[place + 1 :],
                text[:place],
                text[place:],
                text.lower(),
                text.upper() if len(text) < 60 else text,
                f"  {text}\n",
            )
        )
    return text
