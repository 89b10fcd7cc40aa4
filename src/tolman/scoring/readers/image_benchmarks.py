"""Released parsers of benchmarks with images, which all read letters.

- BLINK: it asks gpt-3.5-turbo about replies that its parser can't read. White space separates tokens, so that "(B)." is
  no "(B)". Without the judge such a reply has no answer.
- CV-Bench (Cambrian): the first character behind the last announcement, as a letter or as an option's text. An option's
  text is compared with one character, so that texts of several characters are never matched.
- MindCube: the last "X.", else a ladder of patterns from the most specific to a letter anywhere. Case matters. Its tag
  is `<Answer>`, so that the `<answer>` that the prompt asks for is never one. Patterns of the release that ask for a
  letter with a full stop behind it can't match once the first one has not, and are left out.
- MMSI-Bench, and lmms-eval's for the same benchmark: the text in double backticks, then in single ones, then the first
  A–D between word boundaries that isn't followed by white space and a letter. lmms-eval looks in braces too, and takes
  A to F in any case.
- OmniSpatial: one parser for each form that its prompt asks for. `re` and `json` take A where nothing matches, so that
  every unreadable reply earns A's share. `re` finds "answer: b" but doesn't turn it into B, which makes it wrong.
- SITE, with its random fallback; lmms-eval has the same. Four families of patterns are tried in order and the first
  with hits decides. If nothing is found, the released code draws an option with an unseeded generator. Here the draw is
  seeded by run and item, counted, and its expectation is reported next to it.
- SpatialViz-Bench: one capital A to D in the answer's tag, or behind a phrase. Both tags must be there. The authors'
  list of phrases lacks a comma, which makes one phrase of two; lmms-eval's has it.
- ViewSpatial-Bench: the first A–D by itself in the last line, in any case. The article "a" is therefore A, and a line
  break at the end leaves nothing to read.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.readers import Reader, last_match, letter_of, stripped

_BLINK_LETTERS = "ABCDE"


def read_blink(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter alone, with or without parentheses; else the one option that is a token of the whole reply or, where
    that has several, of its last paragraph."""
    if text in tuple(_BLINK_LETTERS):
        return ParsedAnswer(text, span=(0, 1), rule="letter alone")
    if len(text) == 3 and text[0] + text[2] == "()" and text[1] in _BLINK_LETTERS:
        return ParsedAnswer(text[1], span=(1, 2), rule="letter alone, in parentheses")
    forms = {f"({letter})": letter for letter in _BLINK_LETTERS[: len(item.options)]}
    anywhere = forms.keys() & text.split()
    at_end = forms.keys() & text.split("\n\n")[-1].split()
    if anywhere and len(at_end) == 1:
        return ParsedAnswer(forms[at_end.pop()], rule="the one option of the last paragraph")
    if len(anywhere) == 1:
        return ParsedAnswer(forms[anywhere.pop()], rule="the one option of the reply")
    return nothing("left to a model by the released code")


BLINK = Reader(
    name="blink",
    title="BLINK, the authors' parser without its judge",
    source="zeyofu/BLINK_Benchmark, eval/test_benchmark.py, analyze_answer",
    read=read_blink,
    kinds=("choice",),
)


_CAMBRIAN_ANNOUNCEMENTS = ("answer is", "answer is:", "answer:")


