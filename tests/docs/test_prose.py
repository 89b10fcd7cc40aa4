"""The prose of README, CHANGELOG, docs and docstrings gets no longer and no less idiomatic than the committed limits.

Lower the limits after an improvement: `python tests/docs/prose.py --renew`.
"""

from dataclasses import asdict

import pytest

from docs.prose import GROWING, Measure, limits, markers_in, measure, measures, prose, renewed, sentences

LIMITS = limits()


@pytest.fixture(scope="module")
def measured() -> dict[str, Measure]:
    """Area → its measures today."""
    return measures()


def test_every_area_has_limits(measured: dict[str, Measure]) -> None:
    assert set(LIMITS) == set(measured)


@pytest.mark.parametrize(("area", "key"), [(area, key) for area, keys in LIMITS.items() for key in keys])
def test_no_limit_is_exceeded(area: str, key: str, measured: dict[str, Measure]) -> None:
    found = asdict(measured[area])[key]
    assert found <= LIMITS[area][key], f"{area}: {key} rose; `python tests/docs/prose.py --pages` names the pages"


def test_limits_only_fall() -> None:
    old = {"docs": {"pages": 3, "words": 10, "mean_sentence": 9.0, "long_sentences": 0, "markers": 5.0}}
    new = {"docs": Measure(pages=2, words=12, mean_sentence=8.0, long_sentences=1, markers=5.0)}
    lower = {"pages": 2, "words": 10, "mean_sentence": 8.0, "long_sentences": 0, "markers": 5}
    assert renewed(old, new) == {"docs": lower}


def test_first_limits_are_rounded_up() -> None:
    new = {"docs": Measure(pages=2, words=120, mean_sentence=8.1, long_sentences=1, markers=5.2)}
    assert renewed({}, new)["docs"] == {
        "pages": 2, "words": 200, "mean_sentence": 8.5, "long_sentences": 1, "markers": 10,
    }  # fmt: skip


@pytest.mark.parametrize("area", GROWING)
def test_code_and_its_history_may_grow(area: str) -> None:
    assert set(LIMITS[area]) == {"mean_sentence", "long_sentences", "markers"}


PAGE = """# A title

One sentence with `code: b. c` and [a link](page.md#x). Another: short. No table counts.

| cell | of a table. It has no sentence. |
|---|---|

```
a block. With points.
```

- an item
  on two lines
- e.g. 3.5 m
"""


def test_sentences_of_a_page() -> None:
    assert sentences(prose(PAGE)) == [
        "A title", "One sentence with code and a link.", "Another:", "short.", "No table counts.", "an item on two lines",
        "e.g.", "3.5 m",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("It says what was read.", ["free relative"]),
        ("What does it print?", []),
        ("Whether it holds is checked.", ["opening"]),
        ("Nobody is told.", ["nobody, somebody", "tell, told"]),
        ("The row stands beside it, made anew.", ["stand, lie", "beside", "anew"]),
        ("People who answer understand it.", []),
        ("Of these, two of which are at hand.", ["of which", "at hand", "opening"]),
        ("Read the tutorial first.", []),
    ],
)
def test_markers(sentence: str, names: list[str]) -> None:
    assert sorted(markers_in(sentence)) == sorted(names)


def test_long_sentences_are_counted() -> None:
    text = f"{'word ' * 36}end. {'word ' * 34}end."
    found = measure([text], 1, 0)
    assert (found.long_sentences, found.words, found.mean_sentence) == (1, 72, 36.0)
