"""Readers against the functions that they do the same as, run out of the authors' repositories on replies made at random.

Where authors released no evaluation, lmms-eval's or VLMEvalKit's stands in, and the test is named after that.
"""

from __future__ import annotations

import ast
import copy
import inspect
import json
import math
import os
import random
import re
import string
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from interop import replies
from interop.released import branch, load, source_of
from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.metrics import metric_named
from tolman.scoring.metrics.accuracy import is_right, released_mra
from tolman.scoring.metrics.benchmark_metrics import easi_view_change, released_view_change
from tolman.scoring.readers import Reader, reader_named
from tolman.scoring.readers.open_answers import cleaned_sqa3d
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_items import score

pytestmark = pytest.mark.interop

REPLIES = 2_000
SEED = 20261122
WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
LMMS = "EvolvingLMMs-Lab/lmms-eval"
KIT = "open-compass/VLMEvalKit"
TASKS = "lmms_eval/tasks/"
Theirs = Callable[[Item, str], Any]


def choice(rng: random.Random, options: int | None = None) -> Item:
    number = options or rng.choice((2, 3, 4, 4, 4))
    return Item(
        id=str(rng.randrange(10**6)),
        question="Where is it?",
        kind="choice",
        options=replies.OPTIONS[:number],
        answer="ABCDE"[rng.randrange(number)],
        task="direction",
    )


def number(rng: random.Random, task: str = "distance") -> Item:
    return Item(
        id="1", question="How far?", kind="number", answer=rng.choice(("2", "3", "3.5", "12", "0.4", "5")), task=task
    )


class Silent:
    """What logs in released code write to."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **kwargs: None


@dataclass(frozen=True)
class Letters:
    """A reader whose letters are compared with those of a released function, '' where it has none."""

    reader: str
    theirs: Callable[[], Theirs]
    options: int | None = None
    count: int = REPLIES
    made: replies.Maker = replies.letters


def _found(value: Any, none: tuple[Any, ...] = ()) -> str:
    if not value or value in none:
        return ""
    return value[1] if re.fullmatch(r"\([A-E]\)", value) else str(value)


def _mindcube() -> Theirs:
    extract = load("mll-lab-nu/MindCube", "src/evaluation/core/extractors.py", "extract_answer", re=re)[
        "extract_answer"
    ]
    return lambda item, text: _found(extract(text))


def _mindcube_lmms() -> Theirs:
    extract = load(LMMS, f"{TASKS}mindcube/utils.py", "extract_answer", re=re)["extract_answer"]
    return lambda item, text: _found(extract(text.strip()))


def _viewspatial(repository: str, path: str) -> Theirs:
    extract = load(repository, path, "extract_option", re=re)["extract_option"]
    return lambda item, text: _found(extract(text.split("\n")[-1]))


def _blink() -> Theirs:
    analyze = load(
        "zeyofu/BLINK_Benchmark",
        "eval/test_benchmark.py",
        "analyze_answer",
        match_multiple_choice=lambda question, options, prediction: "",
    )["analyze_answer"]

    def read(item: Item, text: str) -> str:
        forms = [f"({letter})" for letter in "ABCDE"][: len(item.options)]
        return _found(analyze({"question": item.question, "choices": list(item.options)}, text, forms))

    return read


def _omnispatial(form: str) -> Theirs:
    run = branch("qizekun/OmniSpatial", "api_eval.py", "process_info", "eval_type == 'json'", re=re, json=json)
    return lambda item, text: _found(run(eval_type=form, response=text, gt_letter="A")["pred_letter"])


def _lmms_simple(task: str) -> Theirs:
    extract = load(LMMS, f"{TASKS}{task}/utils.py", "_extract_answer_letter", re=re)["_extract_answer_letter"]
    return lambda item, text: _found(extract(text))


def _lmms_blink(*, offered: bool) -> Theirs:
    """lmms-eval's BLINK; from 0.7.3 it is told the letters of the options."""
    known = {"re": re, "string": string}
    extract = load(LMMS, f"{TASKS}blink/utils.py", "_extract_answer_letter", **known)["_extract_answer_letter"]
    if ("valid_letters" in inspect.signature(extract).parameters) != offered:
        pytest.skip("the clone of lmms-eval has BLINK's other parser")
    return lambda item, text: _found(extract(text, "".join(item.letters)) if offered else extract(text))


