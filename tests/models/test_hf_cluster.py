"""Local networks on a Ray cluster of three machines: the answers of one machine, copies that are lost made anew."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="clusters need the extra 'cluster' (make test-full)")
pytest.importorskip("torch", reason="needs the extra 'local' (make test-full)")
pytest.importorskip("transformers", reason="needs the extra 'local' (make test-full)")

from networks import write_qwen2_vl
from ray_cluster import RayCluster
from tolman.errors import InputError, WorkerError
from tolman.features.run.compute import evaluate
from tolman.features.run.config import RunConfig
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames
from tolman.messages import Message, Picture, Sampling
from tolman.models.hf import NetworkOnCluster, create
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import FailureKind, Response
from tolman.runs.run_folder import RunFolder
from videos import write_video

ray: Any = pytest.importorskip("ray")
pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("default")]  # of Ray's own
CPU = ModelOptions(device="cpu", batch_size=2)
ON_RAY = ModelOptions(device="cpu", batch_size=2, on="ray", workers=2)


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_qwen2_vl(tmp_path_factory.mktemp("networks") / "tiny-qwen2-vl")


@pytest.fixture
def frames(tmp_path: Path) -> Sequence[Picture]:
    write_video(tmp_path / "clip.mp4", 80)
    return FrameStore(tmp_path / "store").pictures(tmp_path, Media(kind="video", path="clip.mp4"), Frames(count=8))


def requests(item: Item, frames: Sequence[Picture]) -> list[Request]:
    """Six questions, each about another picture."""
    asked = ((Message(parts=(frame, f"Where is thing {i}?")),) for i, frame in enumerate(frames[:6]))
    return [Request(item, messages, Sampling(max_tokens=8)) for messages in asked]


async def put(model: Any, asked: Sequence[Request]) -> list[Any]:
    return await asyncio.gather(*(model.answer(one) for one in asked), return_exceptions=True)


def ask(model: Any, asked: Sequence[Request], meanwhile: Callable[[], None] = lambda: None) -> list[Any]:
    async def go() -> list[Any]:
        try:
            await put(model, asked[:1])
            meanwhile()
            return await put(model, asked)
        finally:
            await model.close()

    return asyncio.run(go())


def process(made: Any, _: None) -> int:
    return os.getpid()


def test_copies_answer_as_one_machine_does(
    connected: RayCluster, qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    asked = requests(choice(), frames)
    here = create(str(qwen), CPU)
    settings, concurrency = dict(here.settings), here.concurrency
    expected = [one.response for one in ask(here, asked)]
    copies = create(str(qwen), ON_RAY)
    assert isinstance(copies, NetworkOnCluster)
    assert (copies.name, dict(copies.settings)) == ("hf/tiny-qwen2-vl", settings)
    assert (copies.takes_pictures, copies.concurrency) == (True, 2 * concurrency)
    found = ask(copies, asked)
    assert [one.response for one in found] == expected
    assert len(set(expected)) > 1


def test_a_copy_that_is_lost_is_made_anew_and_no_answer_is_missing(
    connected: RayCluster, qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    asked = requests(choice(), frames)
    expected = [one.response for one in ask(create(str(qwen), CPU), asked)]
    copies = create(str(qwen), ON_RAY)
    assert isinstance(copies, NetworkOnCluster)
    first = copies._copies.ask_first(process)
    found = ask(copies, asked, lambda: os.kill(first, signal.SIGKILL))
    assert [one.response if isinstance(one, Response) else one for one in found] == expected


def test_a_whole_run_on_copies_has_the_answers_of_one_machine(
    connected: RayCluster, qwen: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "bench"
    write_video(folder / "a.mp4", 40)
    (folder / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": "vsi-bench"}))
    items = [
        Item(
            id=str(i), question=f"How many {i}?", kind="number", answer="2", unit="count", task="object_counting",
            media=(Media(kind="video", path="a.mp4"),), scene="a",
        )
        for i in range(8)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)

    def answers(out: str, store: str, **more: Any) -> list[str]:
        config = RunConfig(
            benchmark=str(folder), model=f"hf/{qwen}", frames=(2,), device="cpu", batch_size=2,
            out=tmp_path / out, store=str(tmp_path / store), frame_store=tmp_path / "frames", **more,
        )  # fmt: skip
        (run,) = evaluate(config)
        return [one.response for one in RunFolder(run.path).outcomes() if isinstance(one, Response)]

    here = answers("here", "a.sqlite")
    assert len(here) == 8
    there = answers("there", "b.sqlite", on="ray", workers=2)
    assert there == here


def test_pictures_that_a_machine_does_not_see_are_named(
    connected: RayCluster, qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    asked = requests(choice(), frames)
    Path(frames[0].path).unlink()
    found = ask(create(str(qwen), ON_RAY), asked)
    assert isinstance(found[0], CallError)
    assert (found[0].kind, found[0].scope, found[0].retry) == (FailureKind.MEDIA, "lasting", False)
    assert f"does not see {frames[0].path}: put the frame store on a disk that all machines share" in found[0].message
    assert isinstance(found[1], Response)


def test_what_cannot_be_made_there_is_told_before_anything_is_asked(connected: RayCluster, tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=r"room for 3 copies, one for each processor core, and 9 are wanted"):
        create("owner/name", ModelOptions(on="ray", workers=9))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty"):
        create(str(tmp_path / "empty"), ON_RAY)
