"""A study from its file to its runs, over HTTP."""

import csv
import io
import re
import tomllib
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from reviewing import TRUTHS, Client, Serve, Served, item_on, unzipped
from tolman.errors import UsageError
from tolman.review import studies
from tolman.review.projects.project_export import export_runs
from tolman.review.projects.study_projects import start_asked, start_named, start_study
from tolman.review.store import Project, Submission, Task
from tolman.review.studies import STUDY_FILES, Study, participants, study_records
from tolman.review.studies.study_records import pay_table
from tolman.review.studies.study_steps import join_path

FILE = """
title = "How well people do"
seed = 3

[[parts]]
instructions = "Look **well**. ![a cup](pictures/cup.png) <script>document.title='owned'</script>"
consent = "You may stop."

[parts.sample]
people = 2
by = "task"
only = { task = ["obj_appearance_order", "motion", "object_counting", "object_size_estimation"] }
overlap = 2

[parts.order]
options = true

[parts.time]
least_seconds = 1

[[parts.practice]]
question = "How much is two and two?"
answer = "4"
explanation = "Two and two are *four*."

[parts.practising]
least_right = 1
rounds = 2

[[parts.attention]]
question = "Choose the second option."
options = ["red", "green", "blue"]
answer = "B"

[parts.gold]
ids = ["pair"]

[parts.breaks]
every = 4
text = "Rest."

[parts.exclude]
gold_below = 0.5
attention_wrong = 1

[parts.link]
platform = "prolific"

[parts.completion]
code = "C0DE"
screened = "0UT"

[parts.pay]
currency = "GBP"
fixed = 1.5
per_hour = 9
"""
ATTENTION = "Choose the second option."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "study" / "pictures").mkdir(parents=True)
    Image.new("RGB", (8, 8), "red").save(tmp_path / "study" / "pictures" / "cup.png")
    (tmp_path / "study" / "study.toml").write_text(FILE, encoding="utf-8")
    return tmp_path / "study" / "study.toml"


@pytest.fixture
def studied(benchmark: Path, serve: Serve, file: Path) -> tuple[Served, int]:
    """A server with the study."""
    served = serve(benchmark)
    return served, start(served, STUDY_FILES.open(str(file)), file.parent)


@pytest.fixture
def studied_everywhere(benchmark: Path, serve: Serve, file: Path, database: str | None) -> tuple[Served, int]:
    """A server with the study, on each database."""
    served = serve(benchmark, database)
    return served, start(served, STUDY_FILES.open(str(file)), file.parent)


def start(served: Served, study: Study, folder: Path) -> int:
    with served.site.database.write() as db:
        return start_study(db, served.site, study, [folder])[0].id


def come(served: Served, project: int, pid: str, **rest: str) -> Client:
    """Somebody comes by the study's link, and agrees."""
    client = served.visitor()
    path = join_path(served.site, project)
    shown = client.get(path, params={"PROLIFIC_PID": pid, "SESSION_ID": "s1", **rest})
    assert 'value="' + pid in shown.text
    client.post(path, PROLIFIC_PID=pid, SESSION_ID="s1", agreed="yes")
    return client


def tasks_of(db: Orm, project: int) -> list[Task]:
    return list(db.scalars(select(Task).where(Task.project_id == project)))


def option(text: str, wanted: str) -> str:
    """The letter under which a page shows an option."""
    for letter, shown in re.findall(r'name="answer" value="(\w)".*?<span class="text">(.*?)</span>', text, re.S):
        if shown == wanted:
            return letter
    raise AssertionError(f"{wanted} isn't shown")


