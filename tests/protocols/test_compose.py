"""Names, combinations and refusals."""

import re
from collections.abc import Callable

import pytest

from tolman import benchmarks, protocols
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols import ProtocolOptions

VSI = benchmarks.get("vsi-bench")
STRATEGIES = [
    "caption-then-answer", "cognitive-map", "cot", "direct", "grounded", "object-list", "one-shot", "route",
    "self-consistency", "tools", "tree-of-thoughts", "true-map", "true-poses",
]  # fmt: skip
MODIFIERS = [
    "blind", "circular", "correspondence", "joined", "question-first", "repeated-media", "self-explanation", "shuffle",
]  # fmt: skip


def test_all_protocols_are_found_and_say_what_they_do() -> None:
    described = {name: (kind, summary) for name, kind, summary in protocols.describe()}
    assert {name for name, (kind, _) in described.items() if kind == "strategy"} == set(STRATEGIES)
    assert {name for name, (kind, _) in described.items() if kind == "modifier"} == set(MODIFIERS)
    assert all(summary for _, summary in described.values())


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("direct", "direct"),
        ("blind", "blind"),
        ("direct+blind", "blind"),
        ("shuffle+cot", "cot+shuffle"),
        ("shuffle+cot+blind", "cot+blind+shuffle"),
        ("question-first + cot", "cot+question-first"),
    ],
)
def test_a_protocol_has_one_name_whatever_the_order(given: str, name: str) -> None:
    assert protocols.get(given).name == name


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("cot+tree-of-thoughts", "each say which turns there are"),
        ("cot+cot", "each say which turns there are"),
        ("blind+blind", "each of its parts once"),
        ("blind+question-first", "blind shows no media"),
        ("repeated-media+blind", "blind shows no media"),
        ("joined+blind", "blind shows no media"),
        ("correspondence+joined", "joins the images already"),
        ("circular+shuffle", "every rotation already"),
        ("repeated-media+question-first", "both sides of the question"),
        ("cognitive-map+blind", "can't be drawn of what isn't shown"),
        ("true-poses+blind", "poses are of frames that are shown"),
        ("tools+blind", "nothing to look at again"),
        ("caption-then-answer+blind", "nothing to caption"),
        ("caption-then-answer+question-first", "shown no media"),
        ("one-shot+repeated-media", "the released layout"),
        ("self-consistency+self-explanation", "a vote over several dialogues"),
        ("tree-of-thoughts+self-explanation", "a vote over several dialogues"),
        ("grounded+blind", "it compares answers to different frames"),
        ("grounded+shuffle", "the option 'can't tell' is always the last"),
        ("cot+dance", "there is no protocol 'dance'; known: blind, "),
        ("", "there is no protocol ''"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(given: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        protocols.get(given)


def test_every_other_pair_goes_together() -> None:
    pairs = [f"{s}+{m}" for s in STRATEGIES for m in MODIFIERS]
    refused = []
    for pair in pairs:
        try:
            assert protocols.get(pair).name in (pair, pair.removeprefix("direct+"))
        except UsageError:
            refused.append(pair)
    assert len(refused) == 23


def test_only_options_that_matter_are_settings() -> None:
    options = ProtocolOptions(draws=3, grid=20)
    assert protocols.get("direct", options).settings == {}
    assert protocols.get("self-consistency", options).settings == {"draws": 3}
    assert protocols.get("cognitive-map+shuffle", options).settings == {"grid": 20, "map_categories": "question"}
    assert protocols.users_of("grid") == ["cognitive-map", "true-map"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cognitive-map", "1 of 1 question names no category to map (the first is 1; question types: t)"),
        ("true-map", "give their folder with --scenes FOLDER"),
        ("true-poses", "give their folder with --scenes FOLDER"),
        ("caption-then-answer", "name it with --captioner MODEL"),
        ("one-shot", "VSI-Bench has none"),
        ("grounded", "grounded has nothing to compare"),
        ("joined", "fewer are in 1 of 1 question"),
        ("correspondence", "needs at least two images"),
    ],
)
def test_what_a_benchmark_cannot_serve_is_said_first(name: str, sentence: str, choice: Callable[..., Item]) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        protocols.get(name).check(VSI, [choice()], VSI.presets[0])


def test_registered_protocols_of_other_packages_join_too(choice: Callable[..., Item]) -> None:
    from tolman.messages import Message
    from tolman.protocols import Ask, Conversation, Modifier, Protocol, Strategy, compose

    def converse(benchmark: object, item: Item, preset: object) -> Conversation:
        response = yield Ask((Message(parts=(item.options[0],)),))
        return str(response.response)

    direct, shuffle = protocols._part("direct"), protocols._part("shuffle")
    assert isinstance(direct, Strategy)
    assert isinstance(shuffle, Modifier)
    found = compose([Protocol("theirs", False, converse), shuffle], direct, ProtocolOptions(seed=1))
    assert found.name == "theirs+shuffle"
    assert not found.shows_media
    (item,) = found.present(VSI, [choice(id="7")])
    assert next(found.converse(VSI, item, VSI.presets[0])).messages[0].text == item.options[0]  # type: ignore[union-attr]
