"""Stages of a recipe: Tolman's own in their order, and one that a local file adds between them.

Open-ended questions in their multiple-choice form: never a second right option, letters even.

Which questions people look at, by their cognitive level: released, curated and generated ones.

Asking is a library's work: signals are the command's.
"""

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from curate.test_pipeline import COMMAND, prepare
from curator import Curator
from loopback import serving
from terminal import tolman
from tolman import benchmarks
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF, LEVELS, repair_task_name
from tolman.curate.asking import AskedModel, Asker, ModelTask
from tolman.curate.candidates import Candidate
from tolman.curate.convert import Bank, ConvertRules, Unconverted, convert, movable, numbers_apart, too_close
from tolman.curate.mapping import open_mapping
from tolman.curate.pipeline import Recipe, Stage, Work, carry_out, in_order, read_recipe, stages_of
from tolman.curate.stages import NO_LEVELS, doubts, lacks_level, level_of, read_letters
from tolman.errors import UsageError
from tolman.generate.distractors import Dealer
from tolman.generate.family import labels_of
from tolman.ground_truth.question_families import families
from tolman.items import Item
from tolman.messages import Message
from tolman.plugins import load_plugin

OWN = ["import", "duplicates", "classify", "convert", "stratify", "verify", "benchmark"]


def recipe(**stages: dict[str, object]) -> Recipe:
    return Recipe.model_validate({"name": "x", "sources": [{"mapping": "vsi-bench", "data": "."}], "stages": stages})


def test_own_stages_are_in_the_order_of_their_declarations() -> None:
    assert [stage.name for stage in stages_of(recipe())] == OWN


def test_a_stage_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no stage of a plugin 'shortest'"):
        stages_of(recipe(shortest={}))
    with pytest.raises(UsageError, match="no stage of a plugin 'convert'"):
        stages_of(recipe(convert={}))


def test_stages_come_after_others_and_not_in_a_circle() -> None:
    def stage(name: str, after: str) -> Stage:
        return Stage(name, lambda work, before, out: {}, after=after)

    found = in_order([stage("c", "a"), stage("b", "a"), stage("a", ""), stage("d", "b")])
    assert [one.name for one in found] == ["a", "b", "d", "c"]
    with pytest.raises(UsageError, match="'b' comes after 'z', which there isn't"):
        in_order([stage("a", ""), stage("b", "z")])
    with pytest.raises(UsageError, match="'b', 'c' come after each other in a circle"):
        in_order([stage("a", ""), stage("b", "c"), stage("c", "b")])
    with pytest.raises(UsageError, match="can't be named 'media'"):
        stage("media", "")


def test_a_local_file_adds_a_stage_with_a_table_of_its_own(tmp_path: Path) -> None:
    docs = (Path(__file__).resolve().parents[2] / "docs" / "extend" / "family.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n# short_questions.py\n(.*?)```", docs, re.DOTALL)
    file = tmp_path / "short_questions.py"
    file.write_text(source)
    load_plugin(file)
    extract = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
    text = f'name = "mine"\n[[sources]]\nmapping = "vsi-bench"\ndata = "{extract}"\n'
    plain, longer = tmp_path / "plain.toml", tmp_path / "longer.toml"
    plain.write_text(text)
    longer.write_text(text + "[stages.short-questions]\nwords = 25\n")
    old = {one.name: one for one in done(plain, tmp_path / "plain")}
    new = {one.name: one for one in done(longer, tmp_path / "longer")}
    assert list(old) == ["import", "convert", "benchmark"]
    assert list(new) == ["import", "convert", "short-questions", "benchmark"]
    kept = new["short-questions"].statistics["candidates"]
    assert 0 < kept < old["benchmark"].statistics["questions"]
    assert new["benchmark"].statistics["questions"] == kept
    for name in ("import", "convert"):  # what comes before is what it was
        assert stamp(tmp_path / "plain", name) == stamp(tmp_path / "longer", name)
    assert not any(one.again for one in done(longer, tmp_path / "longer"))
    longer.write_text(text + "[stages.short-questions]\nwords = 20\n")
    again = {one.name: one.again for one in done(longer, tmp_path / "longer")}
    assert again == {"import": False, "convert": False, "short-questions": True, "benchmark": True}
    shown = tolman(tmp_path, "curate", "run", "longer.toml", "--out", "typed", "--plugin", "short_questions.py")
    assert shown.returncode == 0, shown.stderr
    assert "short-questions" in shown.stdout
    lacking = tolman(tmp_path, "curate", "run", "longer.toml", "--out", "other")
    assert lacking.returncode == 2
    assert "no stage of a plugin 'short-questions'" in lacking.stderr