def go_through(
    served: Served, client: Client, project: int, *, wrong: tuple[str, ...] = (), skip: tuple[str, ...] = (),
    practice: str = "4",
) -> list[str]:  # fmt: skip
    """Do all there is, rightly but for some questions; what was asked, in its order."""
    asked = []
    while True:
        served.clock.ahead += 3
        assert len(asked) < 30
        page = client.get(f"/projects/{project}/work")
        path = page.url.path
        if path.endswith("/end"):
            return asked
        if path.endswith("/break"):
            asked.append("break")
            client.post(path)
            continue
        if "two and two" in page.text:
            told = client.post(path, answer=practice, seconds=2)
            assert "the answer is 4" in told.text
            assert "<em>four</em>" in told.text
            assert "<span>1 of 1</span>" in told.text
            asked.append("practice")
            continue
        for word in ("Because", "level-", "exact", "gold", "sample", "stratum", "s/left", "s/right"):
            assert word not in page.text
        item = "attention" if ATTENTION in page.text else item_on(client)
        asked.append(item)
        if item in skip:
            client.post(f"{path}/skip", reason="can&#39;t tell".replace("&#39;", "'"))
        elif item == "attention":
            client.post(path, answer=option(page.text, "red" if item in wrong else "green"), seconds=2)
        else:
            client.post(path, answer=given(page.text, item, right=item not in wrong), seconds=2, shown="ready")


def given(text: str, item: str, *, right: bool) -> str:
    truth = {"order": "the sofa", "which": "left", "pair": "C"}.get(item, TRUTHS[item])
    wrong = {"order": "the door", "which": "right", "pair": "B"}.get(item, "9")
    wanted = truth if right else wrong
    if item == "script":
        return re.findall(r'name="answer" value="(\w)"', text)[0]
    return option(text, wanted) if item in ("order", "which") else wanted


@pytest.mark.full
def test_a_study_from_its_link_to_runs_times_and_pay(studied_everywhere: tuple[Served, int], tmp_path: Path) -> None:
    served, project = studied_everywhere
    path, late = join_path(served.site, project), served.visitor()
    late.get(path, params={"PROLIFIC_PID": "5f09"})
    ann, bob, eve = come(served, project, "5f01"), come(served, project, "5f02"), None
    assert participants.FULL in late.post(path, PROLIFIC_PID="5f09", agreed="yes").text
    looked = late.get(path, params={"PROLIFIC_PID": "5f09"}).text
    assert participants.FULL in looked
    assert 'name="agreed"' not in looked
    assert 'name="agreed"' in ann.get(path, params={"PROLIFIC_PID": "5f01"}).text
    first = go_through(served, ann, project, skip=("size",))
    assert first[0] == "practice"
    assert sorted(first) == sorted(
        ["practice", "break", "count", "size", "order", "which", "script", "pair", "attention"]
    )
    end = ann.get(f"/studies/{project}/end").text
    assert "C0DE" in end
    assert "https://app.prolific.com/submissions/complete?cc=C0DE" in end
    go_through(served, bob, project, wrong=("attention", "which"))
    # Who is left out makes room: the next one gets their form.
    eve = come(served, project, "5f03")
    go_through(served, eve, project, wrong=("order",))

    done = export_runs(served.site, tmp_path / "runs")
    with served.site.database.read() as db:
        found = study_records.records(db, db.get_one(Project, project))
        names = {one.person.outside: one.name for one in found}
    assert done.excluded == {names["5f02"]: "1 attention question wrong"}
    assert done.skipped == {names["5f01"]: "1 of 5 questions (1 can't tell)"}
    runs = {folder.record().settings.model: folder for folder in done.folders}
    assert sorted(runs) == sorted(f"human/{names[pid]}" for pid in ("5f01", "5f03"))
    answers = {r.id: r.response for r in runs[f"human/{names['5f01']}"].outcomes()}
    assert answers == {"count": "3", "order": "B", "which": "A", "script": answers["script"]}
    assert {r.id: r.response for r in runs[f"human/{names['5f03']}"].outcomes()}["order"] == "C"
    assert runs[f"human/{names['5f01']}"].record().settings.model_settings["study"] == {
        "asked": 5, "answered": 4, "skipped": {"can't tell": 1}, "excluded": None, "people": 3, "people_excluded": 1
    }  # fmt: skip

    owner = served.person("owner", "Olga")
    table = list(csv.DictReader(io.StringIO(owner.get(f"/studies/{project}/people.csv").text)))
    assert [row["PROLIFIC_PID"] for row in table] == ["5f01", "5f02", "5f03"]
    assert [row["counts"] for row in table] == ["yes", "no", "yes"]
    assert table[0]["skipped: can't tell"] == "1"
    assert table[0]["code"] == "C0DE"
    assert table[0]["currency"] == "GBP"
    assert float(table[0]["pay"]) == pytest.approx(1.5 + 9 * float(table[0]["minutes"]) / 60, abs=0.011)
    rows = list(csv.DictReader(io.StringIO(owner.get(f"/studies/{project}/answers.csv").text)))
    assert {row["external id"] for row in rows} == {"5f01", "5f02", "5f03"}
    said = {(row["external id"], row["question"]): row for row in rows if row["asked as"] == "sample"}
    assert len(said) == 15
    assert (said["5f01", "size"]["answer"], said["5f01", "size"]["skipped"]) == ("", "can't tell")
    assert [said["5f01", "order"][key] for key in ("answer", "right answer", "right")] == ["B", "B", "yes"]
    assert [said["5f03", "order"][key] for key in ("answer", "right answer", "right")] == ["C", "B", "no"]
    assert sum(row["asked as"] == "practice" for row in rows) == 3
    shown = owner.get(f"/projects/{project}/progress").text
    assert "<td>5f02</td>" in shown
    assert "1 attention question wrong" in shown
    assert "A skipped question has no answer" in shown
    assert "Exclusion rules, as people read them: You don&#39;t finish. You get fewer than 50 % of the check" in shown


