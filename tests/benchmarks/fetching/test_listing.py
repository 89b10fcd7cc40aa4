"""What the hub holds: commits, data sets that moved, those that may not be read, and hubs that don't answer."""

import pytest

from fake_hub import COMMIT, LATER, FakeHub, Repository
from tolman.benchmarks import hub as fetching
from tolman.benchmarks.fetching.listing import copies, find_listing, newer_name
from tolman.benchmarks.spec import HubSource
from tolman.errors import UsageError

ROWS = {"test.jsonl": b'{"id": 1}\n'}
SOURCE = HubSource("somebody/set", ("test.jsonl",))


def test_the_listing_of_a_commit_is_asked_for_once(hub: FakeHub) -> None:
    first = find_listing("somebody/set", "main")
    assert first is not None
    assert (first.commit, first.licence) == (COMMIT, "apache-2.0")
    assert {file.path: file.digest.partition(":")[0] for file in first.files} == {
        "test.jsonl": "git",
        "videos.zip": "sha256",
    }
    hub.asked.clear()
    assert find_listing("somebody/set", COMMIT) == first
    assert not hub.asked


def test_a_data_set_that_the_hub_forwards_is_found_and_its_new_name_told(hub: FakeHub) -> None:
    hub.repositories["everybody/set"] = hub.repositories.pop("somebody/set")
    hub.forwarded["somebody/set"] = "everybody/set"
    listing = find_listing("somebody/set", "main")
    assert listing is not None
    assert (listing.repository, listing.name) == ("somebody/set", "everybody/set")
    assert (fetching.fetch(SOURCE) / "test.jsonl").read_bytes() == ROWS["test.jsonl"]


def test_a_data_set_that_is_known_to_have_moved_is_found_without_the_hub_forwarding(hub: FakeHub) -> None:
    assert newer_name("JingkunAn/RefSpatial-Bench") == "BAAI/RefSpatial-Bench"
    hub.repositories["BAAI/RefSpatial-Bench"] = Repository({COMMIT: ROWS})
    source = HubSource("JingkunAn/RefSpatial-Bench", ("test.jsonl",))
    plan = fetching.plan_questions(source)
    assert plan is not None
    assert plan.listing.name == "BAAI/RefSpatial-Bench"
    assert (fetching.carry_out(plan) / "test.jsonl").read_bytes() == ROWS["test.jsonl"]


def test_a_data_set_that_is_nowhere_is_one_sentence_with_a_copy_where_one_is_known(hub: FakeHub) -> None:
    with pytest.raises(
        UsageError, match=r"the hub has no data set nobody/nothing, or it is private .*--data FOLDER\.$"
    ):
        find_listing("nobody/nothing", "main")
    assert copies("Phineas476/EmbSpatial-Bench") == ["FlagEval/EmbSpatial-Bench"]
    with pytest.raises(UsageError, match=r"a copy: http://[\d.:]+/datasets/FlagEval/EmbSpatial-Bench"):
        find_listing("Phineas476/EmbSpatial-Bench", "main")


def test_a_revision_that_there_is_not_is_one_sentence(hub: FakeHub) -> None:
    with pytest.raises(UsageError, match="the data set somebody/set has no revision 'v9'"):
        find_listing("somebody/set", "v9")


def test_a_gated_set_is_answered_by_licence_and_token(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.repositories["somebody/set"].gated = True
    with pytest.raises(
        UsageError, match=r"is gated: accept its licence at \S+/datasets/somebody/set, make a token .*HF_TOKEN"
    ):
        fetching.fetch(SOURCE)
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    with pytest.raises(UsageError, match="the account of your token has no access: accept its licence"):
        fetching.fetch(SOURCE)
    monkeypatch.setenv("HF_TOKEN", "hf_access")
    assert (fetching.fetch(SOURCE) / "test.jsonl").is_file()


def test_without_a_hub_a_branch_is_what_it_was(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fetching.fetch(SOURCE)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert fetching.fetch(SOURCE) == folder
    with pytest.raises(
        UsageError, match=r"can't be reached at http://127\.0\.0\.1:9, and the revision 'v9' is not on this machine"
    ):
        fetching.fetch(SOURCE, "v9")


def test_a_branch_that_went_on_is_another_commit(hub: FakeHub) -> None:
    before = fetching.fetch(SOURCE)
    hub.repositories["somebody/set"].commits[LATER] = {"test.jsonl": b'{"id": 1, "answer": "B"}\n'}
    after = fetching.fetch(SOURCE)
    assert (before.name, after.name) == (COMMIT, LATER)
    assert fetching.fetch(SOURCE, COMMIT) == before
