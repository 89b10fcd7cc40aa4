"""Published tables beside an analysis's own result, marked as published."""

import random
from collections.abc import Iterable
from dataclasses import replace

from shown import on_console
from tolman.analyze.composition import Diversity, DiversityResult
from tolman.analyze.deltas import ABLATION, Delta, DeltasResult, PublishedDelta, published_deltas
from tolman.analyze.error_shares import ErrorsResult
from tolman.analyze.humans import Average, HumansResult
from tolman.analyze.maps import Drawn, ItemMap, MapsResult, RunMaps, consistency, locality, pairs
from tolman.analyze.model_scores import Correlation, CorrelationResult, PublishedCorrelation, published_correlation
from tolman.analyze.representative import Error, HeldOut, RepresentativeResult, Subset
from tolman.benchmarks import get
from tolman.benchmarks.published import PublishedRow, published_tables
from tolman.cognitive_maps import CognitiveMap
from tolman.reports import analysis_results, analysis_results as error_results, map_results
from tolman.reports.analysis_results import Shown
from tolman.scoring.agreement_coefficients import Coefficient
from tolman.scoring.error_types import TAXONOMIES
from tolman.scoring.run_differences import Difference
from tolman.scoring.score_table import Column, pool


def printed(parts: Iterable[Shown]) -> list[str]:
    shown = on_console(lambda console: [console.print(part, soft_wrap=True) for part in parts], width=400)
    return [" ".join(line.split()) for line in shown.splitlines()]


def test_maps_have_table_4_below_their_own_rows() -> None:
    generator = random.Random(1)
    places = {name: [(10 * generator.random(), 10 * generator.random())] for name in "abcdefgh"}
    one = Drawn("s", CognitiveMap(10, places), CognitiveMap(10, places))
    own = RunMaps([ItemMap("mine", "1", "?", one, ())], answers=1)
    drawn = {"mine": locality(pairs(own.drawn), 10)}
    fits = {"mine": consistency(own.drawn)}
    result = MapsResult(10, False, {"mine": own}, drawn, fits, published=tuple(published_tables("maps")))
    lines = printed(map_results.show_maps(result))
    assert "Gemini-1.5 Pro, published 64.0 48.0 35.0 35.0 28.0 12.0 6.0 0.0" in lines
    assert "published: VSI-Bench, Table 4, on that benchmark's videos." in lines
    assert not any("published" in line for line in printed(map_results.show_maps(replace(result, published=()))))


def test_deltas_have_a_column_for_each_published_model() -> None:
    columns = (Column("one", "One", pool("one")), Column("two", "Two", pool("two")))
    difference = Difference(60.0, 40.0, 20.0, None, None, 2.0, None, 0.5, True, None, 10, 3, 1)
    published = PublishedDelta(ABLATION, "GPT-4o", "full", "Table 6", {"two": (34.0, 14.5)})
    found = [Delta(ABLATION, "m", {"one": difference, "two": difference})]
    lines = printed(analysis_results.show_deltas(DeltasResult("official", "none", 0, found, {}, columns, [published])))
    assert "Two 60.0 40.0 +20.0 – 10 +19.5" in lines
    assert "One 60.0 40.0 +20.0 – 10 –" in lines
    assert "published, GPT-4o: enabled − disabled of Table 6, subset full, the source's own runs." in lines


def test_published_deltas_pair_a_protocol_with_the_direct_row_of_its_table_or_paper() -> None:
    cot, direct = "cot − direct", {"average": 30.0}
    plain = PublishedRow("model", "A", "", "Table 3", direct, "2025", "full")
    asked = replace(plain, setting="zero-shot CoT", source="Table 10", values={"average": 33.0}, protocol="cot")
    (found,) = published_deltas([plain, asked], {cot})
    assert (found.figures, found.source) == ({"average": (33.0, 30.0)}, "Table 10, Table 3")
    own = replace(plain, setting="w/o", source="Table 10", values={"average": 31.0}, protocol="direct")
    assert published_deltas([plain, own, asked], {cot})[0].figures == {"average": (33.0, 31.0)}
    assert published_deltas([plain, asked], {ABLATION}) == []
    assert published_deltas([replace(plain, subset="tiny"), asked], {cot}) == []
    blind = replace(asked, protocol="blind")
    assert published_deltas([plain, blind], {ABLATION})[0].figures == {"average": (30.0, 33.0)}