def _lmms_3dsrbench() -> Theirs:
    extract = load(LMMS, f"{TASKS}3dsrbench/utils.py", "extract_answer", re=re)["extract_answer"]
    return lambda item, text: _found(extract(text.strip()))


def _lmms_mcq() -> Theirs:
    names = ("_DEFAULT_CHOICES", "_ANSWER_PHRASES", "_FORMAT_PRIORITY", "extract_mcq_answer")
    extract = load(LMMS, f"{TASKS}_task_utils/mcq_extract.py", *names, re=re)["extract_mcq_answer"]
    return lambda item, text: _found(extract(text, choices=["A", "B", "C", "D"]))


def _easi() -> dict[str, Any]:
    names = (
        *("ZW_RE", "NUMERIC_PATTERN", "_NUM_RE", "TAGGED_ANSWER_BLOCK", "TAGGED_NUMERIC_ANSWER", "can_match_option"),
        *(
            "_after_think",
            "_last_number",
            "build_word2num",
            "WORD2NUM",
            "WORD_NUMBER_PATTERN",
            "normalize_number_words",
        ),
        "can_match_na",
    )
    path = "vlmeval/dataset/utils/spatial_bench/matching_func.py"
    return load(KIT, path, *names, re=re, ast=ast, num2words=lambda value, lang: WORDS[value])


def _easi_letter() -> Theirs:
    match = _easi()["can_match_option"]
    return lambda item, text: _found(match(text))


def _kit_exact() -> Theirs:
    names = ("_VERBOSE_ANSWER_RE", "can_infer_option", "can_infer_text", "can_infer")
    path = "vlmeval/utils/matching_util.py"
    infer = load(KIT, path, *names, re=re, os=os, cp=copy, string=string, logger=Silent())["can_infer"]
    return lambda item, text: _found(infer(text, dict(zip(item.letters, item.options, strict=True))), ("Z",))


def _vsi() -> Theirs:
    first = load("vision-x-nyu/thinking-in-space", f"{TASKS}vsibench/utils.py", "fuzzy_matching")["fuzzy_matching"]
    return lambda item, text: _option(item, first(text))


def _option(item: Item, token: str) -> str:
    """A token that is compared with the answer in any case: the option's letter that it is, or ''."""
    return token.upper() if len(token) == 1 and token.lower() in item.letters.lower() else ""


def _revsi_lmms() -> Theirs:
    return _scored_letters(
        load(
            LMMS,
            f"{TASKS}revsi/utils.py",
            "revsi_process_results",
            MCQ_QUESTION_TYPES=["direction"],
            REVSI_METRICS=["m"],
        )["revsi_process_results"],
        lambda item, letter: {"ground_truth": letter, "question_type": "direction"},
        lambda result: result["m"]["acc"],
    )


def _scored_letters(
    process: Callable[..., Any], row: Callable[[Item, str], dict[str, Any]], score: Callable[[Any], float]
) -> Theirs:
    """The letter that a released scorer counts as right, found by asking it for each."""

    def read(item: Item, text: str) -> str:
        right = [letter for letter in item.letters if score(process(row(item, letter), [text]))]
        assert len(right) <= 1
        return "".join(right)

    return read


def _mmsi() -> Theirs:
    name = "extract_single_choice_with_word_boundary"
    extract = load("InternRobotics/MMSI-Bench", "vlmeval/dataset/mmsi_bench.py", name, re=re)[name]
    return lambda item, text: _found(extract(text))


def _mmsi_lmms() -> Theirs:
    name = "extract_single_choice_with_word_boundary"
    extract = load(LMMS, f"{TASKS}mmsi_bench/utils.py", name, re=re)[name]
    return lambda item, text: "".join(letter for letter in "ABCDEF" if extract(text, letter))


DRAWN = "drawn"


def _site(repository: str, path: str) -> Theirs:
    class Drawing:
        @staticmethod
        def choice(letters: str) -> str:
            return DRAWN

    parse = load(repository, path, "parse_multi_choice_response", np=np, random=Drawing)["parse_multi_choice_response"]
    return lambda item, text: parse(text.strip(), item.letters)


def _spar_choice() -> Theirs:
    exact = load("fudan-zvg/spar", "lmms-eval/lmms_eval/tasks/sparbench/utils.py", "exact_match")["exact_match"]
    return lambda item, text: "".join(letter for letter in item.letters if exact(text, letter))