@pytest.mark.full
def test_options_are_shuffled_and_answers_stored_by_their_true_letters(studied: tuple[Served, int]) -> None:
    served, project = studied
    go_through(served, come(served, project, "5f01"), project)
    go_through(served, come(served, project, "5f02"), project)
    with served.site.database.read() as db:
        stored = [s.content for s in db.query(Submission).filter(Submission.step == "answer")]
    mixed = [content for content in stored if "order" in content]
    assert len(mixed) == 8  # order, which, script and the attention question of two people
    assert all("ABCD"[content["order"]["ABCD".index(content["shown"])]] == content["answer"] for content in mixed)
    assert any(content["shown"] != content["answer"] for content in mixed)


@pytest.mark.full
def test_one_outside_id_is_one_person_and_comes_back_to_where_they_were(studied: tuple[Served, int]) -> None:
    served, project = studied
    come(served, project, "5f01")
    again = come(served, project, "5f01")
    assert again.get(f"/projects/{project}/work").url.path.startswith("/study/")
    assert len(served.told(participants.participants, project)) == 1


@pytest.mark.full
def test_who_fails_practice_ends_there_and_makes_room(studied: tuple[Served, int], tmp_path: Path) -> None:
    served, project = studied
    begin = served.visitor().get(join_path(served.site, project), params={"PROLIFIC_PID": "5f09"}).text
    assert "To go on, you need 1 of 1 right in one of 2 rounds." in begin
    client = come(served, project, "5f01")
    client.post(client.get(f"/projects/{project}/work").url.path, answer="5", seconds=2)
    again = client.get(f"/projects/{project}/work").text
    assert "Too few were right, so practice starts again. You need 1 of 1 right; this is round 2 of 2." in again
    assert go_through(served, client, project, practice="5") == ["practice"]
    ended = client.get(f"/projects/{project}/work").text
    assert "Too few of the practice questions" in ended
    assert '<strong class="code" data-code>0UT</strong>' in ended
    assert "complete?cc=0UT" in ended
    assert "C0DE" not in ended
    with served.site.database.read() as db:
        (row,) = csv.DictReader(io.StringIO(pay_table(db, served.site, db.get_one(Project, project))))
    assert (row["state"], row["counts"], row["code"]) == ("screened", "no", "0UT")
    come(served, project, "5f02")
    come(served, project, "5f03")
    found = served.told(study_records.records, project)
    assert [one.person.form for one in found] == [None, 0, 1]
    assert found[0].excluded == ["too few right answers in practice"]


