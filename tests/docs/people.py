"""What people left in the web application: answers, reviews, labels; and models' answers to verify by."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from docs.stage import items_of, write_answers
from explained import TWO_PEOPLE, write_explained
from terminal import tolman
from tolman.files import remove

BENCHMARK = "my-bench"
DONE = 12
"""Tasks that each subject and reviewer does."""


def make_people(place: Path, kept: Path) -> None:
    """Two subjects answer questions of `my-bench`, and a reviewer approves some, in the store that commands find."""
    pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")
    from reviewing import serving, settings_of

    remove(place / f"{BENCHMARK}-2")  # what is exported
    settings, clock = settings_of(place / BENCHMARK, place / f"{BENCHMARK}-review", None)
    with serving(settings, clock) as served:
        baseline, checks = served.project("answer", "Baseline"), served.project("review", "Checks", people=1)
        for name in ("anna", "ben"):
            subject = served.person("subject", name)
            for path, page in islice(_tasks(subject, baseline, "/answer/"), DONE):
                clock.ahead += 9
                subject.post(path, answer="2" if "inputmode" in page else "A", seconds=8)
        reviewer = served.person("reviewer", "cat")
        for path, page in islice(_tasks(reviewer, checks, "/review/"), DONE):
            clock.ahead += 9
            reviewer.post(f"{path}/answer", answer="2" if "inputmode" in page else "A", seconds=8)
            reviewer.post(f"{path}/decide", verdict="approve", seconds=3)


def make_study(place: Path, kept: Path) -> None:
    """Two people come to the study of `study.toml` and answer all that is on their forms."""
    pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")
    from reviewing import serving, settings_of
    from tolman.review.projects.study_projects import start_named

    settings, clock = settings_of(place / BENCHMARK, place / f"{BENCHMARK}-review", None)
    with serving(settings, clock) as served:
        (join,) = start_named(served.site, str(place / "study.toml")).links
        for _ in range(2):
            _follow(served, clock, join)


def make_asked(place: Path, kept: Path) -> None:
    """Three people follow the links of `--ask anna,ben,carla` and answer every question."""
    pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")
    from reviewing import serving, settings_of
    from tolman.review.projects.study_projects import start_asked

    settings, clock = settings_of(place / BENCHMARK, place / f"{BENCHMARK}-review", None)
    with serving(settings, clock) as served:
        for join in start_asked(served.site, ("anna", "ben", "carla"), 20).links:
            _follow(served, clock, join)


def make_labels(place: Path, kept: Path) -> None:
    """Two people label the errors of `run`; `labels.jsonl` is the file that the progress page names."""
    pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")
    from reviewing import serving, settings_of

    settings, clock = settings_of(place / BENCHMARK, place / "labels-review", None, runs=(place / "run",))
    with serving(settings, clock) as served:
        project = served.project("errors", "Errors")
        for name, category in (("anna", "perception"), ("ben", "relational")):
            annotator = served.person("annotator", name)
            for path, _ in _tasks(annotator, project, "/errors/"):
                clock.ahead += 9
                fields = {"csrf": annotator.csrf, "seconds": "8", "group-categories": [category]}
                assert annotator.http.post(path, data=fields).status_code == 303
        reviewer = served.person("reviewer", "rita")
        labels = reviewer.get(f"/errors/projects/{project}/labels.jsonl").text
    assert labels.startswith("{"), labels  # open to a reviewer once all is labelled
    (place / "labels.jsonl").write_text(labels)


def make_opinions(place: Path, kept: Path) -> None:
    """`pool/verify/review.jsonl` with the fields that the page about curating lists, and runs of two models."""
    lines = []
    for item in items_of(place, BENCHMARK):
        said = [
            {"model": f"openai/{name}", "answer": item.answer, "evidence": "It is seen.", "frames": [1, 2]}
            for name in ("one", "two")
        ]
        shown = item.model_dump(
            mode="json", include={"id", "question", "kind", "options", "answer", "unit", "labels", "media"}
        )
        lines.append(shown | {"status": "approved", "reasons": [], "models": said, "checklist": []})
    (place / "pool" / "verify").mkdir(parents=True, exist_ok=True)
    (place / "pool" / "verify" / "review.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name in ("a", "b"):
        write_answers(place, BENCHMARK, place / f"{name}.jsonl", salt=name)
        done = tolman(
            place, "score", f"{name}.jsonl", "--benchmark", f"./{BENCHMARK}", "--name", name, "--out", f"runs/{name}"
        )
        assert done.returncode == 0, done.stderr


def make_errors(place: Path, kept: Path) -> None:
    """The example of the page about errors, in place of what its other commands read."""
    for name in ("bench", "run", "errors"):
        if (place / name).exists():
            (place / name).rename(place / f"{name}-before")
    write_explained(place)
    (place / "people.csv").write_text("\n".join(["id,annotator,categories", *TWO_PEOPLE]) + "\n")


def _follow(served, clock, join: str) -> None:  # type: ignore[no-untyped-def]
    """Come to a study by a link, and answer all that is on the form."""
    person = served.visitor()
    person.get(join)
    path, _, query = join.partition("?")
    person.post(path, agreed="yes", **dict(parse_qsl(query)))
    for path, page in _tasks(person, int(join.split("/")[2]), "/study/"):
        clock.ahead += 9
        person.post(path, answer="2" if "inputmode" in page else "A", seconds=8, shown="ready")


def _tasks(client, project: int, prefix: str) -> Iterator[tuple[str, str]]:  # type: ignore[no-untyped-def]
    """Path and page of each task that somebody is given, until there are no more."""
    while (page := client.get(f"/projects/{project}/work")).url.path.startswith(prefix):
        yield page.url.path, page.text