def done(path: Path, pool: Path):  # type: ignore[no-untyped-def]
    made = read_recipe(path)
    return carry_out(Work(made, pool), stages_of(made))


def stamp(pool: Path, stage: str) -> str:
    return str(json.loads((pool / stage / "stage.json").read_text())["fingerprint"])


ANSWERS = st.one_of(
    st.integers(-500, 5000).map(str),
    st.decimals(Decimal("0.01"), Decimal(10_000), places=2).map(str),
    st.decimals(Decimal("0.1"), Decimal(100), places=1).map(str),
)
RULES = ConvertRules()
MARGINS = st.sampled_from(["0.05", "0.10", "0.20", "0.30"])


def candidate(answer: str, kind: str = "number", number: int = 0, **rest: Any) -> Candidate:
    return Candidate(id=f"s/{number}", source="s", question="How far?", kind=kind, answer=answer, task="t", **rest)


def bank_of(*answers: str, kind: str = "text") -> Bank:
    bank = Bank()
    for i, answer in enumerate(answers):
        bank.add(candidate(answer, kind, i))
    return bank


def made(one: Candidate, rules: ConvertRules = RULES, bank: Bank | None = None) -> Candidate:
    """The converted question."""
    found = convert(one, rules, bank or Bank(), Dealer("0"), "0")
    assert isinstance(found, Candidate)
    return found


def kept_open(one: Candidate, rules: ConvertRules = RULES, bank: Bank | None = None) -> str:
    """Why a question can't be converted."""
    found = convert(one, rules, bank or Bank(), Dealer("0"), "0")
    assert isinstance(found, Unconverted)
    return found.reason


@given(ANSWERS, MARGINS, st.sampled_from(["count", "m", None]), st.integers(2, 6), st.booleans(), st.integers(0, 99))
def test_a_converted_number_never_has_a_second_right_option(
    answer: str, margin: str, unit: Any, count: int, own: bool, seed: int
) -> None:
    rules = ConvertRules(margin=margin, options=count, numbers="answers" if own else "bounds")
    bank = bank_of("1", "2", "3.5", "40", "400", "0.5", "17", kind="number")
    found = convert(candidate(answer, unit=unit), rules, bank, Dealer("0"), str(seed))
    if isinstance(found, Unconverted):
        return
    assert found.kind == "choice"
    assert len(found.options) == count
    assert Decimal(found.answer_text) == Decimal(answer)
    values = [Decimal(option) for option in found.options]
    least = abs(Decimal(answer)) * Decimal(margin)
    assert all(a != b and abs(a - b) >= least for i, a in enumerate(values) for b in values[:i])
    assert found.evidence["converted"]["margin"] == margin
    found.item()


@given(st.integers(0, 3000), st.sampled_from(["count", None]))
def test_every_count_can_be_converted(answer: int, unit: Any) -> None:
    found = made(candidate(str(answer), unit=unit))
    assert all(int(option) >= min(1, answer) for option in found.options)


@given(st.lists(st.sampled_from([3, 4, 4, 4, 5]), min_size=1, max_size=400), st.integers(0, 9))
def test_letters_are_even_at_every_moment(counts: list[int], seed: int) -> None:
    dealer = Dealer(str(seed))
    given_out: dict[int, Counter[int]] = {}
    for count in counts:
        given_out.setdefault(count, Counter(dict.fromkeys(range(count), 0)))[dealer.place(count)] += 1
        tally = given_out[count].values()
        assert max(tally) - min(tally) <= 1


def test_letters_of_many_converted_questions_are_even_within_one_per_cent() -> None:
    dealer, letters = Dealer("0"), Counter[str]()
    for i in range(1000):
        found = convert(candidate(str(i + 5), number=i), ConvertRules(), Bank(), dealer, "0")
        assert isinstance(found, Candidate)
        letters[found.answer] += 1
    assert all(abs(n / 1000 - 0.25) <= 0.01 for n in letters.values())


