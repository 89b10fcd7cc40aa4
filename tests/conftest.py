"""Fixtures that many tests share."""

import os
import resource
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from dialogues import Talk
from postgres import Postgres
from ray_cluster import RayCluster
from tolman import benchmarks, plugins
from tolman.items import Item

Released = Callable[[str, str], list[Item]]
ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TOLMAN_SHARED", ROOT.parent / "shared"))

# Started by nohup, by a shell's background job or by some continuous integration, these signals are ignored, and so they
# are by everything that a test starts: the commands that a test stops would go on.
for _number, _handler in (
    (signal.SIGHUP, signal.SIG_DFL), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler),
):  # fmt: skip
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# How long an example takes tells of the machine and what else it does; the first text takes seconds by itself.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

LONG = (
    "docs/test_commands.py", "test_demo.py", "ingest/test_video_poses.py", "test_cluster.py",
    "review/studies/test_papers.py", "test_tolman_2.py", "runs/test_resume.py", "test_api.py",
    "review/modes/test_browser_write.py", "review/routes/test_browser_workbench.py", "reports/site/test_browser.py",
    "generate/test_vsi_bench.py", "test_cli.py", "simulate/test_made.py", "commands/test_analyze.py",
    "ingest/lidar/test_measure.py", "models/test_addresses.py", "generate/test_families.py",
    "simulate/test_collection.py", "generate/test_preset_filtering.py", "analyze/outside/test_audit.py",
    "runs/test_protocols.py", "review/modes/test_errors.py", "models/test_serving.py", "runs/test_engine.py",
    "test_construction.py", "geometry/test_measuring.py", "media/test_video.py", "review/test_security.py",
    "runs/test_judging.py", "simulate/test_render.py", "test_frames.py", "runs/test_identifying.py",
    "ingest/test_consistency.py", "guessing/test_blind.py", "ingest/test_posed_pictures.py", "runs/test_unfinished.py",
    "runs/test_batches.py", "runs/test_end_to_end.py", "simulate/test_actors.py", "before/test_runs.py",
    "generate/test_egoexo.py", "ingest/test_generic.py", "scoring/test_reading.py", "ingest/test_marked_objects.py",
    "runs/test_breaker.py", "curate/test_pipeline.py", "runs/test_thinking.py", "simulate/test_looking.py",
    "commands/test_analyze_errors.py", "test_docs_adding.py", "review/studies/test_mmsi_bench.py", "test_words.py",
    "before/test_benchmarks.py", "ingest/test_phone_scans.py", "review/test_server.py", "ingest/test_scan_doctor.py",
    "review/console/test_acts.py", "docs/test_scale.py", "review/tasks/test_tasks.py", "runs/test_without_text.py",
    "review/test_browser_keys.py", "simulate/test_cameras.py", "features/test_explain.py",
    "analyze/test_observer_fit.py", "test_walls.py", "simulate/test_twins.py", "review/console/test_console.py",
    "ingest/test_build.py", "simulate/test_robots.py", "review/projects/test_marks.py", "before/test_review.py",
    "docs/test_prose.py", "runs/logs/test_fixtures.py", "docs/test_snippets.py", "models/test_python.py",
    "models/test_code.py", "review/test_browser.py", "features/test_paper_runs.py", "reports/test_reports.py",
    "features/test_doctor.py", "simulate/test_made_library.py", "models/test_anthropic.py", "media/test_integrity.py",
    "docs/test_notebooks.py", "simulate/test_open_places.py", "test_outputs.py", "features/test_recipes.py",
    "review/studies/test_browser_study.py", "generate/test_shortcuts.py", "analyze/test_lost_points.py",
    "features/analyses/test_plugin.py", "features/test_receipts.py", "docs/test_extending.py", "test_registry.py",
    "generate/test_evidence_drawing.py", "simulate/test_walks.py", "features/test_compare.py", "simulate/test_lidar.py",
    "geometry/test_boxes.py", "scoring/test_parse.py", "runs/test_poisoned.py", "ingest/test_ego_exo4d.py",
    "review/routes/test_membership.py",
)  # fmt: skip
"""Files of eight seconds or more, the longest first: one that is begun last is waited for by all other workers."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, then all others in their order."""
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path, len(LONG)))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data; tests that need it are skipped where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder} (set TOLMAN_SHARED)")
    return folder


