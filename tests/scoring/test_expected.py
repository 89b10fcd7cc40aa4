from collections.abc import Callable
from dataclasses import replace

import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_items import expected_scores

Make = Callable[..., Item]


def test_the_expectation_of_a_uniform_guess_is_one_in_n(choice: Make, number: Make) -> None:
    items = [choice("x", "y", "z", id="a"), number("2", id="b")]
    answers = {"a": [(letter, 1 / 3) for letter in "ABC"], "b": [("2", 0.5), ("4", 0.5)]}
    rows = expected_scores(items, answers, [careful()])
    assert rows["score"].to_list() == pytest.approx([1 / 3, 0.5])


def test_expectations_are_the_same_however_many_items_share_their_answers(number: Make, choice: Make) -> None:
    items = [number(a, id=f"n{i}", unit="m") for i, a in enumerate(("2", "2", "3.5", "4"))]
    items += [choice(answer=a, id=f"c{i}") for i, a in enumerate("ABBA")]
    texts = [("2", 0.5), ("3.5", 0.2), ("about 4 m", 0.3)], [(letter, 0.25) for letter in "ABCD"]
    for shared in (texts, (texts[0][:2], texts[1])):
        answers = {item.id: shared[item.kind == "choice"] for item in items}
        own = {item.id: list(answers[item.id]) for item in items}
        for name in ("vsi-bench", "spatialbench"):
            rules = benchmarks.get(name).rule_sets
            rows = expected_scores(items, answers, rules)
            assert rows.equals(expected_scores(items, own, rules))
            by_hand = [
                sum(p * r.score(item, r.read(item, text, 0)) for text, p in answers[item.id])
                for r in rules
                for item in items
            ]
            assert rows["score"].to_list() == pytest.approx(by_hand, abs=1e-12)


def test_expectations_read_each_answer_once(number: Make) -> None:
    calls: list[str] = []
    rules = benchmarks.get("vsi-bench").rule_set("careful")

    def read(item: Item, text: str, seed: int) -> ParsedAnswer:
        calls.append(text)
        return rules.read(item, text, seed)

    items = [number(str(1 + i % 7), id=str(i)) for i in range(200)]
    texts = [(str(i), 0.1) for i in range(1, 11)]
    expected_scores(items, {item.id: texts for item in items}, [replace(rules, read=read)])
    assert sorted(calls, key=int) == [text for text, _ in texts]
