"""ItemKind: the form of an item's answer, and all that follows from it.

Tolman's own are in the modules of `tolman.kinds`; a plugin adds more by declaring `KIND`. Everything that depends on
how a question is answered asks the kind: whether an item is whole, how a response is read and scored, how it is
curated, guessed and audited. The kind also knows the answer of a baseline, the request of a prompt, and the control
with which a person answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tolman.errors import UsageError
from tolman.items import Item, kind_named, known_kinds
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.metrics import Metric

ROUNDING = 1e-9
"""Loss of score that is no more than rounding."""
WIDGETS = ("choice", "number", "text", "points", "boxes")
"""Controls of the review application: one of several choices, a number, a line of text, points that are clicked and
boxes that are dragged in the picture."""


def _no_problem(item: Item) -> str:
    return ""


def _stored_answer(item: Item) -> str:
    return item.answer


def _no_chance(item: Item) -> float:
    return 0.0


def _true_answers(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return answers


def _as_text(item: Item, value: Any) -> str:
    return str(value)


def _letters(item: Item) -> Sequence[str]:
    return tuple(item.letters)


def _read_alike(item: Item, first: str, second: str) -> bool:
    kind = kind_of(item)
    readings = [kind.read(item, text) for text in (first, second)]
    if any(reading.value is None for reading in readings):
        return False
    if readings[0].value == readings[1].value:
        return True
    held = [item.model_copy(update={"answer": text}) for text in (second, first)]
    return all(kind.score(other, own) >= kind.agree_from for other, own in zip(held, readings, strict=True))


def _as_written(item: Item) -> str:
    return "Reply with the answer that the response gives, in its own words, and nothing else."


def _plain_demand(item: Item) -> str:
    return "Answer with the answer only."


def _same_text(text: str) -> str:
    return text


def _any_form(item: Item) -> str:
    return "the answer and nothing else"


def _if_readable(item: Item, text: str) -> str | None:
    return text if kind_of(item).read(item, text).value is not None else None


def stated_by(read: Callable[[Item, str], ParsedAnswer], item: Item, text: str) -> str | None:
    """Return the answer that a reader finds in a text; None where there is none."""
    value = read(item, text).value
    return None if value is None else str(value)


def _scores_full(item: Item, exact: Any, place: int | None) -> bool:
    kind = kind_of(item)
    text = kind.oracle_text(item, exact if place is None else place)
    return kind.score(item, kind.read(item, text)) > 1 - ROUNDING


def _no_error(item: Item, exact: Any) -> float | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ItemKind:
    """One kind of question.

    An item's `answer`, given as a response, is always right: `metric` scores the reading of it 1.

    Attributes:
        name: value of `Item.kind`, in files too.
        title: of such a question, in a sentence: 'multiple choice'.
        read: (item, response text) → ParsedAnswer; the careful reader of this kind. Must not look at the item's answer.
        metric: of the rule set 'careful' for such items: a mean of values from 0 to 1, higher is better, and 0 for
            unread responses.
        check: (item) → its error, as a sentence without full stop, or ''.
        chance: (item) → the expected score of an answer drawn at random; 0 where there is no such level.
        guesses: (item, right responses of all items of its kind and question type) → the responses that a random
            answerer draws from, evenly. Without any of them, those that are possible all the same.
        oracle_text: (item, value that geometry gives) → the response that says so.
        answer_text: (item) → the right answer in words.
        right_response: (item) → a response that gives the right answer as a model would write it; the item's `answer`
            if nothing else is said. Constant baselines and blind learners answer with those of other items.
        demand: (item) → the sentence of a prompt that asks for the answer alone.
        judge_request: (item) → the sentence that names the part of a response that a model judge must copy.
        has_letters: whether the answer is the letter of an option, so that the options can change their order.
        is_graded: whether answers can be partly right.
        alike: whether items with equal answers and numbers of options score alike for a response that is a letter
            or a number by itself; saves time for baselines.
        widget: the control with which a person answers in the review application: one of `WIDGETS`.
        score: (item, reading) → 0 to 1, by the metric; 0 where nothing was read or the metric has no value.
        released_answer: (answer as a question set's row has it; a list or mapping as JSON) → the item's `answer`.
            ValueError, with the error as a sentence without full stop, where it is none. Not asked where `has_letters`:
            mappings say how letters are given.
        answer_form: (item) → the requested end of a model's reply, as the rest of "Answer: …".
        stated_answer: (item, the text behind "Answer:" in such a reply) → the answer, or None where it is none.
        magnitude: (item) → its answer as a number, where answers close to each other in that number are close in score;
            None for kinds whose answers have no such order.
        states: (item, exact value or answer that geometry gives, its place among the options from 0 or None) → whether
            the item's answer is that one, as printed. ValueError where the kind has no answer for such a value.
        error: (item, that value) → the item's answer minus it, in the item's unit; None where that means nothing.
        choices: (item) → the choices of a person, where the widget is `choice`: the letters of the options if nothing
            else is said. Must not look at the item's answer.
        agree: (item, answer, answer) → whether two answers say the same, as far as agreement of people and consensus
            of models go. If nothing else is said: where both are read alike, or each, held against the other as if
            that were right, is scored `agree_from` or more; never where one can't be read.
        agree_from: the least score of answers that agree; 1 asks for answers that are fully right.
        asks_for: name of the answer, on the page on which people write questions: 'a number'; '' where no questions of
            this kind can be written there.

    Raises:
        UsageError: the metric is none that a rule set can score by, or there is no such widget, or it has no choices.
    """

    name: str
    title: str
    read: Callable[[Item, str], ParsedAnswer]
    metric: Metric
    check: Callable[[Item], str] = _no_problem
    chance: Callable[[Item], float] = _no_chance
    guesses: Callable[[Item, Sequence[str]], Sequence[str]] = _true_answers
    oracle_text: Callable[[Item, Any], str] = _as_text
    answer_text: Callable[[Item], str] = _stored_answer
    right_response: Callable[[Item], str] = _stored_answer
    demand: Callable[[Item], str] = _plain_demand
    judge_request: Callable[[Item], str] = _as_written
    has_letters: bool = False
    is_graded: bool = False
    alike: bool = False
    widget: str = "text"
    score: Callable[[Item, ParsedAnswer], float] = field(init=False, repr=False, compare=False)

    released_answer: Callable[[str], str] = _same_text
    answer_form: Callable[[Item], str] = _any_form
    stated_answer: Callable[[Item, str], str | None] = _if_readable
    magnitude: Callable[[Item], float] | None = None
    states: Callable[[Item, Any, int | None], bool] = _scores_full
    error: Callable[[Item, Any], float | None] = _no_error
    # What people need of a kind, in the review application.
    choices: Callable[[Item], Sequence[str]] = _letters
    agree: Callable[[Item, str, str], bool] = _read_alike
    agree_from: float = 1.0
    asks_for: str = ""

    def __post_init__(self) -> None:
        metric, per_item = self.metric, self.metric.per_item
        if not metric.is_linear or metric.range != (0.0, 1.0) or metric.direction != "higher" or metric.unread != 0.0:
            raise UsageError(
                f"the item kind '{self.name}' can't be scored by the metric '{metric.name}': it takes a mean of values "
                "from 0 to 1, of which higher is better, with 0 for unread responses."
            )

        if self.widget not in WIDGETS:
            raise UsageError(
                f"the item kind '{self.name}' has the widget '{self.widget}'; give one of {', '.join(WIDGETS)}."
            )
        if self.widget == "choice" and self.choices is _letters and not self.has_letters:
            raise UsageError(f"the item kind '{self.name}' has the widget 'choice' and no choices; name them.")

        def score(item: Item, reading: ParsedAnswer) -> float:
            return 0.0 if reading.value is None else per_item(item, reading) or 0.0

        object.__setattr__(self, "score", score)  # a plain function, as it is called for every response


def states_as_written(kind: ItemKind) -> bool:
    """Check whether a kind takes the text of an answer for the answer, wherever its reader reads it."""
    return kind.stated_answer is _if_readable


def kind_of(item: Item) -> ItemKind:
    """The kind of an item.

    Raises:
        UsageError: there is none of that name any more (its plugin isn't loaded).
    """
    found: ItemKind = known_kinds.get(item.kind) or kind_named(item.kind)
    return found


def equal_answers(item: Item) -> int:
    """Return the number of answers that chance chooses from, for items without options; 0 without a chance level."""
    kind: ItemKind = known_kinds.get(item.kind) or kind_named(item.kind)
    level = 0.0 if kind.chance is _no_chance else kind.chance(item)
    return round(1 / level) if level else 0