def _super_recall() -> Theirs:
    names = ("_OPTION_RE", "_normalize_option")
    extract = load(LMMS, f"{TASKS}vsisuper/recall/vsr_utils.py", *names, re=re)["_normalize_option"]
    return lambda item, text: _found(extract(text))


def _mmsi_video(repository: str, path: str) -> Theirs:
    extract = load(repository, path, "clear_words", "extract_answer")["extract_answer"]

    def read(item: Item, text: str) -> str:
        found = extract(text)
        return found if found in ("A", "B", "C", "D", "E", "F") else ""

    return read


def _sti() -> Theirs:
    extract = load("MINT-SJTU/STI-Bench", "opensource_test.py", "ANSWER_PATTERNS", "extract_answer", re=re)[
        "extract_answer"
    ]

    def read(item: Item, text: str) -> str:
        found = extract(text) or text.strip()
        return found if extract(text) or found in tuple(item.letters) else ""

    return read


def _spatialviz_lmms() -> Theirs:
    process = load(
        LMMS,
        f"{TASKS}spatialviz/utils.py",
        "spatialviz_process_results",
        re=re,
        eval_logger=Silent(),
        List=list,
        Dict=dict,
        Any=Any,
        spatialviz_doc_to_text=lambda doc: "",
    )["spatialviz_process_results"]
    return _scored_letters(
        process,
        lambda item, letter: {"Answer": letter, "Image_id": 1, "Category": "", "Task": "", "Level": ""},
        lambda result: result["spatialviz_score"]["is_correct"],
    )


def _cambrian() -> Theirs:
    extract = load("cambrian-mllm/cambrian", "eval/eval/omni/omni_test.py", "extract_mcq_answer")["extract_mcq_answer"]

    def read(item: Item, text: str) -> str:
        found = extract(text)
        named = [letter for letter in item.letters if letter.lower() == found]
        told = [letter for letter, option in zip(item.letters, item.options, strict=True) if option == found]
        return (named or told or [""])[0]

    return read


LETTERS = {
    "VSI-Bench, the authors": Letters("vsi-bench", _vsi),
    "MMSI-Bench, the authors": Letters("mmsi-bench", _mmsi, options=4),
    "MMSI-Bench, lmms-eval": Letters("lmms-eval-mmsi", _mmsi_lmms, options=4),
    "SITE, the authors": Letters("site", partial(_site, "wenqi-wang20/SITE-Bench", "eval_scripts/sitebench/utils.py")),
    "SITE, lmms-eval": Letters("site", partial(_site, LMMS, f"{TASKS}sitebench/utils.py")),
    "MindCube, the authors": Letters("mindcube", _mindcube),
    "MindCube, lmms-eval": Letters("lmms-eval-mindcube", _mindcube_lmms),
    "ViewSpatial, the authors": Letters(
        "viewspatial", partial(_viewspatial, "ZJU-REAL/ViewSpatial-Bench", "evaluate.py")
    ),
    "ViewSpatial, lmms-eval": Letters("viewspatial", partial(_viewspatial, LMMS, f"{TASKS}viewspatial/utils.py")),
    "BLINK, the authors without their judge": Letters("blink", _blink, made=replies.in_parentheses),
    "BLINK, lmms-eval until 0.7.2": Letters("lmms-eval-letter", partial(_lmms_blink, offered=False)),
    "BLINK, lmms-eval from 0.7.3": Letters("lmms-eval-blink", partial(_lmms_blink, offered=True)),
    "EmbSpatial, lmms-eval": Letters("lmms-eval-letter", partial(_lmms_simple, "embspatial")),
    "CV-Bench, the authors": Letters("cambrian", _cambrian),
    "CV-Bench, lmms-eval": Letters("lmms-eval-letter", partial(_lmms_simple, "cv_bench")),
    "3DSRBench, lmms-eval": Letters("lmms-eval-3dsrbench", _lmms_3dsrbench),
    "3DSRBench, BLINK and others, VLMEvalKit": Letters("vlmevalkit-exact", _kit_exact),
    "EASI's eight, VLMEvalKit": Letters("easi", _easi_letter, count=5 * REPLIES),
    "ERQA, lmms-eval": Letters("lmms-eval-mcq", _lmms_mcq),
    "ReVSI, lmms-eval": Letters("revsi", _revsi_lmms),
    "SPAR-Bench, the authors": Letters("spar", _spar_choice),
    "OmniSpatial re, the authors": Letters("omnispatial-re", partial(_omnispatial, "re")),
    "OmniSpatial json, the authors": Letters("omnispatial-json", partial(_omnispatial, "json")),
    "OmniSpatial direct, the authors": Letters("omnispatial-direct", partial(_omnispatial, "direct")),
    "VSI-SUPER Recall, lmms-eval": Letters("vsi-super", _super_recall),
    "MMSI-Video, the authors": Letters(
        "mmsi-video", partial(_mmsi_video, "InternRobotics/MMSI-Video-Bench", "evaluation.py")
    ),
    "MMSI-Video, lmms-eval": Letters("lmms-eval-mmsi-video", partial(_mmsi_video, LMMS, f"{TASKS}mmsi_video/utils.py")),
    "STI-Bench, the authors": Letters("sti-bench", _sti),
    "SpatialViz, lmms-eval": Letters("lmms-eval-spatialviz", _spatialviz_lmms, options=4),
}