def read_cambrian(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Return the option of the first character behind announcements and a parenthesis."""
    rest = text.lower().strip()
    for announcement in _CAMBRIAN_ANNOUNCEMENTS:
        rest = rest.rpartition(announcement)[2]
    first = rest.strip().rstrip(".:,").lstrip("(").rstrip(")")[:1]
    letter = first.upper()
    if first.isalpha() and letter in item.letters:
        return ParsedAnswer(letter, rule="first character is a letter")
    for letter, option in zip(item.letters, item.options, strict=True):
        if first and option == first:
            return ParsedAnswer(letter, rule="first character is an option")
    return nothing("the reply doesn't begin with an option's letter")


CAMBRIAN = Reader(
    name="cambrian",
    title="CV-Bench, the authors' parser",
    source="cambrian-mllm/cambrian, eval/eval/omni/omni_test.py, extract_mcq_answer and compute_metrics",
    read=read_cambrian,
    kinds=("choice",),
)


_FULL_STOP = re.compile(r"([A-E])\.")
_TAG = re.compile(r"<Answer>([^<]*)")
_IN_TAG = (
    ("my answer is, in the tag", re.compile(r"[Mm]y answer is ([A-E])")),
    ("the answer is, in the tag", re.compile(r"[Tt]he answer is ([A-E])")),
    ("letter, in the tag", re.compile(r"\b([A-E])\b")),
)
_ANYWHERE = (
    ("letter at the beginning of a line", re.compile(r"(?:^|\n)(?:Answer: )?([A-E])(?:$|\s)")),
    ("letter between asterisks or quotes", re.compile(r"[*\"]([A-E])[*\"]")),
    ("Answer:", re.compile(r"\bAnswer:?\s*([A-E])\b")),
    ("answer is", re.compile(r"[Mm]y answer is ([A-E])")),
    ("answer is", re.compile(r"answer is ([A-E])")),
)
_WORD = re.compile(r"\b([A-E])\b")


def read_mindcube(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The last match of the first pattern that has one; at the end the first letter of the lowest line that has one."""
    found = last_match(_FULL_STOP, text)
    if found:
        return letter_of(found, "letter before a full stop")
    tag = _TAG.search(text)
    if tag:
        for rule, pattern in _IN_TAG:
            found = last_match(pattern, tag[1])
            if found:
                return letter_of(found, rule, tag.start(1))
    for rule, pattern in _ANYWHERE:
        found = last_match(pattern, text)
        if found:
            return letter_of(found, rule)
    end = len(text)
    for line in reversed(text.split("\n")):
        found = _WORD.search(line)
        if found:
            return letter_of(found, "letter in the lowest line", end - len(line))
        end -= len(line) + 1
    return nothing("no letter from A to E by itself")


def read_mindcube_stripped(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same without white space around the text, which decides whether a letter begins its first line."""
    bare, start = stripped(text)
    found = read_mindcube(item, bare, seed)
    if found.span is None:
        return found
    return replace(found, span=(found.span[0] + start, found.span[1] + start))


MINDCUBE_READERS = (
    Reader(
        name="mindcube",
        title="MindCube, the authors' parser",
        source="mll-lab-nu/MindCube, src/evaluation/core/extractors.py, extract_answer",
        read=read_mindcube,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mindcube",
        title="MindCube in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/mindcube/utils.py, extract_answer of the stripped reply",
        read=read_mindcube_stripped,
        kinds=("choice",),
    ),
)


_WRAPPERS = (
    ("double backticks", re.compile(r"``([^`]*)``")),
    ("single backticks", re.compile(r"`([^`]*)`")),
)
_LETTER_TO_D = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")
_LETTER_TO_F = re.compile(r"\b[A-F]\b(?!\s[a-zA-Z])", re.IGNORECASE)


def read_mmsi_bench(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The authors' patterns in their order."""
    return _letter(_LETTER_TO_D, *_unwrapped(text))


def read_mmsi_bench_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The patterns of lmms-eval, which has one more."""
    text, start, rule = _unwrapped(text)
    opening = text.find("{")
    closing = text.find("}", opening + 1)
    if opening >= 0 and closing >= 0:
        text, start, rule = text[opening + 1 : closing], start + opening + 1, "braces"
    return _letter(_LETTER_TO_F, text, start, rule)


def _unwrapped(text: str) -> tuple[str, int, str]:
    """Return the text in backticks, where it begins, and the name of that rule; the text where there are none."""
    rule, start = "letter between word boundaries", 0
    for name, wrapper in _WRAPPERS:
        wrapped = wrapper.search(text)
        if wrapped:
            text, start, rule = wrapped[1], start + wrapped.start(1), name
    return text, start, rule


def _letter(pattern: re.Pattern[str], text: str, start: int, rule: str) -> ParsedAnswer:
    letter = pattern.search(text)
    if letter is None:
        return nothing("no letter between word boundaries")
    return ParsedAnswer(letter[0].upper(), span=(start + letter.start(), start + letter.end()), rule=rule)


MMSI_BENCH_READERS = (
    Reader(
        name="mmsi-bench",
        title="MMSI-Bench, the authors' parser",
        source="InternRobotics/MMSI-Bench, vlmeval/dataset/mmsi_bench.py, extract_single_choice_with_word_boundary",
        read=read_mmsi_bench,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mmsi",
        title="MMSI-Bench in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/mmsi_bench/utils.py, extract_single_choice_with_word_boundary",
        read=read_mmsi_bench_lmms_eval,
        kinds=("choice",),
    ),
)


DEFAULT = "A"
_LINE = re.compile(r"Answer\s*:\s*([A-D])\b", re.IGNORECASE)


def _default(why: str) -> ParsedAnswer:
    return ParsedAnswer(DEFAULT, f"{why}: the released default", assumed=True, rule="default")


def read_line(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The last "Answer: X", as it is written; A where there is none."""
    found = last_match(_LINE, text)
    if found is None:
        return _default("no 'Answer: X'")
    return ParsedAnswer(found[1], span=found.span(1), rule="Answer:")


def read_json(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first character of "answer" in a JSON object, fenced or not; A where the text is none or has no answer."""
    bare = text.strip().removeprefix("```json").removesuffix("```").strip()
    try:
        value = json.loads(bare).get("answer", DEFAULT).strip().upper()[:1]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return _default("no JSON object with an answer")
    return ParsedAnswer(value, rule="answer of a JSON object") if value else nothing("an empty answer")


def read_first_character(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Return the first character, of any kind."""
    value = text.strip().upper()[:1]
    start = len(text) - len(text.lstrip())
    return ParsedAnswer(value, span=(start, start + 1), rule="first character") if value else nothing("an empty reply")


_SOURCE = "qizekun/OmniSpatial, api_eval.py, process_info, eval_type '{}'"
OMNISPATIAL_READERS = (
    Reader("omnispatial-re", "OmniSpatial, format re", _SOURCE.format("re"), read_line, ("choice",)),
    Reader("omnispatial-json", "OmniSpatial, format json", _SOURCE.format("json"), read_json, ("choice",)),
    Reader(
        "omnispatial-direct", "OmniSpatial, format direct", _SOURCE.format("direct"), read_first_character, ("choice",)
    ),
)


_SITE_FAMILIES = {
    "letter in brackets": ("({})",),
    "letter between spaces": (" {} ",),
    "letter before a full stop": ("{}.",),
    "letter beside a colon": ("{}:", ":{}", ": {}"),
}


def read_site(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Return the letter in "(A)", else " A ", else "A.", else "A:" or ":A" or ": A"; of several the one that is last
    between spaces, or the first option where none does; of none, a random one."""
    padded = f" {text.strip()} "
    for rule, patterns in _SITE_FAMILIES.items():
        candidates = [c for c in item.letters if any(p.format(c) in padded for p in patterns)]
        if candidates:
            chosen = max(candidates, key=lambda c: padded.rfind(f" {c} "))
            return ParsedAnswer(chosen, span=_site_span(text, padded, chosen, patterns), rule=rule)
    drawn = random.Random(f"{seed}:{item.id}").choice(item.letters)
    return ParsedAnswer(drawn, "drawn at random by the released parser", guessed=True)


def _site_span(text: str, padded: str, letter: str, patterns: tuple[str, ...]) -> tuple[int, int]:
    """Return the place of the deciding letter: last between spaces, or first as one of the patterns."""
    forms = [p for p in patterns if p.format(letter) in padded]
    between = padded.rfind(f" {letter} ") + 1
    place = between or min(padded.find(p.format(letter)) + p.index("{}") for p in forms)
    start = place - 1 + len(text) - len(text.lstrip())
    return start, start + 1


SITE = Reader(
    name="site",
    title="SITE, the authors' parser",
    source="wenqi-wang20/SITE-Bench, eval_scripts/sitebench/utils.py, parse_multi_choice_response",
    read=read_site,
    kinds=("choice",),
)


_CAPITAL = re.compile("[A-D]")
_SPATIALVIZ_PHRASES = (
    *("<answer>", "Answer:", "Final answer", "final answer", "Final Answer", "the answer is", "The answer is"),
    *("correct answer", "Correct answer", "Correct Answer"),
)


def read_spatialviz(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter in the tag, or behind the last of the first phrase that the text holds."""
    return _read_by_phrases(text, (*_SPATIALVIZ_PHRASES, "答案correct path"))


def read_spatialviz_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same with lmms-eval's phrases."""
    return _read_by_phrases(text, (*_SPATIALVIZ_PHRASES, "答案", "correct path"))


def _read_by_phrases(text: str, phrases: tuple[str, ...]) -> ParsedAnswer:
    answer = _between(text, "<answer>", "</answer>")
    if answer is not None and _between(text, "<think>", "</think>") is not None:
        return _only_letter(answer.strip(), "in <answer>")
    if len(text) == 1:
        return _only_letter(text, "letter alone")
    for phrase in phrases:
        if phrase in text:
            return _only_letter(text.rpartition(phrase)[2].strip(), f"behind '{phrase}'")
    return nothing("neither both tags nor one of the phrases")


def _between(text: str, opening: str, closing: str) -> str | None:
    """Return the text between the first opening tag and the next closing one."""
    _, opened, behind = text.partition(opening)
    inside, closed, _ = behind.partition(closing)
    return inside if opened and closed else None


def _only_letter(text: str, rule: str) -> ParsedAnswer:
    letters = set(_CAPITAL.findall(text.split(".", 1)[0]))
    if len(letters) != 1:
        return nothing(f"{rule}: {'several letters' if letters else 'no letter'} from A to D before a full stop")
    return ParsedAnswer(letters.pop(), rule=rule)


SPATIALVIZ_READERS = (
    Reader(
        name="spatialviz",
        title="SpatialViz-Bench, the authors' parser",
        source="wangst0181/Spatial-Visualization-Benchmark, evaluation/evaluate.py, get_answer",
        read=read_spatialviz,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-spatialviz",
        title="SpatialViz-Bench in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/spatialviz/utils.py, spatialviz_process_results",
        read=read_spatialviz_lmms_eval,
        kinds=("choice",),
    ),
)


_LETTER_BY_ITSELF = re.compile(r"\b([A-D])\b", re.IGNORECASE)


def read_viewspatial(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first letter by itself behind the last line break."""
    start = text.rfind("\n") + 1
    found = _LETTER_BY_ITSELF.search(text, start)
    # The character before the line is a line break, so that a search from there sees the same word boundaries.
    return letter_of(found, "letter in the last line") if found else nothing("no letter in the last line")


VIEWSPATIAL = Reader(
    name="viewspatial",
    title="ViewSpatial-Bench, the authors' parser",
    source="ZJU-REAL/ViewSpatial-Bench, evaluate.py, extract_option of the last line",
    read=read_viewspatial,
    kinds=("choice",),
)


READERS = (
    BLINK,
    CAMBRIAN,
    *MINDCUBE_READERS,
    *MMSI_BENCH_READERS,
    *OMNISPATIAL_READERS,
    SITE,
    *SPATIALVIZ_READERS,
    VIEWSPATIAL,
)
