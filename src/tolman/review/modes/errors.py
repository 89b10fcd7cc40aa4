"""Errors: people say which errors are behind a model's wrong answers (VSI-Bench 5, MMSI-Bench 5.2).

The runs are those that the server was started with. What is labelled is what a judge would be shown, and the file that
comes of it is what `tolman analyze errors --labels` reads. Nobody is told whose answer it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy.orm import Session as Orm

from tolman.analyze.errors import usual_taxonomy, worst
from tolman.items import Item
from tolman.responses import Response
from tolman.review.accounts.identity import AccountError
from tolman.review.forms.answers import shown_answer
from tolman.review.media.blind import blind
from tolman.review.modes.labelling import Choice, LabelGroup, Labelling, Labels, labelling_router, progress
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project, Task
from tolman.review.tasks import work
from tolman.review.tasks.marks import LEAST
from tolman.review.tasks.mode import Mode, ModeSetting
from tolman.review.tasks.undoing import UNDO
from tolman.runs.folder import RunFolder
from tolman.runs.reasoning import reasoning_of
from tolman.scoring.error_types import CORRECT, TAXONOMIES

NAME = "errors"


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each answer that VSI-Bench's examiners would have looked at, and that comes with reasoning.

    Raises:
        AccountError: no run was given, two are of one model, or none has reasoning behind a wrong answer.
    """
    if not site.settings.runs:
        raise AccountError("Start the server with --errors-of RUN for each run whose errors are to be labelled.")
    known = {item.id: item for item in items}
    project.settings = project.settings | {"taxonomy": usual_taxonomy(items).name}
    versions: dict[str, ItemVersion] = {}
    models: set[str] = set()
    missed: Counter[str] = Counter()
    for path in site.settings.runs:
        model = RunFolder(path).record().settings.model
        if model in models:
            raise AccountError(f"Two runs are of {model}. Label one of them at a time.")
        models.add(model)
        wrong = _wrong(path)
        missed.update({identity for identity, _ in wrong})
        for identity, repeat, text in _explained(path, wrong):
            if identity not in known:
                raise AccountError(f"{path} answers '{identity}', which is none of this benchmark's questions.")
            if identity not in versions:
                versions[identity] = work.add_item(db, site, project, known[identity])
            work.add_task(
                db,
                site,
                project,
                NAME,
                f"{model}/{identity}/{repeat}",
                version=versions[identity],
                wanted=project.settings["people"],
                content={"model": model, "repeat": repeat, "text": text},
            )
    for identity, version in versions.items():
        version.missed = missed[identity]
    if not versions:
        raise AccountError("No wrong answer of these runs comes with reasoning. Ask for it: --protocol cot.")


def _wrong(path: Path) -> set[tuple[str, int]]:
    """Item and repeat of a run's wrong answers, as `worst` chooses them."""
    folder = RunFolder(path)
    scores = folder.scores()
    kinds = {item.id: item.kind for item in folder.items()}
    rules = next(iter(folder.figures()["rule_sets"]))
    rows = scores.filter((pl.col("rule_set") == rules) & pl.col("score").is_not_null()).select(
        pl.lit(str(path)).alias("run"),
        "id",
        pl.col("repeat").cast(pl.Int64),
        "task",
        pl.col("id").replace_strict(kinds).alias("kind"),
        "score",
    )
    return set(worst(rows).select("id", "repeat").iter_rows())


def _explained(path: Path, wrong: set[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Item, repeat and reasoning of the answers to be labelled."""
    found = []
    for outcome in RunFolder(path).outcomes():
        if isinstance(outcome, Response) and (outcome.id, outcome.repeat) in wrong:
            text = reasoning_of(outcome)
            if text is not None:
                found.append((outcome.id, outcome.repeat, text))
    return found


def groups(project: Project) -> Sequence[LabelGroup]:
    """The paper's categories."""
    taxonomy = TAXONOMIES[project.settings["taxonomy"]]
    choices = tuple(Choice(kind.key, kind.title, kind.means) for kind in taxonomy.all_types)
    return [LabelGroup("categories", "What is wrong with the reasoning?", choices, taxonomy.several, CORRECT)]


def shown(site: Site, project: int, task: Task) -> dict[str, Any]:
    """Question, right answer, the model's reasoning and people's."""
    assert task.item is not None
    item = work.item_of(task.item)
    texts = [("The model's reasoning and answer", task.content["text"])]
    if item.reasoning:
        texts.append(("A person's reasoning", item.reasoning))
    return {"question": blind(site, project, item), "right": shown_answer(item, item.answer), "texts": texts}


def row(task: Task, person: str, labels: Labels, note: str) -> dict[str, Any]:
    """A row of a file of labels."""
    assert task.item is not None
    return {
        "id": task.item.item,
        "model": task.content["model"],
        "repeat": task.content["repeat"],
        "annotator": person,
        "categories": labels["categories"],
        "note": note,
    }


_KIND = Labelling(NAME, groups, shown, row)
ERRORS = Mode(
    name=NAME,
    title="Label errors",
    purpose="Annotators say which errors are behind a model's wrong answers.",
    stages={NAME: ("annotator", "reviewer")},
    router=labelling_router(_KIND),
    start=start,
    progress=progress(_KIND),
    settings=(ModeSetting("people", "People for each answer", 2), LEAST, UNDO),
)
