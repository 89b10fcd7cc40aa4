"""A review database of the version before: migrated, served, gone on with and exported."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")

from before.actors import Person, review, unpack
from before.plans import REVIEW, answers, digest
from terminal import tolman


@pytest.mark.full
def test_peoples_answers_are_written_as_runs(place: Path, expected: dict[str, Any]) -> None:
    tolman(place, *REVIEW, "--runs", "people", "--project", "Answers", code=0)
    assert answers(place / "people") == expected["people"]
    assert sorted(len(given) for given in expected["people"].values())[0] == 4


def test_the_reviewed_benchmark_is_exported(place: Path, expected: dict[str, Any]) -> None:
    tolman(place, *REVIEW, "--export", "export", "--project", "Checks", "--undecided", code=0)
    assert digest(place / "export") == expected["export"]


def test_people_sign_in_and_go_on(tmp_path: Path) -> None:
    place = unpack(tmp_path / "fixtures")
    with review(place, *REVIEW[1:]) as (address, _):
        with Person(address).sign_in("Bob") as bob:
            page = bob.get("/projects/1/work")
            assert re.search(r'name="answer"[^>]*value="7"|value="7"[^>]*name="answer"', page), page
            assert bob.path.startswith("/answer/")
            begun = bob.path
            bob.post(begun, answer="7" if "inputmode" in page else "A", seconds=3)
            bob.get("/projects/1/work")
            assert bob.path != begun
        with Person(address).sign_in("Dan") as dan:
            dan.get("/projects/2/work")
            assert dan.path.startswith("/review/")
        with Person(address).sign_in("Eva") as eva:
            eva.get("/projects/3/work")
            assert eva.path.startswith("/classify/")
            eva.get("/projects/4/work")
            assert eva.path.startswith("/errors/")
        with Person(address).sign_in("Cat") as cat:
            cat.get("/projects/2/work")
            assert not cat.path.startswith("/review/")  # all done
            assert cat.page.status_code == 200