@pytest.fixture(scope="session")
def released(shared_data: Path) -> Released:
    """Load a subset of a benchmark from real data, once for all tests."""
    return cache(lambda name, subset: benchmarks.get(name).load(shared_data / name, subset))


@pytest.fixture(scope="session")
def shared_facts() -> Path:
    """The folder of gathered facts; tests that need it are skipped where it is absent."""
    return _shared("facts")


@pytest.fixture(scope="session")
def shared_papers() -> Path:
    """The folder of the papers' text; tests that need it are skipped where it is absent."""
    return _shared("papers")


def _shared(name: str) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"no folder {SHARED / name} (set TOLMAN_SHARED)")
    return SHARED / name


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server; tests that need it are skipped where none is installed."""
    tools = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not tools:
        pytest.skip("PostgreSQL's server is not installed (Debian's package postgresql)")
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra 'review'")
    server = Postgres(tools[-1].parent)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def needs_egl() -> None:
    """Skips where the machine can't draw."""
    moderngl = pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    try:
        moderngl.create_context(standalone=True, backend="egl").release()
    except Exception as error:
        pytest.skip(f"no EGL here ({error}): install libegl1 and libgl1-mesa-dri")


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """A Ray cluster of three machines."""
    with RayCluster(3) as found:
        yield found


@pytest.fixture
def connected(cluster: RayCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[RayCluster]:
    """The cluster, found by RAY_ADDRESS."""
    import ray

    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield cluster
    ray.shutdown()


@pytest.fixture
def choice() -> Callable[..., Item]:
    """Make a multiple-choice item."""

    def make(
        *options: str, answer: str = "A", id: str = "1", task: str = "t", scene: str | None = None, **rest: object
    ) -> Item:
        texts = options or ("chair", "table", "sofa", "lamp")
        return Item.model_validate(
            {
                "id": id,
                "question": "Which?",
                "kind": "choice",
                "answer": answer,
                "options": texts,
                "task": task,
                "scene": scene,
                **rest,
            }
        )

    return make


@pytest.fixture
def number() -> Callable[..., Item]:
    """Make a numerical item."""

    def make(answer: str = "2", unit: str = "count", id: str = "1", task: str = "n", scene: str | None = None) -> Item:
        return Item.model_validate(
            {
                "id": id,
                "question": "How many?",
                "kind": "number",
                "answer": answer,
                "unit": unit,
                "task": task,
                "scene": scene,
            }
        )

    return make


def pytest_runtest_teardown() -> None:
    """Make the process an ordinary one again: encoding AV1 as root makes it a real-time one (findings/av1-real-time.sh),
    and the browsers and servers of later tests would take all cores."""
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) != os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@pytest.fixture(autouse=True)
def passing_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unload the plugins that a test loads: the files of later tests would name them."""
    monkeypatch.setattr(plugins, "_loaded", dict(plugins._loaded))


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """A folder in which items are put to a loopback server, with two images in it."""
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    for name, colour in (("a.jpg", "red"), ("b.jpg", "blue")):
        pillow.new("RGB", (32, 24), colour).save(tmp_path / name)
    return Talk(tmp_path)


@pytest.fixture
def direction(choice: Callable[..., Item]) -> Item:
    """A question of VSI-Bench about one image."""
    return choice(
        "front-left", "back-right", "back-left", "front-right", answer="C", id="7", task="object_rel_direction_hard",
        scene="d/s", media=[{"kind": "image", "path": "a.jpg"}],
        question="If I am standing by the stove and facing the sofa, is the tv to my front-left, front-right, back-left, "
        "or back-right?\nThe directions refer to the quadrants of a Cartesian plane (if I am standing at the origin and "
        "facing along the positive y-axis).",
    )  # fmt: skip


@pytest.fixture
def only_small_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file can grow beyond 50,000 bytes."""
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # Python would keep half a module
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
