"""Object lists and routes: asked once per scene without the question, then answered from, and read as models write."""

import pytest

from dialogues import PICTURE, Talk
from three_rooms import ROOMS
from tolman import benchmarks
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.scene_probes import read_list, read_route
from tolman.scene_table import read_scenes

VSI = benchmarks.get("vsi-bench")


@pytest.mark.parametrize(
    ("protocol", "said", "words"),
    [("object-list", '{"chair": 4}', "your list of objects"), ("route", '["door", "sofa"]', "the route")],
)
def test_all_questions_about_a_scene_share_one_probe(
    talk: Talk, direction: Item, protocol: str, said: str, words: str
) -> None:
    other = direction.model_copy(update={"id": "8", "question": "Is the stove left of the tv?"})
    outcome = talk.run([direction, other], protocol, lambda turns: said if len(turns) == 1 else "C")
    probes = [turns for turns in talk.sent if len(turns) == 1]
    assert len(probes) == 1
    assert len(talk.sent) == 3
    ((role, (picture, text)),) = probes[0]
    assert (role, picture) == ("user", PICTURE)
    assert "stove" not in text
    followed = sorted((turns for turns in talk.sent if len(turns) == 3), key=lambda turns: turns[-1][1])
    texts = [VSI.blind_prompt(item, VSI.presets[0]).text for item in (direction, other)]
    for turns, text in zip(followed, sorted(texts), strict=True):
        first, second, (_, (asked,)) = turns
        assert [first, second] == [probes[0][0], ("assistant", [said])]
        assert words in asked
        assert asked.endswith(text)
    assert outcome.response == "C"
    assert outcome.notes == {}
    assert outcome.turn(protocol).response == said


def test_the_names_of_all_scenes_are_given_and_none_of_this_scene_alone(talk: Talk, direction: Item) -> None:
    names = sorted({name for scene in read_scenes(ROOMS) for name in scene.categories})
    assert len(names) > 10
    talk.run([direction], "object-list", lambda turns: "{}" if len(turns) == 1 else "C", scenes=ROOMS)
    assert f"Use these names: {', '.join(names)}." in talk.sent[0][0][1][1]
    assert talk.outcomes[0].notes == {"object-list that can't be read": 1}


def test_questions_without_media_are_refused(talk: Talk, direction: Item) -> None:
    bare = direction.model_copy(update={"media": ()})
    with pytest.raises(UsageError, match=r"route asks what media show, and 1 of 1 question has none"):
        talk.run([bare], "route", "C")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ('{"chair": 4, "sofa": 1}', {"chair": 4, "sofa": 1}),
        ('Here it is:\n```json\n{"Chairs": "4", "tv_stand": 2,}\n```\nDone.', {"chair": 4, "tv stand": 2}),
        ("{'chair 1': 1, 'chair 2': 1}", {"chair": 2}),
        ('I first thought {"chair": 9}. Final: {"chair": 3}', {"chair": 3}),
        ('<think>{"sofa": 5}</think>{"sofa": 1}', {"sofa": 1}),
        ('[{"name": "chair", "count": 4}, {"name": "lamp", "count": 2}]', {"chair": 4, "lamp": 2}),
        ("- **chair**: 4\n- TV stand: 1\n2. lamp: 2.", {"chair": 4, "tv stand": 1, "lamp": 2}),
        ('{"chair": 4, "sofa": ', {"chair": 4}),
        ("There are four chairs.", None),
        ("It was filmed at 10:30.", None),
        ("", None),
        ("{" * 60_000, None),
    ],
)
def test_object_lists_are_read_as_models_write_them(text: str, counts: dict[str, int] | None) -> None:
    assert read_list(text, ["chair", "sofa", "tv stand"]) == counts


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ('The camera turns left. ["Door", "sofas", "lamp", "sofa"]', ("door", "sofa", "lamp")),
        ("Passing [1] and ['door']", ("door",)),
        ('["a"] and then ["door", "cup"]', ("door", "cup")),
        ("door, sofa", None),
        ("[" * 60_000, None),
    ],
)
def test_routes_are_read_from_the_last_list(text: str, order: tuple[str, ...] | None) -> None:
    assert read_route(text, ["door", "sofa"]) == order
