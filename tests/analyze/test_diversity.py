"""VSI-Bench's counts, and each count by hand."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from tolman.analyze.composition import dependency_structures, diversity, tree, unique_ngrams
from tolman.errors import UsageError
from tolman.items import Item


def test_vsi_bench_as_in_table_6_of_mmsi_bench(released: Callable[[str, str], list[Item]]) -> None:
    items = released("vsi-bench", "full")
    found = diversity([item.question for item in items])
    assert (found.distinct_words, found.unique_3_grams, found.unique_5_grams) == (397, 4485, 12975)
    assert (found.questions, found.structures) == (5130, None)


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
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    pytest.importorskip("en_core_web_sm", reason="parsing needs spaCy's small English model")
    one, other, third = dependency_structures(["How many lamps are there?", "How many chairs are there?", "Go home."])
    assert one == other != third


def _no_model(name: str, **_: object) -> None:
    raise OSError(f"[E050] Can't find model '{name}'.")


@pytest.mark.parametrize("spacy", [None, SimpleNamespace(load=_no_model)])
def test_without_spacy_or_its_model_the_commands_that_get_them_are_named(
    monkeypatch: pytest.MonkeyPatch, spacy: object
) -> None:
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    with pytest.raises(UsageError, match=r"pip install spacy && python -m spacy download en_core_web_sm\.$"):
        dependency_structures(["Go home."])