def _letter(found: ParsedAnswer, item: Item) -> str:
    if found.guessed:
        return DRAWN
    return "" if found.value is None else str(found.value)


def _agree(name: str, count: int, differing: list[str], answered: int) -> None:
    print(f"{name}: {count - len(differing):,} of {count:,} replies alike, {answered:,} with an answer")
    assert answered > count / 20
    assert not differing, "\n".join(differing[:10])


@pytest.mark.parametrize("name", LETTERS)
def test_letters_of_released_functions(name: str) -> None:
    case, reader = LETTERS[name], reader_named(LETTERS[name].reader)
    theirs = case.theirs()
    rng = random.Random(SEED)
    differing, answered = [], 0
    for reply in replies.made(case.made, case.count, SEED):
        item = choice(rng, case.options)
        own = _letter(reader.read(item, reply, 0), item)
        if name.startswith("SPAR") and not reply:
            own = item.letters  # every letter is right
        other = theirs(item, reply)
        answered += bool(other)
        if own != other:
            differing.append(f"{reply!r}, {len(item.options)} options: {own!r}, and {other!r} of the release")
    _agree(name, case.count, differing, answered)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_texts_as_sqa3d_cleans_them() -> None:
    clean = load("SilongYong/SQA3D", "LLM/eval_sqa3d_llm.py", "clean_answer", re=re)["clean_answer"]
    rng = random.Random(SEED)
    pieces = (
        *("The", "a", "an", "a a", "TV", "tv", "letf", "rigth", "2", "10", "23", "21", "0", "none", "oclock", "o' clock"),
        *("chair2", "mat 2", "backwards", "no,", " ", "  ", "\n", " \n", "\u2019", "\xe7", "-", ":", ".", ". ", "1.5", "x1y2"),
    )  # fmt: skip
    for _ in range(REPLIES):
        text = "".join(rng.choice(pieces) + rng.choice(("", " ")) for _ in range(rng.randint(0, 8)))
        assert cleaned_sqa3d(text) == clean([{"answer": text}])[0]["answer"], repr(text)


# Numbers: what the released code scores, and what the reader and the metric score ---------------------------------


@dataclass(frozen=True)
class Numbers:
    """A reader and a metric whose score is compared with that of a released function."""

    reader: str
    theirs: Callable[[], Theirs]
    score: Callable[[Item, ParsedAnswer], float]
    task: str = "distance"
    made: replies.Maker = replies.numbers


MRA = ("abs_dist_norm", "mean_relative_accuracy")


def _vsi_number() -> Theirs:
    names = ("fuzzy_matching", *MRA, "to_float")
    found = load("vision-x-nyu/thinking-in-space", f"{TASKS}vsibench/utils.py", *names, np=np)
    return _mra(found, lambda text: found["to_float"](found["fuzzy_matching"](text)))


def _mra(found: dict[str, Any], number: Callable[[str], Any]) -> Theirs:
    def score(item: Item, text: str) -> float:
        try:
            with np.errstate(all="ignore"):
                return float(found["mean_relative_accuracy"](number(text), item.float_answer, 0.5, 0.95, 0.05))
        except (TypeError, IndexError, ValueError, OverflowError):
            return 0.0

    return score