def test_the_right_number_is_as_often_the_smallest_as_the_largest() -> None:
    ranks = Counter[int]()
    for i in range(800):
        found = made(candidate("240", number=i, unit="cm"))
        ranks[sorted(map(Decimal, found.options)).index(Decimal(240))] += 1
    assert all(150 < ranks[rank] < 250 for rank in range(4))


@pytest.mark.parametrize(
    ("answer", "options"),
    [("yes", {"yes", "no"}), ("No", {"Yes", "No"}), ("True", {"True", "False"}), ("no.", {"no.", "yes"})],
)
def test_closed_answers(answer: str, options: set[str]) -> None:
    assert set(made(candidate(answer, "text")).options) == options


def test_a_number_inside_a_text_keeps_its_words() -> None:
    found = made(candidate("about 3 meters", "text"))
    assert all(option.startswith("about ") and option.endswith(" meters") for option in found.options)
    assert found.evidence["converted"]["by"] == "bounds"


@pytest.mark.parametrize(
    ("answer", "kind", "right"), [("٣", "number", "3"), ("about ３ metres", "text", "about 3 metres")]
)
def test_options_are_in_the_digits_of_one_script(answer: str, kind: str, right: str) -> None:
    found = made(candidate(answer, kind))
    assert found.answer_text == right
    assert all(option.isascii() for option in found.options)


@pytest.mark.parametrize(
    ("first", "second"),
    [("the brown shelf", "a shelf"), ("Chairs", "chair"), ("two dogs", "2 dogs"), ("left of the tv", "to the left of tv")],
)  # fmt: skip
def test_the_same_in_other_words_is_too_close(first: str, second: str) -> None:
    assert too_close(first, second, 0.6)
    assert too_close(second, first, 0.6)


def test_distractors_of_texts_are_other_answers_that_say_something_else() -> None:
    bank = bank_of("on the shelf", "the shelf", "under the bed", "in the hall", "at the window", "on the brown shelf")
    found = made(candidate("on the shelf", "text", 77), bank=bank)
    assert set(found.options) == {"on the shelf", "under the bed", "in the hall", "at the window"}
    assert "only 1 distractors" in kept_open(candidate("here", "text"), bank=bank_of("there"))
    sofa = candidate("sofa", "text", 5, also=("couch",))
    assert set(made(sofa, ConvertRules(options=2), bank_of("couch", "lamp")).options) == {"sofa", "lamp"}


@given(st.lists(st.text("abcdef ", min_size=1, max_size=20), min_size=1, max_size=30), st.integers(0, 99))
def test_no_converted_text_has_a_second_right_option(answers: list[str], seed: int) -> None:
    answers = [answer for answer in answers if answer.strip()] or ["x"]
    rules = ConvertRules()
    found = convert(candidate(answers[0], "text", 1000), rules, bank_of(*answers), Dealer("0"), str(seed))
    if isinstance(found, Candidate):
        assert len(set(found.options)) == 4
        right = found.answer_text
        assert right == answers[0]
        others = [option for option in found.options if option != right]
        assert not any(too_close(right, other, rules.alike) for other in others)


def test_rules_that_keep_or_drop() -> None:
    number, text = candidate("3"), candidate("on the shelf", "text")
    assert made(number, ConvertRules(numbers="keep")) is number
    assert kept_open(text, ConvertRules(texts="drop"))
    assert kept_open(candidate("word " * 60, "text"), bank=bank_of("a", "b", "c"))
    assert kept_open(candidate("9" * 40))
    assert kept_open(candidate("0.1"))


def test_numbers_apart() -> None:
    assert numbers_apart(["10", "12", "8"], "0.20")
    assert not numbers_apart(["10", "11.9", "8"], "0.20")
    assert not numbers_apart(["10", "10.0"], "0.00")


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        (("left", "right"), True), (("left", "right", "all of the above"), False), (("A", "B", "C"), False),
        (("left", "right", "Both A and B"), False), (("none of these", "x"), False), (("a lamp above the door", "x"), True),
    ],
)  # fmt: skip
def test_options_that_speak_of_each_other_stay_where_they_are(options: tuple[str, ...], moves: bool) -> None:
    assert movable(candidate("A", "choice", options=options)) is moves


def test_a_models_list_of_second_right_answers() -> None:
    one = candidate("A", "choice", options=("w", "x", "y", "z"))
    assert read_letters("None.", one) == []
    assert read_letters("B, (D)", one) == ["B", "D"]
    for text in ("", "A", "E", "B or D", "I think B", "none of them"):
        assert read_letters(text, one) is None


