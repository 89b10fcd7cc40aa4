"""How a report says what could not be read: shares and bounds below a row, a sign at a headline, a sentence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tolman.scoring.endings import EARLIER
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.table import Column
from tolman.scoring.unread import Unread

SIGN = "†"
"""Behind a headline of which more than 5 % could not be read."""

SHARES_LABEL = "unread, %: none + cut off"
BOUNDS_LABEL = "score: all wrong – at chance"


def stored(entry: Mapping[str, Any]) -> dict[str, Unread]:
    """Column key → Unread of a rule set's entry in scores.json; empty where an earlier version wrote it."""
    return {key: Unread.from_dict(values) for key, values in entry.get("unread", {}).items()}


def needs_row(unread: Mapping[str, Unread], columns: Iterable[Column]) -> bool:
    """Whether one of some columns has so many unread responses that a table says so."""
    return any(column.key in unread and unread[column.key].is_shown for column in columns)


def shares(unread: Unread | None) -> str:
    """Both shares as they are printed under `SHARES_LABEL`; empty where there is no figure."""
    return f"{unread.none:.1f} + {unread.cut_off:.1f}" if unread else ""


def bounds(unread: Unread | None, column: Column) -> str:
    """Both bounds as they are printed under `BOUNDS_LABEL`; empty where there is no figure."""
    return f"{unread.low:.{column.digits}f}–{unread.high:.{column.digits}f}" if unread else ""


def crossing(unread: Mapping[str, Unread], column: Column) -> Unread | None:
    """A column's Unread where the table is to show it."""
    found = unread.get(column.key)
    return found if found is not None and found.is_shown else None


def described(unread: Unread | None) -> str:
    """Both shares in words; empty where there is no figure."""
    if unread is None:
        return ""
    return f"{unread.none:.1f} % none, {unread.cut_off:.1f} % cut off, of {unread.n:,} responses"


def mark_sentence(
    name: str, rules: str, unread: Unread, headline: Column, *, has_judge: bool, left_to: str = ""
) -> str:
    """The line below the table for a headline that is marked.

    Args:
        name: the run's.
        rules: the rule set.
        unread: of the headline.
        headline: its column.
        has_judge: whether a judge read the run's responses.
        left_to: the model to which the released code leaves what this rule set can't read; empty where to none.
    """
    advice = []
    if rules != JUDGED:
        asks = f"the released code asks {left_to} about them: " if left_to else ""
        advice.append(asks + (f"see '{JUDGED}'" if has_judge else "see --judge"))
    if unread.cut_off:
        advice.append("raise --max-tokens for those cut off")
    low, high = (f"{value:.{headline.digits}f}" for value in (unread.low, unread.high))
    return (
        f"{SIGN} {name}, {rules}: {unread.share:.1f} % of {unread.n:,} answers could not be read "
        f"({unread.none:.1f} % none, {unread.cut_off:.1f} % cut off): the score lies between {low} (all of them wrong) "
        f"and {high} (all of them at chance){'; ' + ', or '.join(advice) if advice else ''}."
    )


_ENDED: Mapping[str, tuple[str, str]] = {
    "cut off": ("ended by the token limit", "; give more with --max-tokens"),
    "filtered": ("ended by a filter of the endpoint", ""),
    "refused": ("refused by the model", ""),
    "repetition": ("ended by the endpoint because they repeated themselves", ""),
    "tool call": ("ended by a call of a tool", ""),
    EARLIER: ("built on an earlier turn that the token limit ended", ""),
}


def ended_sentence(name: str, ending: str, entry: Mapping[str, int], asked: int, max_tokens: int | None) -> str:
    """The line above the table for answers in which the model was stopped.

    Args:
        name: the run's.
        ending, entry: as `endings` of scores.json has them.
        asked: how often items were asked.
        max_tokens: of the run's sampling.
    """
    what, advice = _ENDED[ending]
    limit = f" ({max_tokens:,} tokens)" if ending == "cut off" and max_tokens else ""
    count, unread = entry["count"], entry["unread"]
    were = "answer was" if count == 1 else "answers were"
    lost = f", {unread:,} of them before an answer that every rule set can read" if unread else ", and all can be read"
    if ending == EARLIER:
        lost = "; give such turns more with --reasoning-tokens"
    return f"{ending.upper()}: {name}: {count:,} of {asked:,} {were} {what}{limit}{lost}{advice if unread else ''}."


def sample_sentence(name: str, judge: str, sample: Mapping[str, Any]) -> str:
    """How far a judge and the reader agree, below the table.

    Args:
        name: the run's.
        judge: the model's.
        sample: as `judge.sample` of scores.json has it.
    """
    reader = sample["reader"]
    drawn = f"{sample['sampled']:,} of {sample['readable']:,} responses that {reader} reads, seed {sample['seed']}"
    lost = [
        f"{count:,} {what}" for count, what in ((sample["failed"], "failed"), (sample["dropped"], "changed")) if count
    ]
    tail = f"; not counted: {', '.join(lost)}" if lost else ""
    if not sample["n"]:
        return f"{name}: {judge} and {reader} can't be compared: no judgement of {drawn}{tail}."
    none = f", {sample['no_answer']:,} without an answer for the judge" if sample["no_answer"] else ""
    interval = f"{sample['low']:.1f}–{sample['high']:.1f}, Wilson 95 %"
    return (
        f"{name}: {judge} agrees with {reader} on {sample['agreed']:,} of {sample['n']:,} responses: "
        f"{sample['share']:.1f} % ({interval}){none}. Sampled: {drawn}{tail}."
    )
