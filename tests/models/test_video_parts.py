"""Videos at the wire: what each server sees is what was meant."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

from loopback import serving
from tolman.errors import UsageError
from tolman.features.run.compute import requests_of
from tolman.features.run.config import RunConfig
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore, clip_of
from tolman.media.sampling import Frames
from tolman.messages import Clip, Message, Picture, Sampling, Video
from tolman.models.dialects import overlaid
from tolman.models.model import CallError, ModelOptions, Request
from tolman.models.openai import OpenAICompatible
from tolman.models.openai_videos import RequestVideos, server_of_address, server_of_list
from tolman.models.recipes import open_recipe
from tolman.responses import FailureKind, Response
from video_server import VideoServer, frame_times
from videos import write_video

Ask = Callable[..., Response]
UNEVEN = tuple(int(t) for t in np.cumsum(np.random.default_rng(3).integers(15, 90, 120)))


@pytest.fixture
def ask(choice: Callable[..., Item]) -> Ask:
    def call(at: VideoServer, *parts: str | Picture | Clip | Video, **options: Any) -> Response:
        async def go(url: str) -> Response:
            model = OpenAICompatible("m", ModelOptions(base_url=url, **options))
            try:
                return await model.answer(Request(choice(), (Message(parts=parts),), Sampling()))
            finally:
                await model.close()

        with serving(at) as url:
            return asyncio.run(go(url))

    return call


@pytest.fixture
def clip(tmp_path: Path) -> Callable[..., Clip]:
    """A clip of so many frames of a video of four seconds, or of one whose frames are not evenly spaced."""

    def make(count: int = 8, *, uneven: bool = False, seconds: int = 4) -> Clip:
        name = f"{'uneven' if uneven else 'even'}-{seconds}.mp4"
        times = UNEVEN if uneven else None
        write_video(tmp_path / name, 30 * seconds, times=times, size=(280, 196))
        media = Media(kind="video", path=name)
        return clip_of(FrameStore(tmp_path / "frames"), tmp_path, media, Frames(count=count, native=True))

    return make


@pytest.mark.parametrize("started_with", [None, -1, 16])
def test_vllm_sees_every_frame_at_its_time(ask: Ask, clip: Callable[..., Clip], started_with: int | None) -> None:
    """Forty frames, of which it keeps 32 where only the frames are sent; and no frame is a second long."""
    shown = clip(40)
    server = VideoServer(started_with=started_with)
    ask(server, shown, "How many?")
    (seen,) = server.seen
    assert seen.kind == "video"
    assert seen.numbers == tuple(picture.frame for picture in shown.frames)
    assert len(seen.numbers) == 40
    assert seen.times == pytest.approx([picture.seconds for picture in shown.frames], abs=1e-6)
    assert seen.duration == pytest.approx(4.0)
    assert seen.body["media_io_kwargs"]["video"] == {
        "num_frames": -1,
        "fps": 30.0,
        "frames_indices": [picture.frame for picture in shown.frames],
        "total_num_frames": 120,
        "duration": 4.0,
        "do_sample_frames": False,
    }
    assert [part["type"] for part in seen.body["messages"][0]["content"]] == ["video_url", "text"]


def test_vllm_sees_true_times_of_a_variable_frame_rate(ask: Ask, clip: Callable[..., Clip], tmp_path: Path) -> None:
    shown = clip(12, uneven=True)
    server = VideoServer()
    ask(server, shown, "How many?")
    (seen,) = server.seen
    assert seen.times == pytest.approx(frame_times(tmp_path / "uneven-4.mp4", seen.numbers), abs=0.001)
    assert max(seen.times) < (seen.duration or 0)


def test_the_users_own_options_go_before_and_leave_the_others(ask: Ask, clip: Callable[..., Clip]) -> None:
    server = VideoServer()
    body = {"mm_processor_kwargs": {"size": {"longest_edge": 9}}, "media_io_kwargs": {"video": {"num_frames": 3}}}
    ask(server, clip(), "How many?", body=body)
    (seen,) = server.seen
    assert len(seen.numbers) == 3
    assert seen.body["mm_processor_kwargs"] == body["mm_processor_kwargs"]
    assert seen.body["media_io_kwargs"]["video"]["total_num_frames"] == 120


def test_dashscope_gets_a_list_and_how_many_of_it_are_a_second(clip: Callable[..., Clip]) -> None:
    shown = clip(8)
    part = RequestVideos("dashscope", "https://dashscope.aliyuncs.com/compatible-mode/v1").write(shown)
    assert part["type"] == "video"
    assert len(part["video"]) == 8
    assert all(address.startswith("data:image/jpeg;base64,") for address in part["video"])
    assert part["fps"] == pytest.approx(7 / (119 / 30), abs=1e-3)


def test_transformers_serve_gets_lists_of_frames_and_an_entry_of_times_for_each(clip: Callable[..., Clip]) -> None:
    shown = (clip(8), clip(6, uneven=True))
    videos = RequestVideos("transformers", "http://x")
    for one in shown:
        part = videos.write(one)
        assert part["type"] == "video_url"
        assert [url[:23] for url in part["video_url"]["url"]] == ["data:image/jpeg;base64,"] * len(one.frames)
    sent = videos.within({"chat_template_kwargs": {"enable_thinking": False}})["chat_template_kwargs"]
    assert (sent["enable_thinking"], sent["do_sample_frames"]) == (False, False)
    assert len(sent["video_metadata"]) == 2
    for one, told in zip(shown, sent["video_metadata"], strict=True):
        assert sorted(told) == ["duration", "fps", "frames_indices", "total_num_frames"]
        times = [tick / told["fps"] for tick in told["frames_indices"]]
        assert times == pytest.approx([picture.seconds for picture in one.frames], abs=0.001)


@pytest.mark.parametrize(
    ("owner", "sentence"),
    [
        ("sglang", "SGLang at http.*takes no sampled frames as a video; show its frames as separate pictures with --as "
                   "images, or give it whole files with --as file"),
        ("llamacpp", "llama.cpp at http.*takes no sampled frames as a video; .*--as file"),
        ("somebody", "http.*doesn't say which server it is.*show its frames.*--as images, or name it with --server"),
    ],
)  # fmt: skip
def test_who_takes_no_frames_is_told_of_in_one_sentence(
    ask: Ask, clip: Callable[..., Clip], owner: str, sentence: str
) -> None:
    server = VideoServer(owner)
    with pytest.raises(CallError, match=sentence) as error:
        ask(server, clip(), "How many?")
    assert (error.value.kind, error.value.retry) == (FailureKind.REFUSED, False)
    assert server.requests == 0


def test_a_server_that_does_not_say_what_it_is_can_be_named(
    ask: Ask, clip: Callable[..., Clip], tmp_path: Path
) -> None:
    server = VideoServer(listed_as="a gateway")
    with pytest.raises(CallError, match="--server vllm"):
        ask(server, clip(), "How many?")
    config = RunConfig(benchmark="vsi-bench", model="openai/m", base_url="http://127.0.0.1:9/v1", server="vllm")
    (request,) = requests_of(config)
    ask(server, clip(), "How many?", server=request.options.server)
    assert server.seen[0].kind == "video"
    (named,) = requests_of(replace(config, recipe=str(written_recipe(tmp_path, server="sglang"))))
    assert named.options.server == "vllm"
    with pytest.raises(UsageError, match="--server is for models of the family openai, not for hf/m"):
        list(requests_of(replace(config, model="hf/m")))


def written_recipe(place: Path, server: str) -> Path:
    path = place / "my.toml"
    path.write_text(f'title = "Mine"\ninput = {{ form = "video", server = "{server}", source = "own" }}\n')
    return path


def test_a_server_that_is_loading_is_not_given_up(ask: Ask, clip: Callable[..., Clip]) -> None:
    with pytest.raises(CallError, match="Loading model") as error:
        ask(VideoServer(loading=1), clip(), "How many?")
    assert error.value.retry


@pytest.mark.parametrize("status", [400, 500])
def test_a_refused_video_names_the_option(ask: Ask, clip: Callable[..., Clip], status: int) -> None:
    with pytest.raises(
        CallError, match=r"At most 0 video.*if the server takes none, show its frames .*--as images"
    ) as error:
        ask(VideoServer(refuses_videos=True, refusal=status), clip(), "How many?")
    assert error.value.retry is (status == 500)


def test_two_videos_of_one_request_need_the_same_times(ask: Ask, clip: Callable[..., Clip]) -> None:
    with pytest.raises(CallError, match=r"videos whose times differ.*--as images") as error:
        ask(VideoServer(), clip(), clip(seconds=5), "Which?")
    assert error.value.kind == FailureKind.MEDIA  # of this question, not of the server
    writer = RequestVideos("vllm", "http://x")
    assert writer.write(clip()) == writer.write(clip())


@pytest.fixture
def video(tmp_path: Path) -> Video:
    path = write_video(tmp_path / "whole.mp4", 30)
    return Video(path=str(path), sha256="x")


def test_whole_files_go_as_each_server_takes_them(ask: Ask, video: Video) -> None:
    size = Path(video.path).stat().st_size
    files = open_recipe("qwen3-vl").whole_files()
    for owner in ("vllm", "sglang", "llamacpp"):
        server = VideoServer(owner)
        ask(server, video, "How many?", whole_videos=files)
        (seen,) = server.seen
        assert (seen.kind, seen.numbers) == ("file", (size,)), owner
        if owner == "sglang":
            assert seen.part["video_url"]["fps"] == 2
        if owner == "vllm":
            assert seen.body["mm_processor_kwargs"] == {"fps": 2, "do_sample_frames": True}
            assert seen.body["media_io_kwargs"] == {"video": {"num_frames": -1}}


def test_transformers_serve_is_given_the_path(video: Video) -> None:
    sent = {"transformers": {"options": {"chat_template_kwargs": {"num_frames": 16}}}}
    videos = RequestVideos("transformers", "http://x", sent)
    assert videos.write(video) == {"type": "video_url", "video_url": {"url": video.path}}
    assert videos.within({"model": "m"}) == {"model": "m", "chat_template_kwargs": {"num_frames": 16}}
    with pytest.raises(OSError, match="gone"):
        videos.write(video.model_copy(update={"path": video.path + ".gone"}))


def test_a_part_of_a_file_cannot_be_sent(ask: Ask, video: Video) -> None:
    with pytest.raises(CallError, match=r"can't be shown a part of a video's file; .*--as images"):
        ask(VideoServer(), video.model_copy(update={"start": 1.0}), "How many?", whole_videos={})


def test_what_determines_the_answer_is_a_setting() -> None:
    files = open_recipe("qwen3-vl").whole_files()
    plain = OpenAICompatible("m", ModelOptions(base_url="http://x/v1"))
    told = OpenAICompatible("m", ModelOptions(base_url="http://x/v1", whole_videos=files))
    assert "body" not in plain.settings
    assert json.loads(json.dumps(told.settings["body"]["whole_videos"])) == files
    assert (plain.takes_clips, plain.takes_videos, told.takes_videos) == (True, False, True)


def test_openais_own_address_takes_no_videos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = OpenAICompatible("gpt-4o", ModelOptions(whole_videos={}))
    assert (model.takes_clips, model.takes_videos) == (False, False)


def test_servers_are_told_by_address_and_list() -> None:
    assert server_of_address("https://api.openai.com/v1") == "openai"
    assert server_of_address("https://dashscope-intl.aliyuncs.com/compatible-mode/v1") == "dashscope"
    assert server_of_address("https://dashscope.example.com/v1") is None
    listed = {"data": [{"id": "other", "owned_by": "me"}, {"id": "m", "owned_by": "vllm"}]}
    assert server_of_list(listed, "m") == "vllm"
    assert server_of_list(listed, "other") is None
    entry = {"id": "m", "owned_by": "local", "status": {"value": "loaded"}}
    assert server_of_list({"data": [entry]}, "m") == "transformers"
    assert server_of_list({"data": [{**entry, "owned_by": "llamacpp"}]}, "m") == "llama.cpp"
    assert server_of_list({"data": [{**entry, "status": "loaded"}]}, "m") is None
    for broken in ({}, {"data": None}, {"data": []}, {"data": ["m"]}, [], "x", None):
        assert server_of_list(broken, "m") is None


def test_merged_fields_keep_what_is_not_given_anew() -> None:
    assert overlaid({"a": {"b": 1, "c": {"d": 2}}, "e": 3}, {"a": {"c": {"d": 4}}, "e": None}) == {
        "a": {"b": 1, "c": {"d": 4}},
        "e": None,
    }