def test_nothing_is_asked_before_somebody_has_agreed(studied: tuple[Served, int]) -> None:
    served, project = studied
    sam = served.person("subject", "Sam")
    begun = sam.get(f"/projects/{project}/work")
    assert begun.url.path == f"/studies/{project}"
    assert "You may stop." in begun.text
    assert "stored under" not in begun.text
    assert "<strong>well</strong>" in begun.text
    assert "&lt;script&gt;" in begun.text
    assert "fewer than 50 %" in begun.text
    assert sam.get(re.search(r'src="(/study-pictures/[^"]+)"', begun.text).group(1)).status_code == 200
    assert "Tick that you agree" in sam.post(f"/studies/{project}").text
    sam.post(f"/studies/{project}", agreed="yes")
    assert sam.get(f"/projects/{project}/work").url.path.startswith("/study/")
    assert [one.content.get("agreed to") for one in served.told(participants.participants, project)] == [None]


def test_a_link_without_its_id_is_refused_and_a_wrong_token_unknown(studied: tuple[Served, int]) -> None:
    served, project = studied
    guest = served.visitor()
    assert "This link lacks your id (PROLIFIC_PID)" in guest.get(join_path(served.site, project)).text
    assert guest.get(f"/join/{project}/{'0' * 32}").status_code == 404
    owner = served.person("owner", "Olga")
    told = owner.get(join_path(served.site, project), params={"PROLIFIC_PID": "x"}).text
    assert "Open this link in a private window" in told


@pytest.mark.full
def test_a_broken_medium_is_reported_and_no_wrong_answer(studied: tuple[Served, int]) -> None:
    served, project = studied
    client = come(served, project, "5f01")
    client.get(f"/projects/{project}/work")
    client.post(client.last.url.path, answer="4", seconds=2)
    page = client.get(f"/projects/{project}/work")
    while ATTENTION in page.text or item_on(client) == "pair":
        client.post(page.url.path, answer="B", seconds=2, shown="ready")
        page = client.get(f"/projects/{project}/work")
    path = page.url.path
    assert client.post(f"{path}/skip", reason="no mood").status_code == 422
    client.post(f"{path}/skip", reason="broken media")
    assert client.get(f"/projects/{project}/work").url.path != path
    (own,) = served.told(study_records.records, project)
    assert dict(own.skips) == {"broken media": 1}
    assert own.answers == {}
    assert "broken media" in served.person("owner", "Olga").get(f"/projects/{project}/progress").text


@pytest.mark.full
def test_time_that_is_over_is_a_skip(benchmark: Path, tmp_path: Path, serve: Serve) -> None:
    study = Study.model_validate(
        {"title": "T", "parts": [{"sample": {"people": 1, "by": None}, "time": {"most_seconds": 20}}]}
    )
    served = serve(benchmark)
    project = start(served, study, tmp_path)
    sam = served.person("subject", "Sam")
    sam.get(f"/projects/{project}/work")
    sam.post(f"/studies/{project}", agreed="yes")
    path = sam.get(f"/projects/{project}/work").url.path
    assert sam.post(f"{path}/skip", reason="time is over").status_code == 422
    served.clock.ahead += 30
    assert sam.post(path, answer="B", seconds=20, shown="ready").url.path != path
    (own,) = served.told(study_records.records, project)
    assert dict(own.skips) == {"time is over": 1}
    assert own.answers == {}


@pytest.mark.full
def test_a_form_of_who_left_goes_to_another_and_their_answers_stay(studied: tuple[Served, int]) -> None:
    served, project = studied
    come(served, project, "5f01")
    gone = come(served, project, "5f02")
    gone.get(f"/projects/{project}/work")
    served.clock.ahead += 25 * 3600
    come(served, project, "5f03")
    with served.site.database.read() as db:
        states = [
            (one.outside, one.form, one.state) for one in participants.participants(db, db.get_one(Project, project))
        ]
    assert sorted(form for _, form, _ in states if form is not None) == [0, 1]
    assert [state for _, _, state in states].count("lapsed") == 1