def _vsi_lmms_number() -> Theirs:
    names = ("_NUMBER_WORDS", "_NUM_RE", "extract_number", *MRA)
    found = load(LMMS, f"{TASKS}vsibench/utils.py", *names, np=np, re=re)
    return _mra(found, found["extract_number"])


def _easi_number() -> Theirs:
    names = ("abs_dist_norm", "mean_relative_accuracy")
    scores = load(KIT, "vlmeval/dataset/utils/spatial_bench/cal_scores.py", *names, np=np)
    return _mra(scores, _easi()["can_match_na"])


def _revsi_number() -> Theirs:
    process = load(
        LMMS,
        f"{TASKS}revsi/utils.py",
        "_mean_relative_accuracy",
        "revsi_process_results",
        np=np,
        MCQ_QUESTION_TYPES=[],
        NQ_QUESTION_TYPES=["distance"],
        REVSI_METRICS=["m"],
    )["revsi_process_results"]

    def score(item: Item, text: str) -> float:
        with np.errstate(all="ignore"):
            return float(process({"ground_truth": item.answer, "question_type": "distance"}, [text])["m"]["acc"])

    return score


def _spar_number(task: str) -> Theirs:
    names = ("process_na", "to_float", *MRA)
    path = "lmms-eval/lmms_eval/tasks/sparbench/utils.py"
    found = load("fudan-zvg/spar", path, *names, np=np, re=re)
    return _mra(found, lambda text: found["to_float"](found["process_na"](text, task)))


def _super_count() -> Theirs:
    names = ("_NUMBER_RE", "_extract_number", "_mean_relative_accuracy")
    found = load(LMMS, f"{TASKS}vsisuper/count/vsc_utils.py", *names, np=np, re=re)
    return lambda item, text: found["_mean_relative_accuracy"](found["_extract_number"](text), item.float_answer)