UNKNOWN = ["its level isn't known"]


def question(task: str = "t", **labels: str) -> Item:
    return Item(id="q", question="Which?", kind="choice", options=("x", "y"), answer="A", task=task, labels=labels)


@pytest.mark.parametrize(
    ("label", "level"),
    [
        ("symbolic_visual_reasoning", 3), ("Spatial Planning", 5), ("Observation & Measurement", 1), ("3", 3), ("L2", 2),
        ("level-4", 4), ("Level 5: planning", 5), ("level_74", 74), ("level - 4", 4), ("2.", 2), ("3D", None),
        ("2025", None), ("-1", None), ("level -1", None), ("0", None), ("2.9", None), ("2,9", None), ("1-5", None),
    ],
)  # fmt: skip
def test_the_level_comes_from_words_or_numbers(label: str, level: int | None) -> None:
    assert level_of(question(level=label)) == level


@pytest.mark.parametrize(
    ("labels", "task", "level"),
    [
        ({"spatialbench_level": "spatial_causality"}, "t", 4), ({"spatialbench_task": "affordance"}, "t", 3),
        ({"level": "hard"}, "route_plan", 5), ({"level": "1"}, "route_plan", 1), ({}, "visual_Based_commands", 5),
        ({"spatialbench_task": "", "spatialbench_level": ""}, "t", None), ({}, "Positional Relationship (Obj.–Obj.)", None),
    ],
)  # fmt: skip
def test_the_level_comes_from_other_labels_or_the_task(labels: dict[str, str], task: str, level: int | None) -> None:
    assert level_of(question(task, **labels)) == level


def test_models_alone_settle_no_question_of_level_3_or_higher_of_the_paper_s_own_set(shared_data: Path) -> None:
    items = benchmarks.get("spatialbench").load(shared_data / "spatialbench", "v1")
    alone = Counter(LEVEL_OF[repair_task_name(i.task)] for i in items if not doubts(i, [i.answer, i.answer], 3))
    high = [item for item in items if LEVEL_OF[repair_task_name(item.task)] in tuple(LEVELS)[2:]]
    assert len(high) == 536
    assert alone == {"observation_and_measurement": 318, "topology_and_composition": 493}
    assert not any(lacks_level(item, 3) for item in items)


def test_generated_and_curated_questions_have_the_level_of_their_task() -> None:
    numbers = {level: number for number, level in enumerate(LEVELS, start=1)}
    for name, family in families().items():
        place = family.taxonomy
        expected = numbers.get(LEVEL_OF.get(place.spatialbench, ""))
        assert level_of(question(**labels_of(name, place, outdoors=False, own={}))) == expected, name
    curated = open_mapping("spatialbench").labels["level"].values
    assert curated
    for task, value in curated.items():
        assert level_of(question("other", level=value)) == level_of(question(task)) == int(value)


def test_people_look_where_no_level_is_known() -> None:
    assert doubts(question(), ["A", "A"], 3) == UNKNOWN
    for one, level in ((question(), NO_LEVELS), (question(level="5"), NO_LEVELS), (question(level="2"), 3)):
        assert doubts(one, ["A", "A"], level) == []


def test_handlers_of_signals_stay_while_a_model_is_asked(tmp_path: Path) -> None:
    seen = []

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        seen.append(signal.getsignal(signal.SIGTERM))
        return (Message(parts=("Which?",)),)

    one = Candidate(id="s/1", source="s", question="How many lamps?", kind="text", answer="two", task="t")
    with (
        serving(Curator()) as url,
        Asker(AskedModel(model="openai/m", base_url=url), tmp_path / "s", tmp_path) as asker,
    ):
        replies = asker.ask([one], ModelTask("t", messages, lambda text, candidate: text))
    assert replies[one.id].value
    assert set(seen) == {signal.SIG_DFL}


@pytest.mark.full
@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_the_command_ends_by_a_batch_systems_signal_with_what_was_answered(
    tmp_path: Path, how: signal.Signals, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    with serving(server := Curator(latency=0.05)) as url:
        prepare(tmp_path, url, classify="batch = 1")
        command = (sys.executable, "-m", "tolman", *COMMAND)
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while server.requests < 10 and time.monotonic() < deadline:
                time.sleep(0.005)
            process.send_signal(how)
            _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert errors == "tolman: Stopped: all answers so far are kept; run the same command again to resume.\n"
