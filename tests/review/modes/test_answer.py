"""The human baseline, without a browser."""

import re
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from reviewing import Served, answer_all, items
from tolman.review.modes.answering import answers
from tolman.review.store import Submission

GIVEN = {"count": "3", "size": "70,5"}


def test_every_subject_answers_every_question_once(served: Served) -> None:
    project = served.project("answer")
    sam, sue = served.person("subject", "Sam"), served.person("subject", "Sue")
    assert len(set(answer_all(sam, project, GIVEN))) == len(items())
    assert "Nothing is left" in sam.last.text
    assert len(answer_all(sue, project, GIVEN)) == len(items())
    found = served.told(answers, project)
    assert {name: {item: given for item, (given, _) in own.items()} for name, own in found.items()} == {
        name: {"count": "3", "size": "70.5", "order": "B", "which": "B", "pair": "B", "script": "B"}
        for name in ("Sam", "Sue")
    }
    assert {seconds for own in found.values() for _, seconds in own.values()} == {2.0}


def test_the_same_form_sent_often_and_at_once_counts_once(served: Served) -> None:
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    path = sam.get(f"/projects/{project}/work").url.path
    is_number = "inputmode" in sam.last.text

    def send(number: int) -> tuple[str, int, str]:
        data = {"csrf": sam.csrf, "answer": str(number % 2) if is_number else "AB"[number % 2], "seconds": "1"}
        answer = sam.http.post(path, data=data)
        return data["answer"], answer.status_code, answer.text

    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(send, range(16)))
    (first,) = [one.content["answer"] for one in served.scalars(select(Submission))]
    assert {status for answer, status, _ in sent if answer == first} == {303}
    told = f"You have submitted this before, and what you submitted first, &#39;{first}&#39;, stays."
    assert all(status == 409 and told in text for answer, status, text in sent if answer != first)
    assert len(sent) == 16


def test_what_was_entered_and_how_long_survives(served: Served) -> None:
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    path = sam.get(f"/projects/{project}/work").url.path
    value = "2" if "inputmode" in sam.last.text else "A"
    served.clock.ahead += 100
    assert sam.post(f"{path}/draft", answer=value, seconds=42.5).status_code == 204
    page = sam.get(f"/projects/{project}/work")
    assert page.url.path == path
    assert 'value="42.5"' in page.text
    assert re.search(rf'value="{value}"[^>]*checked|id="answer"[^>]*value="{value}"', page.text)
    sam.post(f"{path}/draft", answer=value, seconds=1e6)  # more than has passed
    seconds = float(re.search(r'name="seconds" value="([\d.]+)"', sam.get(path).text).group(1))
    assert 100 <= seconds < 110


def test_what_is_no_answer_is_refused_with_a_sentence(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    sam = served_sqlite.person("subject", "Sam")
    path = sam.get(f"/projects/{project}/work").url.path
    for wrong in ("", "Z", "two", "<b>", "1e9", "A\x00", "9" * 400):
        answer = sam.post(path, answer=wrong)
        assert answer.status_code == 422, wrong
        assert 'class="problem"' in answer.text


def test_a_subject_reaches_nothing_that_is_not_theirs(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    sam, sue = served_sqlite.person("subject", "Sam"), served_sqlite.person("subject", "Sue")
    page = sam.get(f"/projects/{project}/work")
    media = re.search(r'src="(/media/\w+)', page.text).group(1)
    assert sue.get(page.url.path).status_code == 404
    assert sue.post(page.url.path, answer="A").status_code == 404
    assert sue.get(media).status_code == 404
    assert sam.get(media).status_code == 200
    for path in ("/people", f"/projects/{project}/progress"):
        assert sam.get(path).status_code == 403


def test_media_come_in_ranges_under_names_that_say_nothing(served_sqlite: Served, benchmark) -> None:
    project = served_sqlite.project("answer")
    sam = served_sqlite.person("subject", "Sam")
    while "<video" not in (page := sam.get(f"/projects/{project}/work")).text:
        sam.post(page.url.path, answer="A")
    assert "left" not in re.search(r"<video[^>]*>", page.text).group()
    media = re.search(r'<video[^>]* src="(/media/[0-9a-f]{32})"', page.text).group(1)
    whole = sam.get(media)
    contents = {p.read_bytes() for p in (benchmark / "videos").iterdir()}
    assert whole.content in contents
    assert whole.headers["content-type"] == "video/mp4"
    assert not {"content-disposition"} & set(whole.headers)
    part = sam.get(media, headers={"range": "bytes=100-199"})
    assert part.status_code == 206
    assert part.content == whole.content[100:200]
    assert sam.get(media, headers={"range": "bytes=99999999-"}).status_code == 416
    for wrong in ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "a" * 300):
        assert sam.get(f"/media/{wrong}").status_code == 404