def test_the_papers_deltas_are_those_that_their_texts_tell() -> None:
    wanted = {ABLATION, "cognitive-map − direct", "caption-then-answer − direct"}
    rows = {(d.what, d.model): d.figures for d in published_deltas(get("vsi-bench").published_rows, wanted)}
    gains = {key: round(a - b, 1) for key, figures in rows.items() for a, b in figures.values()}
    assert gains == {
        ("cognitive-map − direct", "LLaVA-Video-72B"): 6.0,
        ("cognitive-map − direct", "LLaVA-Video-7B"): -8.0,
        ("caption-then-answer − direct", "GPT-4o"): -4.7,  # "lags behind the standard GPT-4o by 4.7%"
        (ABLATION, "GPT-4o"): 19.5,
    }


def test_correlations_have_the_printed_coefficients_beside_them() -> None:
    tables = published_tables("correlation")
    assert published_correlation("EB-Habitat", "MMSI bench", tables) == PublishedCorrelation(
        0.7299, 0.6167, 9, "MMSI-Bench, Table 11"
    )
    found = published_correlation("L2 distance", "site", tables)
    assert found == PublishedCorrelation(0.902, None, 4, "SITE, Table 6")
    assert published_correlation("MMSI-Bench", "MMSI-Bench", tables) is None
    own = Correlation(4, 0.9016, 0.8, None, None, 0)
    result = CorrelationResult("L2 Dist", ("L2 Dist",), 0, [], {"SITE": own, "mine": own}, {"SITE": found})
    lines = printed(analysis_results.show_correlation(result))
    assert "SITE 4 0.9016 – 0.8000 – 0.902" in lines
    assert "mine 4 0.9016 – 0.8000 – –" in lines
    assert "published: SITE, Table 6 (4 models)." in lines


def test_people_stand_above_published_people() -> None:
    column = get("site").table.column("overall")
    published = tuple(row for row in get("site").published_rows if row.group == "human")
    tables = tuple(published_tables("humans", "SITE"))
    average = {"overall": Average(60.0, None, 1, 60.0, 60.0)}
    result = HumansResult(
        "official", (column,), {"anna": {"overall": 60.0}}, average, None, [], None, published, tables
    )
    lines = printed(analysis_results.show_humans(result))
    assert "Human (tiny subset), published 67.5" in lines
    assert "published: Table 4 (2025)." in lines
    told = next(line for line in lines if line.startswith("Published (SITE, Table 3)"))
    assert told.endswith("Human performance 100, 100, 98, 96.")


def test_error_types_are_followed_by_what_their_paper_prints() -> None:
    for name, said in (("vsi", "Gemini-1.5 Pro 71."), ("mmsi", "GPT-4.5 37.5; GPT-4o 29.9; Qwen2.5-VL-72B 21.5.")):
        published = tuple(table for table in published_tables("errors") if table.taxonomy == name)
        none = Coefficient(None, 0, None, None)
        result = ErrorsResult(TAXONOMIES[name], "official", [], [], none, [], 0, 0, 0, 0, None, (), published)
        assert any(
            line.startswith("Published (") and line.endswith(said)
            for line in printed(error_results.show_errors(result))
        )


def test_a_subset_is_followed_by_what_the_paper_says_of_its_own() -> None:
    """VSI-Bench, appendix C.2: 560 questions, 0.5 % from all on average and 2.9 % at most. SITE prints none of the kind."""
    near, far = Error(headline=0.4, mean=1.2), Error(headline=2.0, mean=3.4)
    subset = Subset(
        ids=["1", "2"],
        full=[{"average": 40.0}],
        figures=[{"average": 40.4}],
        errors=[near],
        drawn=far,
        held_out=[HeldOut(0, chosen=near, drawn=far)],
        tasks={"one": 2},
        items=20,
    )
    average = Column("average", "Avg.", pool("one"))
    printed_tables = tuple(published_tables("representative", "VSI-Bench"))
    lines = printed(
        analysis_results.show_representative(
            RepresentativeResult(["mine"], "official", 0, 2, average, subset, None, printed_tables)
        )
    )
    assert "mine 40.00 40.40 0.40 0.40 2.00 1.20 1.20 3.40" in [line.replace("│", "").strip() for line in lines]
    assert lines[-1] == (
        "Published (VSI-Bench, appendix C.2): difference of a subset of 560 questions from all, % on average over models "
        "and at most (on average, at most): all models 0.5, 2.9."
    )
    assert list(published_tables("representative", "SITE")) == []


def test_counts_of_words_stand_above_those_of_mmsi_bench_s_table_6() -> None:
    own = Diversity(1000, 990, 30000, 1200, 8000, 13000, None)
    lines = printed(
        analysis_results.show_diversity(DiversityResult("mine", {"all": own}, tuple(published_tables("diversity")))),
    )
    assert "all 1,000 990 30,000 1,200 8,000 13,000" in lines
    assert "MMSI-Bench, published – – – 1,108 8,499 13,010" in lines
    assert "VSI-Bench, published – – – 398 4,482 12,972" in lines
    assert lines[-1] == "published: MMSI-Bench, Table 6."
