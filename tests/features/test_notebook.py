"""What the objects of the API show in a notebook: a title, a table, remarks; and what a name says is text."""

import inspect
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tolman
from tolman.features.generate.audit import AuditResult
from tolman.features.generate.compute import GenerateResult, generate
from tolman.features.generate.config import GenerateConfig
from tolman.features.notebook import MAX_SHOWN_ROWS, Displayable, NotebookTable
from tolman.features.scenes.compute import IngestResult
from tolman.ground_truth.released_audit import AuditFinding
from tolman.ingest.build import SummaryRow
from tolman.scenes import Skipped

HOSTILE = "<script>alert(1)</script>"


class Page(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == []
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def generated() -> GenerateResult:
    counts = {"offered": 9, "taken": 4, "rejected": {HOSTILE: 3, "too small": 1}, "filtered": {"asked": 5, "kept": 4}}
    tasks = {HOSTILE: counts, "object_counting": {"offered": 2, "taken": 2, "rejected": {}}}
    return GenerateResult(Path(HOSTILE), 6, 1, (Skipped(HOSTILE, "no floor"),), {"tasks": tasks})


def audited() -> AuditResult:
    from tolman.ground_truth.released_audit import summary

    findings = (
        AuditFinding(id="1", task=HOSTILE, scene="s", answer="2", status="agrees", error=0.5),
        AuditFinding(id="2", task=HOSTILE, scene="s", answer="2", status="not checked", note="no scene"),
    )
    return AuditResult(HOSTILE, Path("audit"), findings, tuple(summary(findings)), ())


def ingested() -> IngestResult:
    rows = (
        SummaryRow(id=HOSTILE, format="generic", path="scans/one", state="new", objects=3, area=12.5, frames=90),
        SummaryRow(id="two", format="generic", path="scans/two", state="refused", reason=f"unit: {HOSTILE}"),
    )
    return IngestResult(Path("scenes"), rows, 0, (f"{HOSTILE} matches nothing",))


def simulated() -> Any:
    pytest.importorskip("trimesh", reason="simulating needs the extra 'worlds'")
    from tolman.features.scenes.simulation import SimulateResult
    from tolman.simulate.collection import SimulatedScene

    told = SimulatedScene(HOSTILE, 20.0, objects=0, categories=1, coverage=0.0, frames=2, notes=(HOSTILE,))
    return SimulateResult(Path("worlds"), (told,))


@pytest.mark.parametrize("make", [generated, audited, ingested, simulated])
def test_a_hostile_name_in_a_result_is_text(make: Any) -> None:
    page = Page(make()._repr_html_())
    assert "script" not in page.tags
    assert set(page.tags) == {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert any(HOSTILE in text for text in page.texts)


def test_results_show_their_tables() -> None:
    made, checked, scans, worlds = generated(), audited(), ingested(), simulated()
    assert made.table().rows() == [(HOSTILE, 4, 9, 4, HOSTILE, 1), ("object_counting", 2, 2, 0, None, None)]
    assert checked.table().rows() == [(HOSTILE, 2, 1, 1, 0, 0.5, 0.5, 0, 0)]
    assert scans.table().rows()[1] == ("two", "refused", f"unit: {HOSTILE}", None, 0, 0, None, 0, "scans/two")
    assert worlds.table().rows() == [(HOSTILE, 20.0, 0, 1, 0.0, 2, HOSTILE)]
    for one in (made, checked, scans, worlds):
        texts = Page(one._repr_html_()).texts
        assert texts[1 : 1 + one.table().width] == one.table().columns
        assert texts[0] in repr(one)
    assert repr(checked) == f"<AuditResult {HOSTILE}: 1 of 2 answers recomputed>"
    assert repr(scans) == "<IngestResult scenes: 1 of 2 scans became scenes>"
    assert repr(worlds) == "<SimulateResult worlds: 1 scene>"
    assert "Scenes and objects left out: 1; the reasons are in .skipped." in made._repr_html_()


def test_a_benchmark_that_was_generated_shows_its_question_types(rooms: Path, tmp_path: Path) -> None:
    pytest.importorskip("shapely", reason="questions need the extra 'build'")
    made = generate(GenerateConfig(scenes=rooms, out=tmp_path / "bench", families=("size",), per_scene=2))
    assert made.table()["questions"].sum() == made.questions > 0
    assert repr(made) == f"<GenerateResult {tmp_path / 'bench'}: {made.questions} questions from 3 scenes>"


def test_all_that_the_api_returns_shows_itself_by_one_mechanism() -> None:
    kinds: list[type] = [tolman.Benchmark, tolman.Run, tolman.Scenes, tolman.Scores]
    homes = {
        "audit": "tolman.features.generate.audit",
        "audit_shortcuts": "tolman.features.generate.audit",
        "explain": "tolman.features.report.explain",
        "figure": "tolman.features.figures.compute",
        "ingest": "tolman.features.scenes.compute",
        "reconcile": "tolman.features.compare.reconcile_runs",
        "simulate": "tolman.features.scenes.simulation",
    }
    for name in tolman.__all__:
        thing = getattr(tolman, name)
        returned = str(inspect.signature(thing).return_annotation) if inspect.isfunction(thing) else ""
        if returned.endswith("Result"):
            kinds.append(getattr(import_module(homes.get(name, f"tolman.features.{name}.compute")), returned))
    assert len(kinds) == 15
    assert [kind.__name__ for kind in kinds if not issubclass(kind, Displayable)] == []
    assert [kind.__name__ for kind in kinds if "_repr_html_" in vars(kind)] == []


def test_long_tables_and_long_texts_are_cut() -> None:
    frame = pl.DataFrame({"text": ["x" * 500] * 25, "number": [1.23456789] * 25, "nothing": [None] * 25})
    texts = Page(NotebookTable.of(frame, "The last.").html("Title")).texts
    assert texts[:4] == ["Title", "text", "number", "nothing"]
    assert texts[4:7] == ["x" * 119 + "…", "1.235", "–"]
    assert texts[-2:] == [f"… and {25 - MAX_SHOWN_ROWS} more rows", "The last."]
