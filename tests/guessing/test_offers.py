"""What constants, constants per category and learners offer of the answers that there are."""

import numpy as np

from leaking import by_category
from tolman.guessing.answer_space import MIN_OF_CATEGORY, answer_space, category_constants, learned_offers
from tolman.guessing.learners import QUICK
from tolman.items import Item
from tolman.scoring.rule_sets import careful


def sized(*answers: int) -> list[Item]:
    return [
        Item(id=str(i), question="How long?", kind="number", answer=str(n), unit="cm", task="size", scene=str(i))
        for i, n in enumerate(answers)
    ]


def test_each_category_has_its_own_constant_and_a_rare_one_that_of_all() -> None:
    space = answer_space(sized(*[50] * 6, *[200] * 5, *[90] * (MIN_OF_CATEGORY - 1)), careful())
    names = [*["cup"] * 6, *["bed"] * 5, *["desk"] * (MIN_OF_CATEGORY - 1)]
    own = np.array(space.right, dtype=np.intp)
    found = category_constants(space, names, own, ["cup", "bed", "desk", "never taught"])
    assert found is not None
    everything = space.best_constant(own)
    assert everything is not None
    assert [space.offer(place) for place in found.tolist()] == ["50", "200", *[space.offer(everything)] * 2]


def test_an_answer_that_only_a_judge_can_score_is_neither_right_nor_wrong() -> None:
    said = ["desk", "desk", "lamp", "a tall plant between the chair and the window of the hall"]
    items = [Item(id=str(i), question="?", kind="text", answer=a, task="t") for i, a in enumerate(said)]
    space = answer_space(items, careful())
    sentence = space.answers.index(said[-1])
    assert np.isnan(space.gains[sentence]).all()
    assert space.constant(items) == "desk"
    assert space.constant(items[3:]) == said[-1]  # nothing else may be offered


def test_nothing_is_offered_where_nothing_is_taught() -> None:
    space = answer_space(sized(50, 60), careful())
    nothing = np.array([], dtype=np.intp)
    assert category_constants(space, [], nothing, ["cup"]) is None
    assert learned_offers(space, QUICK[0], 0, np.zeros((0, 1)), nothing, np.zeros((1, 1))) is None


def test_a_learner_offers_what_its_features_tell() -> None:
    items = by_category(240, 1)
    space = answer_space(items, careful())
    own = np.array(space.right, dtype=np.intp)
    features = np.array([[len(item.question), ord(item.question[16])] for item in items], dtype=np.float64)
    taken = learned_offers(space, QUICK[0], 0, features[:160], own[:160], features[160:])
    assert taken is not None
    best = space.best_constant(own[:160])
    assert space.gains[taken, own[160:]].mean() > space.gains[best, own[160:]].mean() + 0.2
