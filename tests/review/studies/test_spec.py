"""Study files, and the sentences for those that can't be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tolman.errors import InputError, UsageError
from tolman.review.studies import STUDY_FILES

PART = "title = 'T'\n[[parts]]\n"
SAMPLE = PART + "[parts.sample]\npeople = 2\n"


def test_the_packages_studies_are_the_papers() -> None:
    assert STUDY_FILES.names == ("mmsi-bench", "site", "spatialbench")
    (site,) = STUDY_FILES.open("site").parts
    assert site.sample is not None
    assert (site.sample.people, site.sample.each, site.sample.overlap, site.sample.by) == (7, 50, 7, "task")
    mmsi = STUDY_FILES.open("mmsi-bench").parts
    assert [(part.mode, part.after) for part in mmsi] == [("write", None), ("review", "Write"), ("study", "Review")]
    assert mmsi[1].settings == {"people": 3, "back": 1}
    assert mmsi[2].sample is not None
    assert mmsi[2].sample.overlap == 2
    assert STUDY_FILES.open("spatialbench").parts[0].mode == "verify"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title = ", "is no TOML"),
        ("[[parts]]\n[parts.sample]\npeople = 2", "field 'title': is missing"),
        (SAMPLE + "eahc = 3", "line 5, field 'parts.0.sample.eahc': is not a known key"),
        (PART, "needs [parts.sample] with the number of people"),
        (SAMPLE + "overlap = 3", "an overlap of 3 needs as many people, here are 2"),
        (PART + "mode = 'review'\n[parts.pay]\nfixed = 1", "has 'pay', which only the mode 'study' takes, not 'review'"),
        (SAMPLE + "[[parts.practice]]\nquestion = 'What?'", "line 5, field 'parts.0.practice.0': needs a question and its answer"),
        (SAMPLE + "[[parts.practice]]\nquestion = 'What?'\noptions = ['a', 'b']\nanswer = 'C'", "the answer 'C' is none of the options A, B"),
        (SAMPLE + "[parts.exclude]\ngold_below = 0.5", "excludes people by gold questions and has none"),
        (SAMPLE + "[parts.exclude]\nattention_wrong = 1", "excludes people by attention questions and has none"),
        (SAMPLE + "[parts.practising]\nleast_right = 1", "asks for 1 right answers of 0 for practice"),
        (PART + "after = 'Write'\n[parts.sample]\npeople = 2", "comes after 'Write', which is no earlier part"),
        (SAMPLE + "[[parts]]\n[parts.sample]\npeople = 2", "two parts have the name ''"),
        (SAMPLE + "[parts.order]\nquestions = 'random'", "line 6, field 'parts.0.order.questions': can't be 'random'; known: 'shuffled'"),
        (SAMPLE + "[parts.completion]\nredirect = 'javascript:x'", "field 'parts.0.completion.redirect'"),
    ],
)  # fmt: skip
def test_a_bad_file_gets_one_sentence(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        STUDY_FILES.open(str(file))
    assert told in str(error.value)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_name_that_is_no_study_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="mmsi-bench, site, spatialbench"):
        STUDY_FILES.open("siet")