@pytest.mark.full
def test_the_owner_starts_a_study_from_the_form(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    assert "SITE: human level" in owner.get("/studies?like=site").text
    refused = owner.post("/studies", text='title = "x"\n[[parts]]\nmdoe = "study"').text
    assert "line 3" in refused
    assert "mode" in refused
    other = FILE.replace("How well people do", "B")
    assert "which isn&#39;t in" in owner.post("/studies", text=other.replace("cup.png", "mug.png")).text
    other = other.replace("![a cup](pictures/cup.png)", "")
    few = owner.post("/studies", text=other.replace("overlap = 2", "each = 9"))
    assert "fewer than the 9 that each person is to be asked" in few.text
    text = 'title = "Another"\n[[parts]]\n[parts.sample]\npeople = 3\n'
    about = owner.post("/studies", text=text)
    assert re.fullmatch(r"/studies/\d+/about", about.url.path)
    assert "/join/" in about.text
    path = re.search(r"/join/[^<\"]+", about.text).group()  # type: ignore[union-attr]
    (number,) = re.findall(r"/studies/(\d+)/about", about.url.path)
    changed = owner.post("/studies", text=text.replace("3", "4"))  # nobody has come
    assert changed.url.path == about.url.path
    assert path in changed.text
    with served_sqlite.site.database.read() as db:
        assert participants.part_of(db.get_one(Project, int(number))).sample.people == 4  # type: ignore[union-attr]
        forms = [form for task in tasks_of(db, int(number)) for form in task.content["forms"]]
    assert max(forms) == 3
    assert len(forms) == len(TRUTHS)
    visitor = served_sqlite.visitor()
    visitor.get(path)
    visitor.post(path, agreed="yes")
    refused = owner.post("/studies", text=text).text
    assert "was started with another study" in refused
    assert "It has participants" in refused


@pytest.mark.full
def test_a_study_that_is_begun_anew_says_so(served_sqlite: Served, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    text = 'title = "P"\n[[parts]]\n[parts.sample]\npeople = 3\n'
    file.write_text(text)
    first = start_named(served_sqlite.site, str(file))
    assert not any("starts again" in sentence for sentence in first.foreseen)
    file.write_text(text.replace("3", "5"))
    second = start_named(served_sqlite.site, str(file))
    assert second.links == first.links
    assert second.foreseen[0] == "'P' had no participants, so it starts again with the file as it is now."
    assert start_named(served_sqlite.site, str(file)).foreseen == second.foreseen[1:]


@pytest.mark.full
def test_the_printed_link_has_what_the_platform_fills_in(served_sqlite: Served, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text('title = "P"\n[[parts]]\n[parts.sample]\npeople = 3\n[parts.link]\nplatform = "prolific"\n')
    started = start_named(served_sqlite.site, str(file))
    (link,) = started.links
    assert link.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}")
    tried = served_sqlite.visitor().get(re.sub(r"\{\{%\w+%\}\}", "trial", link)).text
    assert "lacks your id" not in tried
    assert "Begin" in tried


def test_three_fields_start_a_study(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    shown, _, folded = owner.get("/studies").text.partition("All settings</summary>")
    quick = ("title", "parts.0.sample.people", "parts.0.sample.each")
    assert re.findall(r'<(?:input id|textarea id|select id)="([^"]+)"', shown) == list(quick)
    assert "Start the study</button>" in shown
    assert "Start the study</button>" not in folded
    about = owner.post("/studies", text="", **dict(zip(quick, ("Quick", "2", "1"), strict=True)))
    assert re.fullmatch(r"/studies/\d+/about", about.url.path)
    read = owner.post("/study-file", act="read", text='title = "Read"\n[[parts]]\n[parts.sample]\npeople = 2\n').text
    assert read.index("All settings</summary>") < read.index('value="Read"') < read.index("Start the study</button>")


@pytest.mark.full
def test_the_form_writes_the_file_and_is_filled_from_it(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    filled = {"title": "Formed", "parts.0.sample.people": "3", "parts.0.practice.0.question": "2 + 2 = ?"}
    half = owner.post("/study-file", act="write", text="", **filled)
    assert "needs a question and its answer" in half.text
    assert 'value="Formed"' in half.text  # nothing of the form is lost
    page = owner.post("/study-file", act="write", text="", **filled, **{"parts.0.practice.0.answer": "4"}).text
    text = unescape(re.search(r'name="text"[^>]*>(.*?)</textarea>', page, re.DOTALL).group(1))  # type: ignore[union-attr]
    assert tomllib.loads(text) == {
        "title": "Formed",
        "parts": [{"sample": {"people": 3}, "practice": [{"question": "2 + 2 = ?", "answer": "4"}]}],
    }
    again = owner.post("/study-file", act="read", text=text.replace("Formed", "<b>Read")).text
    assert 'value="&lt;b&gt;Read"' in again
    assert "is no TOML" in owner.post("/study-file", act="read", text="= 3").text
    assert re.fullmatch(r"/studies/\d+/about", owner.post("/studies", text="", **filled, **{"parts.0.practice.0.answer": "4"}).url.path)  # fmt: skip


@pytest.mark.full
def test_the_owner_starts_one_by_numbers_alone(served_sqlite: Served, tmp_path: Path) -> None:
    owner = served_sqlite.person("owner", "Olga")
    fields: dict[str, Any] = {"study-people": 2, "study-each": 1, "study-overlap": 2, "study-shuffle": 1}
    owner.get("/")
    assert owner.post("/projects", name="By numbers", mode="study", **fields).status_code == 200
    sam = served_sqlite.person("subject", "Sam")
    sam.get("/projects/1/work")
    sam.post("/studies/1", agreed="yes")
    asked = []
    while (page := sam.get("/projects/1/work")).url.path.startswith("/study/"):
        asked.append(item_on(sam))
        sam.post(page.url.path, answer=given(page.text, asked[-1], right=True), seconds=3, shown="ready")
    assert sorted(asked) in (sorted(["count", "size", "order", "pair", one]) for one in ("which", "script"))


def test_people_of_names_have_links_of_their_own_and_the_owner_reads_one_sentence(served_sqlite: Served) -> None:
    started = start_asked(served_sqlite.site, ("anna", "ben"), 3)
    assert [link.partition("?")[2] for link in started.links] == ["person=anna", "person=ben"]
    assert start_asked(served_sqlite.site, ("anna", "ben"), 3).links == started.links
    owner = served_sqlite.person("owner", "Olga")
    assert "<p>0 of 6 answers, from 0 of 2 people.</p>" in owner.get("/projects/1/progress").text
    path = started.links[0].partition("?")[0]
    asked = []
    for _ in range(2):  # a second browser goes on where the first one stopped
        anna = served_sqlite.visitor()
        anna.get(path, params={"person": "anna"})
        anna.post(path, person="anna", agreed="yes")
        page = anna.get("/projects/1/work")
        asked.append(item_on(anna))
        anna.post(page.url.path, answer=given(page.text, asked[-1], right=True), seconds=3, shown="ready")
    assert len(set(asked)) == 2
    assert "<p>2 of 6 answers, from 1 of 2 people.</p>" in owner.get("/projects/1/progress").text
    assert start_asked(served_sqlite.site, ("anna", "ben"), 3).links == started.links
    with served_sqlite.site.database.read() as db:
        head = pay_table(db, served_sqlite.site, db.get_one(Project, 1)).partition("\n")[0].split(",")
    assert head[:3] == ["person", "link_person", "form"]
    assert len(set(head)) == len(head)


def asked_people(served: Served) -> list[Client]:
    """Begin a study for anna and ben; anna answers a question. The owner and anna."""
    path = start_asked(served.site, ("anna", "ben"), 3).links[0].partition("?")[0]
    anna = served.visitor()
    anna.get(path, params={"person": "anna"})
    anna.post(path, person="anna", agreed="yes")
    page = anna.get("/projects/1/work")
    anna.post(page.url.path, answer=given(page.text, item_on(anna), right=True), seconds=3, shown="ready")
    return [served.person("owner", "Olga"), anna]


def test_the_owner_sees_names_next_to_codes_and_exports_have_codes(served_sqlite: Served, tmp_path: Path) -> None:
    owner, _ = asked_people(served_sqlite)
    (found,) = served_sqlite.told(participants.participants, 1)
    both = f"anna ({found.user.name})"
    progress = owner.get("/projects/1/progress").text
    assert progress.count(f'<th scope="row">{both}</th>') == 3  # throughput, people, marked answers
    assert '<th scope="row">ben</th><td></td><td>not come yet</td>' in progress
    assert "People: 1 at work, 1 not come yet. Forms: 2. Exclusion rules: none." in progress
    for page in ("/people", "/projects/1/people"):
        assert both in owner.get(page).text
    tables = unzipped(owner.get("/projects/1/files/tables.zip").content)
    throughput = next(content.decode() for name, content in tables.items() if "throughput" in name.lower())
    assert found.user.name in throughput
    assert "anna" not in throughput
    (run,) = export_runs(served_sqlite.site, tmp_path / "runs").folders
    assert run.record().settings.model == f"human/{found.user.name}"
    assert not [file for file in run.path.rglob("*") if file.is_file() and b"anna" in file.read_bytes()]


def test_the_owner_finds_each_person_s_link_again(served_sqlite: Served) -> None:
    owner, anna = asked_people(served_sqlite)
    path = join_path(served_sqlite.site, 1)
    shown = owner.get("/studies/1/about").text
    assert re.findall(r'value="([^"]+)" readonly', shown) == [
        f"{served_sqlite.url}{path}?person={name}" for name in ("anna", "ben")
    ]
    assert "ben: not come yet</label>" in shown
    assert "/studies/1/about" in owner.get("/projects/1/progress").text
    assert anna.get("/studies/1/about").status_code in (403, 404)


def test_the_title_of_a_study_of_names_has_none_and_other_people_get_another_study(served_sqlite: Served) -> None:
    site = served_sqlite.site
    first = start_asked(site, ("anna", "ben"), 3).links
    second = start_asked(site, ("carla", "dora"), 3).links
    assert start_asked(site, ("anna", "ben"), 3).links == first
    assert start_asked(site, ("carla", "dora"), 3).links == second
    names = [project.name for project in served_sqlite.scalars(select(Project).order_by(Project.id))]
    assert names == ["3 questions for 2 people", "3 questions for 2 people (2)"]
    path, _, query = first[1].partition("?")
    assert "anna" not in served_sqlite.visitor().get(path, params={"person": query.removeprefix("person=")}).text


def test_a_study_without_text_says_what_people_agree_to(served_sqlite: Served) -> None:
    path = start_asked(served_sqlite.site, ("anna",), 3).links[0].partition("?")[0]
    anna = served_sqlite.visitor()
    shown = anna.get(path, params={"person": "anna"}).text
    said = [
        "You are asked 3 questions. At 30 seconds each, this takes about 2 minutes.",
        "Your answers and their times are stored under a code. The people who run the study can see whose code it is.",
        "You can stop at any time: close the page. Answers up to then are kept. Your link continues where you stopped.",
    ]
    assert all(f"<p>{sentences}</p>" in shown for sentences in said)
    assert "I have read this, and I agree to take part." in shown
    about = served_sqlite.person("owner", "Olga").get("/studies/1/about").text
    assert all(sentences in about for sentences in said)
    anna.post(path, person="anna", agreed="yes")
    (found,) = served_sqlite.told(participants.participants, 1)
    assert found.content["agreed to"] == "\n\n".join(said)


def test_the_default_consent_rests_on_the_study_s_settings(served_sqlite: Served) -> None:
    sample = {"people": 4, "by": None, "overlap": 3}
    attention = [{"question": "Answer 7.", "answer": "7", "unit": "count"}]
    part = {"sample": sample, "attention": attention, "time": {"most_minutes": 5}}
    project = start(served_sqlite, Study.model_validate({"title": "S", "parts": [part]}), Path())
    sam = served_sqlite.person("subject", "Sam")
    sam.get("/")
    shown = sam.get(f"/studies/{project}").text
    assert "<p>You are asked 5 to 6 questions.</p>" in shown
    assert "You have 5 minutes in all." in shown
    assert "<p>Your answers and their times are stored under the name Sam.</p>" in shown


def test_names_that_are_not_asked_take_no_place(served_sqlite: Served) -> None:
    path = start_asked(served_sqlite.site, ("anna", "ben"), 3).links[0].partition("?")[0]
    turned_away = "This study is only for people who were asked by name."
    for name in ("eve", "Anna"):
        other = served_sqlite.visitor()
        shown = other.get(path, params={"person": name}).text
        assert turned_away in shown
        assert "<form" not in shown.partition("<article")[2]
        other.get(path, params={"person": "anna"})  # a page with a form
        assert turned_away in other.post(path, person=name, agreed="yes").text
    sam = served_sqlite.person("subject", "Sam")
    sam.get("/studies/1")
    assert turned_away in sam.post("/studies/1", agreed="yes").text
    for name in ("anna", "ben"):
        asked = served_sqlite.visitor()
        asked.get(path, params={"person": name})
        asked.post(path, person=name, agreed="yes")
        assert asked.get("/projects/1/work").url.path.startswith("/study/")


def test_a_study_of_names_that_an_earlier_version_began_goes_on(served_sqlite: Served) -> None:
    site = served_sqlite.site
    links = start_asked(site, ("anna",), 3).links
    path = links[0].partition("?")[0]
    with site.database.write() as db:
        project = db.get_one(Project, 1)
        about = project.settings["study"]
        part = about["part"] | {"link": {"id": "person"}}
        former = "3 questions for anna"
        project.name, project.settings = former, project.settings | {"study": about | {"title": former, "part": part}}
    anna = served_sqlite.visitor()
    anna.get(path, params={"person": "anna"})
    anna.post(path, person="anna", agreed="yes")
    assert start_asked(site, ("anna",), 3).links == links


def test_a_small_benchmark_asks_all_that_it_has(served_sqlite: Served) -> None:
    start_asked(served_sqlite.site, ("anna",), 500)
    with served_sqlite.site.database.read() as db:
        (project,) = db.scalars(select(Project)).all()
        assert study_records.study_summary(db, project) == f"0 of {len(TRUTHS)} answers, from 0 of 1 person."


def test_another_answer_from_another_tab_says_that_the_first_one_stays(studied: tuple[Served, int]) -> None:
    served, project = studied
    client = come(served, project, "p1")
    page = client.get(f"/projects/{project}/work")
    client.post(page.url.path, answer="4", seconds=2)
    served.clock.ahead += 10
    path = client.get(f"/projects/{project}/work").url.path
    while "inputmode" not in client.last.text:  # a question that takes numbers
        client.post(f"{path}/skip", reason="can't tell")
        path = client.get(f"/projects/{project}/work").url.path
        if path.endswith("/break"):
            client.post(path)
            path = client.get(f"/projects/{project}/work").url.path
    assert client.post(path, answer="5", seconds=3, shown="ready").status_code == 200
    assert client.post(path, answer="5", seconds=3, shown="ready").url.path != path  # the same form again
    other = client.post(path, answer="6", seconds=3, shown="ready")
    assert other.status_code == 409
    assert "what you submitted first, &#39;5&#39;, stays" in other.text
    assert client.post(f"{path}/skip", reason="can't tell").status_code == 409
    given = [one.content.get("answer") for one in served.scalars(select(Submission)) if one.step == "answer"]
    assert given.count("5") == 1
    assert "6" not in given


def test_a_study_of_the_package_that_has_begun_goes_on_as_it_was(
    pool_folder: Path, tmp_path: Path, serve: Serve
) -> None:
    before = STUDY_FILES.open("mmsi-bench").model_dump(mode="json", exclude_unset=True)
    before["parts"][0] |= {"instructions": "Older words."}
    del before["scoring_profile"], before["parts"][0]["format"], before["parts"][1]["settings"]["back"]
    served = serve(tmp_path / "fresh", pool=pool_folder)
    with served.site.database.write() as db:
        start_study(db, served.site, Study.model_validate(before))
    ann = served.person("annotator", "Ann")
    ann.get("/projects/1/work")
    ann.post("/studies/1", agreed="yes")
    (told,) = start_named(served.site, "mmsi-bench").foreseen
    assert told.startswith("'MMSI-Bench: annotation: Write' goes on as it was started")
    assert ann.get("/projects/1/work").url.path.startswith("/write/")
    with served.site.database.read() as db:
        assert db.get_one(Project, 1).settings["study"]["part"]["instructions"] == "Older words."
    (file := tmp_path / "own.toml").write_text(
        (Path(str(studies.__file__)).parent / "mmsi-bench.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="give the changed study another title"):
        start_named(served.site, str(file))