NUMBERS = {
    "VSI-Bench, the authors": Numbers("vsi-bench", _vsi_number, released_mra),
    "VSI-Bench, lmms-eval": Numbers("lmms-eval-vsi", _vsi_lmms_number, released_mra),
    "EASI's numbers, VLMEvalKit": Numbers("easi", _easi_number, released_mra),
    "ReVSI, lmms-eval": Numbers("revsi", _revsi_number, released_mra),
    "SPAR-Bench, the authors, one view": Numbers(
        "spar", partial(_spar_number, "depth_prediction_oc"), released_mra, "depth_prediction_oc"
    ),
    "SPAR-Bench, the authors, several views": Numbers(
        "spar", partial(_spar_number, "depth_prediction_oc_mv"), released_mra, "depth_prediction_oc_mv"
    ),
    "VSI-SUPER Count, lmms-eval": Numbers("vsi-super", _super_count, released_mra),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_scores_of_numbers(name: str) -> None:
    case, reader = NUMBERS[name], reader_named(NUMBERS[name].reader)
    theirs = case.theirs()
    rng = random.Random(SEED)
    differing, answered = [], 0
    for reply in replies.made(case.made, REPLIES, SEED):
        item = number(rng, case.task)
        found = reader.read(item, reply, 0)
        own = 0.0 if found.value is None else case.score(item, found)
        other = theirs(item, reply)
        answered += other > 0
        if not math.isclose(own, other, abs_tol=1e-12):
            differing.append(f"{reply!r}, truth {item.answer}: {own}, and {other} of the release")
    _agree(name, REPLIES, differing, answered)


CHANGES = {
    "SPAR-Bench, the authors": ("spar", released_view_change),
    "SPAR-Bench, VLMEvalKit": ("easi-spar", easi_view_change),
}


@pytest.mark.parametrize("name", CHANGES)
def test_scores_of_changes_of_view(name: str) -> None:
    (reader, metric), rng = CHANGES[name], random.Random(SEED)
    theirs = _spar_change() if reader == "spar" else _easi_change()
    differing, answered = [], 0
    for reply in replies.made(replies.moves, REPLIES, SEED):
        truth = ",".join(f"{rng.choice(replies.MOVES)}:{rng.choice(('1', '0.5', '2.3', '20', '0'))}" for _ in range(3))
        item = Item.model_construct(kind="text", answer=truth, task="view_change_infer", options=())
        found = reader_named(reader).read(item, reply, 0)
        own = 0.0 if found.value is None else metric(item, found)
        other = theirs(item, reply)
        answered += other > 0
        if not math.isclose(own, other, abs_tol=1e-12):
            differing.append(f"{reply!r}, truth {truth}: {own}, and {other} of the release")
    _agree(name, REPLIES, differing, answered)


def _spar_change() -> Theirs:
    names = ("parse_instruction", "compute_vci_metric", *MRA)
    path = "lmms-eval/lmms_eval/tasks/sparbench/utils.py"
    compute = load("fudan-zvg/spar", path, *names, np=np)["compute_vci_metric"]

    def score(item: Item, text: str) -> float:
        try:
            return float(compute(text, item.answer))
        except Exception:  # as the released caller
            return 0.0

    return score


def _easi_change() -> Theirs:
    scores = load(KIT, "vlmeval/dataset/utils/spatial_bench/cal_scores.py", *MRA, np=np)
    names = ("_parse_instruction", "_compute_vci_metric")
    found = load(KIT, "vlmeval/dataset/sparbench.py", *names, np=np, **{name: scores[name] for name in MRA})

    class Owner:
        _parse_instruction = staticmethod(found["_parse_instruction"])

    return lambda item, text: float(found["_compute_vci_metric"](Owner, text, item.answer))


# Points: the pixels that the released code looks up ---------------------------------------------------------------

WIDTH, HEIGHT = 64, 48
PICTURE = json.dumps({"size": [WIDTH, HEIGHT], "box": [3, 4, 30, 40]})


@dataclass(frozen=True)
class Pointing:
    """A reader whose points are compared with the pixels that a released function gives."""

    reader: str
    theirs: Callable[[], Callable[[str], Any]]
    leaves_out: bool = True
    made: replies.Maker = replies.points


def _roborefer(name: str, **settings: Any) -> Callable[[str], Any]:
    parse = load("Zhoues/RoboRefer", "Evaluation/summarize_acc.py", name, re=re, json=json, np=np)[name]
    return lambda text: parse(text, WIDTH, HEIGHT, **settings)


def _robopoint() -> Callable[[str], Any]:
    parse = load("wentaoyuan/RoboPoint", "robopoint/eval/summarize_vqa.py", "text2pts", re=re, np=np)["text2pts"]
    return lambda text: parse(text)


def _lmms_points(task: str, grid: int) -> Callable[[str], Any]:
    parse = load(LMMS, f"{TASKS}{task}/utils.py", "_text2pts", re=re, np=np)["_text2pts"]
    return lambda text: parse(text, WIDTH, HEIGHT, grid)


def _lmms_pairs() -> Callable[[str], Any]:
    parse = load(LMMS, f"{TASKS}_task_utils/point_format.py", "parse_point2d", re=re, np=np)["parse_point2d"]
    return lambda text: parse(text, WIDTH, HEIGHT)


POINTS = {
    "RefSpatial-Bench, the authors, tuples": Pointing("refspatial", partial(_roborefer, "text2pts")),
    "RefSpatial-Bench, the authors, pixels": Pointing(
        "refspatial-absolute", partial(_roborefer, "text2pts", is_absolute=True)
    ),
    "RefSpatial-Bench, the authors, Molmo": Pointing("refspatial-molmo", partial(_roborefer, "xml2pts")),
    "RefSpatial-Bench, the authors, Gemini": Pointing(
        "refspatial-gemini", partial(_roborefer, "json2pts"), made=replies.fenced_points
    ),
    "Where2Place, the authors": Pointing("where2place", _robopoint),
    "RefSpatial-Bench, lmms-eval": Pointing("lmms-eval-points", partial(_lmms_points, "refspatial", 1), False),
    "Where2Place, lmms-eval": Pointing("lmms-eval-points-1000", partial(_lmms_points, "where2place", 1000), False),
    "RefSpatial-Bench, lmms-eval, JSON": Pointing("lmms-eval-point2d", _lmms_pairs, False),
}
LEFT_OUT = "left out"


def _pixels(reader: Reader, item: Item, reply: str) -> Counter[tuple[int, int]] | str:
    """The pixels of a reading: of a box all that are in it."""
    if not reader.counts(item, reply):
        return LEFT_OUT
    found = reader.read(item, reply, 0)
    if found.value is None:
        return Counter()
    place = json.loads(str(found.value))
    assert place.pop("size") == [WIDTH, HEIGHT]
    if "points" in place:
        return Counter((math.floor(x), math.floor(y)) for x, y in place["points"])
    inside: Counter[tuple[int, int]] = Counter()
    for x0, y0, x1, y1 in place["boxes"]:
        inside.update(
            (x, y) for x in range(math.floor(x0), math.ceil(x1)) for y in range(math.floor(y0), math.ceil(y1))
        )
    return inside


@pytest.mark.parametrize("name", POINTS)
def test_pixels_of_points(name: str) -> None:
    case, reader = POINTS[name], reader_named(POINTS[name].reader)
    theirs = case.theirs()
    item = Item.model_construct(kind="points", answer=PICTURE, options=(), task="t")
    differing, answered = [], 0
    for reply in replies.made(case.made, REPLIES, SEED):
        own = _pixels(reader, item, reply)
        try:
            other: Counter[tuple[int, int]] | str = Counter((math.floor(x), math.floor(y)) for x, y in theirs(reply))
        except Exception:  # as the released caller
            other = LEFT_OUT if case.leaves_out else Counter()
        answered += bool(other) and other != LEFT_OUT
        if own != other:
            differing.append(f"{reply!r}: {str(own)[:200]}, and {str(other)[:200]} of the release")
    _agree(name, REPLIES, differing, answered)


# RoboSpatial-Home: yes or no, and a point in a polygon ------------------------------------------------------------


def test_yes_and_no_of_robospatial() -> None:
    names = ("point_in_polygon", "evaluate_answer")
    evaluate = load("chanhee-luke/RoboSpatial-Eval", "evaluation.py", *names, re=re, ast=ast)["evaluate_answer"]
    _yes_or_no("robospatial", lambda truth, text: evaluate(truth, text)[0])


def test_yes_and_no_of_robospatial_in_lmms_eval() -> None:
    found = load(LMMS, f"{TASKS}robo_spatial/utils.py", "remove_think", "evaluate_binary_answer", re=re)
    _yes_or_no(
        "lmms-eval-robospatial", lambda truth, text: found["evaluate_binary_answer"](truth, found["remove_think"](text))
    )


def _yes_or_no(name: str, right: Callable[[str, str], bool]) -> None:
    differing, answered = [], 0
    for reply in replies.made(replies.yes_or_no, REPLIES, SEED):
        for truth in ("yes", "no"):
            item = Item.model_construct(kind="yes-no", answer=truth, options=(), task="t")
            own = is_right(item, reader_named(name).read(item, reply, 0))
            other = right(truth, reply)
            answered += bool(other)
            if own != other:
                differing.append(f"{reply!r}, truth {truth}: {own}, and {other} of the release")
    _agree(name, 2 * REPLIES, differing, answered)


def test_the_point_of_robospatial() -> None:
    names = ("point_in_polygon", "evaluate_answer")
    evaluate = load("chanhee-luke/RoboSpatial-Eval", "evaluation.py", *names, re=re, ast=ast, print=lambda *a: None)
    polygon = "[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]"
    item = Item.model_construct(kind="points", answer='{"polygon": [[0, 0], [0, 1], [1, 1]]}', options=(), task="t")
    differing, answered = [], 0
    for reply in replies.made(replies.points, REPLIES, SEED):
        found = reader_named("robospatial").read(item, reply, 0)
        own = None if found.value is None else tuple(map(float, json.loads(str(found.value))["points"][0]))
        other = evaluate["evaluate_answer"](polygon, reply)[2]
        answered += other is not None
        if own != other:
            differing.append(f"{reply!r}: {own}, and {other} of the release")
    _agree("robospatial, points", REPLIES, differing, answered)


def test_spatial457_in_lmms_eval() -> None:
    name = "_extract_answer_from_response"
    extract = load(LMMS, f"{TASKS}spatial457/utils.py", name, re=re)[name]
    item = Item.model_construct(kind="text", answer="left", options=(), task="t")
    differing, answered = [], 0
    for reply in replies.made(replies.letters, REPLIES, SEED):
        own = reader_named("lmms-eval-spatial457").read(item, reply, 0).value or ""
        other = extract(reply)
        answered += bool(other)
        if own != other:
            differing.append(f"{reply!r}: {own!r}, and {other!r} of the release")
    _agree("spatial457", REPLIES, differing, answered)


def test_answers_of_spatial457_are_compared_as_in_the_harnesses() -> None:
    lmms = load(LMMS, f"{TASKS}spatial457/utils.py", "_check_correctness")["_check_correctness"]
    kit: dict[str, Any] = {}
    exec(source_of(KIT, "vlmeval/dataset/utils/spatial457.py"), kit)
    theirs = {"lmms-eval-spatial457": lmms, "vlmevalkit-spatial457": kit["Spatial457_utils"]().is_correct}
    answers = {
        "yes-no": ("Yes", "No"),
        "number": ("0", "1", "3", "10"),
        "text": ("airliner", "road bike", "red", "left"),
    }
    said = (
        "Yes",
        "no",
        "NO",
        "true",
        "0",
        "1",
        "3",
        "03",
        "7",
        "three",
        "Ten",
        "none",
        "jet",
        "Road Bike",
        "bus",
        "",
        " red",
    )
    for name, compare in theirs.items():
        own = metric_named(name).per_item
        for kind, answer in ((kind, answer) for kind, some in answers.items() for answer in some):
            right = answer.lower() if kind == "yes-no" else answer
            item = Item.model_construct(id="1", kind=kind, answer=right, options=(), task="t")
            for reply in said:
                assert bool(own(item, ParsedAnswer(reply))) == bool(compare(answer, reply)), (name, answer, reply)


def test_what_spatial457_reads_in_vlmevalkit() -> None:
    source = source_of(KIT, "vlmeval/dataset/spatial457.py")
    assert "ROBUST = True" in source, "it would draw an answer where it now takes the whole reply"
    patterns = [
        ast.literal_eval(text) for text in re.findall(r"pred_try_\d = re\.search\((r(?:'.*'|\".*\")), line", source)
    ]
    assert len(patterns) == 3
    item = Item.model_construct(kind="text", answer="left", options=(), task="t")
    for reply in replies.made(replies.letters, REPLIES, SEED):
        found = next((match for pattern in patterns if (match := re.search(pattern, reply))), None)
        own = reader_named("vlmevalkit-spatial457").read(item, reply, 0).value
        assert (own or "").strip() == (found[1] if found else reply).strip()


# BLINK's judge -----------------------------------------------------------------------------------------------------


def test_blinks_judge_is_told_what_its_authors_tell_theirs() -> None:
    build = load("zeyofu/BLINK_Benchmark", "eval/multiple_choice.py", "build_prompt")["build_prompt"]
    item = Item(
        id="1", question="Which point is closer?", kind="choice", options=("A", "B"), answer="A", task="Counting"
    )
    for reply in replies.made(replies.letters, 200, SEED):
        theirs = build(f"{item.question}\nSelect from the following choices", "(A) A\n(B) B", reply)
        assert benchmarks.get("blink").judging.prompt(item, reply) == theirs


# 3DSRBench's four settings ----------------------------------------------------------------------------------------


def test_the_four_settings_of_3dsrbench() -> None:
    names = {
        "vanilla": "aggregate_vanilla_accuracy",
        "flip": "aggregate_flip_accuracy",
        "circular": "aggregate_circular_accuracy",
        "flip-circular": "aggregate_flip_circular_accuracy",
    }
    found = load(LMMS, f"{TASKS}3dsrbench/utils.py", "get_qid_key", *names.values())
    own = benchmarks.get("3dsrbench").rule_set
    groups = {name: own("lmms-eval" if name == "vanilla" else f"lmms-eval-{name}").group for name in names}
    rules = [replace(careful(), name=name, group=group) for name, group in groups.items()]
    rng = random.Random(SEED)
    for _ in range(20):
        items, responses, rows = [], [], []
        for base in (f"{rng.randrange(16**8):08X}" for _ in range(30)):
            for suffix in ("", "-1", "-2", "-3", "-flip", "-flip-1", "-flip-2", "-flip-3"):
                if rng.random() < 0.9:
                    item = choice(rng, 4).model_copy(update={"id": base + suffix, "labels": {"qid": base + suffix}})
                    right = rng.random() < 0.9
                    letter = item.answer if right else item.letters[item.letters.index(item.answer) - 1]
                    items.append(item)
                    responses.append(Response(id=item.id, response=letter))
                    rows.append({"qid": item.id, "score": float(right)})
        scored = score(items, responses, rules)
        for setting, name in names.items():
            mean = scored.filter(rule_set=setting, status="scored")["score"].mean()
            assert math.isclose(mean, found[name](rows)), setting
