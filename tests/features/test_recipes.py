"""What a video becomes in a run: by the model's name, by --recipe, by --as; and what the run says of it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

from asked_videos import write_asked_videos
from loopback import Server, serving
from tolman.errors import TolmanError
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.runs.run_folder import RunFolder
from video_server import VideoServer
from videos import write_video

Command = Callable[..., Result]
QWEN = "openai/Qwen/Qwen2.5-VL-7B-Instruct"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("written")
    return write_asked_videos(place / "bench", 60, "How many", "22", kind="number", unit="count")


@pytest.fixture
def bench(written: Path, tmp_path: Path) -> Path:
    """Two questions about two videos of 60 frames."""
    return shutil.copytree(written, tmp_path / "bench")


@pytest.fixture
def run(command: Command, bench: Path) -> Callable[..., Result]:
    def go(server: Server, *options: object, model: str = QWEN, out: str = "run", code: int = 0) -> Result:
        with serving(server) as url:
            return command(
                "run", "./bench", "--model", model, "--base-url", url, "--out", out, "--notes", *options, code=code
            )

    return go


def record(folder: Path) -> Any:
    return RunFolder(folder).record()


def test_a_video_goes_as_the_models_authors_send_it(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2", models=(QWEN.partition("/")[2],))
    done = run(server, "--frames", "6")
    assert {seen.kind for seen in server.seen} == {"video"}
    assert {seen.numbers for seen in server.seen} == {(0, 11, 23, 35, 47, 59)}
    assert server.seen[0].times == pytest.approx([0, 1.1, 2.3, 3.5, 4.7, 5.9])
    assert "preset plain, 6 frames as video, recipe qwen2.5-vl by the model's name, seed 0" in " ".join(
        done.stdout.split()
    )
    kept = record(tmp_path / "run")
    assert (kept.settings.frames.native, kept.settings.frames.count) == (True, 6)
    assert (kept.recipe["name"], kept.recipe["asked"], "run" in kept.recipe) == ("qwen2.5-vl", False, False)
    assert kept.settings.sampling.temperature == 0.0  # the recipe's other settings are not asked for
    assert "mm_processor_kwargs" not in server.bodies[0]
    assert "fewer than" not in done.stdout


def test_the_user_goes_before_the_recipe(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2")
    run(server, "--frames", "6", "--as", "images")
    assert {seen.kind for seen in server.seen} == {"images"}
    assert record(tmp_path / "run").recipe is None
    server = VideoServer(answer="2")
    run(server, "--frames", "6", "--recipe", "none", "--store", str(tmp_path / "other.sqlite"), out="none")
    assert {seen.kind for seen in server.seen} == {"images"}


def test_a_named_recipe_brings_all_its_settings_below_the_users(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2")
    done = run(
        server, "--recipe", "qwen3-vl", "--temperature", "0.2", "--body", '{"presence_penalty": 0}', model="openai/m"
    )
    (body, _), (seen, _) = server.bodies, server.seen
    assert seen.numbers == tuple(int(59 * i / 11) for i in range(12))  # 2 a second
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    assert (body["temperature"], body["top_p"], body["top_k"], limit) == (0.2, 0.8, 20, 32768)
    assert (body["repetition_penalty"], body["presence_penalty"]) == (1.0, 0)
    kept = record(tmp_path / "run")
    assert kept.recipe["asked"]
    assert kept.recipe["run"]["top_k"] == 20
    assert kept.recipe["run"]["source"].startswith("QwenLM/Qwen3-VL")
    assert "2 frame/s, at most 2048 as video, recipe qwen3-vl, seed 0" in " ".join(done.stdout.split())


def test_a_users_number_of_frames_replaces_a_recipes_rate(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2")
    run(server, "--recipe", "qwen3-vl", "--frames", "4", model="openai/m")
    frames = record(tmp_path / "run").settings.frames
    assert (frames.count, frames.per_second, frames.cap, frames.native) == (4, None, None, True)


def test_both_forms_make_two_runs_in_one_table(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2")
    done = run(server, "--frames", "4", "--as", "images,video")
    assert sorted(seen.kind for seen in server.seen) == ["images", "images", "video", "video"]
    for name, native in (("as-images", False), ("as-video", True)):
        assert record(tmp_path / "run" / name).settings.frames.native is native
    text = " ".join(done.stdout.split())
    assert f"{QWEN} (4 frames): bench" in text.replace("./bench", "bench")
    assert f"{QWEN} (4 frames as video): bench" in text.replace("./bench", "bench")


def test_three_inputs_of_one_model_are_asked_apart_and_called_by_three_names(
    run: Any, command: Command, tmp_path: Path
) -> None:
    """Pictures, pictures behind their times, and a video: the same frames, and three benchmarks in effect."""
    (tmp_path / "timed.toml").write_text(
        'title = "Timed"\n[input]\nform = "images"\nsource = "a letter"\n'
        '[run]\nframes = 2\nframe_text = "<{seconds:.1f} seconds><image>"\nsource = "a letter"\n'
    )
    server = VideoServer(answer="2", models=(QWEN.partition("/")[2],))
    for out, form, recipe in (
        ("plain", "images", "none"),
        ("timed", "images", "timed.toml"),
        ("video", "video", "none"),
    ):
        run(server, "--frames", "2", "--as", form, "--recipe", recipe, out=out)
    assert [seen.kind for seen in server.seen] == ["images", "images", "images", "images", "video", "video"]
    assert {seen.numbers for seen in server.seen} == {(0, 59)}  # the store gave none of them another's answer
    texts = [[part.get("text") for part in body["messages"][0]["content"]][:-1] for body in server.bodies]
    assert texts[0] == [None, None]
    assert texts[2] == ["<0.0 seconds>", None, "<5.9 seconds>", None]
    shown = " ".join(command("compare", "plain", "timed", "video").stdout.split())
    for name in ("2 frames)", "2 frames with texts)", "2 frames as video)"):
        assert name in shown, shown


def test_a_users_file_names_the_server_and_the_form(run: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(
        'title = "Mine"\n[input]\nform = "file"\nserver = "sglang"\nsource = "a letter"\n'
        '[file.sglang]\npart = { fps = 1, max_frames = 9 }\nsource = "a letter"\n'
    )
    server = VideoServer("a gateway", answer="2")
    run(server, "--recipe", "my.toml", model="openai/m")
    (seen, _) = server.seen
    assert seen.kind == "file"
    assert (seen.part["video_url"]["fps"], seen.part["video_url"]["max_frames"]) == (1, 9)
    frames = record(tmp_path / "run").settings.frames
    assert (frames.whole, frames.native) == (True, False)
    assert record(tmp_path / "run").settings.model_settings["body"]["whole_videos"]["sglang"]["part"] == {
        "fps": 1,
        "max_frames": 9,
    }


def test_the_texts_around_pictures_are_the_recipes(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2")
    done = run(server, "--recipe", "internvl3", "--as", "images", "--frames", "2", model="openai/m")
    content = server.bodies[0]["messages"][0]["content"]
    assert [part.get("text") for part in content][:-1] == ["Frame1: ", None, "\nFrame2: ", None, "\n"]
    assert server.seen[0].numbers == (14, 44)  # the middles of two halves, as InternVL rounds them
    assert "2 frames with texts" in record(tmp_path / "run").settings.frames.describe()
    assert "recipe internvl3, seed 0" in " ".join(done.stdout.split())
    server = VideoServer(answer="2")
    run(server, "--recipe", "internvl3", "--frames", "2", model="openai/m", out="video")
    assert server.seen[0].kind == "video"
    assert record(tmp_path / "video").settings.frames.label is None


def test_lost_frames_are_noted(run: Any, tmp_path: Path) -> None:
    server = VideoServer(answer="2", loses=True)
    done = run(server, "--frames", "40")
    assert "2 × video tokens fewer than the recipe expects" in " ".join(done.stdout.split())
    whole = VideoServer(answer="2")
    done = run(whole, "--frames", "40", "--store", str(tmp_path / "other.sqlite"), out="whole")
    assert "recipe expects" not in done.stdout


def test_frames_above_the_authors_cap_are_noted(command: Command, run: Any, bench: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        write_video(bench / f"{number}.mp4", 10, rate=10, size=(1296, 968))
    said = "2 × videos with frames larger than the authors' code allows"
    uncapped = VideoServer(answer="2")
    done = run(uncapped, "--recipe", "qwen3-vl", "--frames", "4", model="openai/m")
    assert said in " ".join(done.stdout.split())
    assert record(tmp_path / "run").recipe["cap_pixels_per_frame"] is False
    assert "cap_pixels_per_frame" not in uncapped.bodies[0].get("mm_processor_kwargs", {})  # older servers refuse it
    capped, body = VideoServer(answer="2"), '{"mm_processor_kwargs": {"cap_pixels_per_frame": true}}'
    done = run(capped, "--recipe", "qwen3-vl", "--frames", "4", "--body", body, model="openai/m", out="capped")
    assert "authors' code allows" not in " ".join(done.stdout.split())
    assert record(tmp_path / "capped").recipe["cap_pixels_per_frame"] is True
    assert capped.bodies[0]["mm_processor_kwargs"]["cap_pixels_per_frame"] is True


def test_a_named_recipe_brings_a_local_network_its_processors_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    from tolman.features.run.compute import with_recipe
    from tolman.runs.request import RunRequest

    def body(recipe: str, version: str) -> Any:
        monkeypatch.setattr("tolman.models.hf_inputs.version", lambda _: version)
        return dict(with_recipe(RunRequest(benchmark="b", model="hf/m"), recipe).options.body)

    size = {"shortest_edge": 37632, "longest_edge": 100352}
    assert body("qwen2.5-vl", "5.24.0") == {"mm_processor_kwargs": {"size": size}}
    cap = {"mm_processor_kwargs": {"videos_kwargs": {"cap_pixels_per_frame": True}}}
    assert body("qwen3-vl", "5.24.0") == body("qwen3-vl", "5.23.0.dev0") == cap
    assert body("qwen3-vl", "5.22.1") == body("qwen3-vl", "4.57.6") == {}  # they refuse it


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--as", "video", "--recipe", "qwen3"), "there is no recipe 'qwen3'; did you mean 'qwen3-vl'"),
        (("--as", "film"), "--as can't be 'film'; did you mean 'file'? known: images, video, file"),
        (("--as", "video,video"), "--as names a form twice: video,video"),
        (("--as", "file", "--frames", "4"), "takes frames of its own choice; leave out --frames and --fps"),
        (("--recipe", "my.toml"), "my.toml: can't be read"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(
    command: Command, bench: Path, options: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(TolmanError) as error:
        command("run", "./bench", "--model", "openai/m", "--base-url", "http://127.0.0.1:9/v1", *options)
    assert sentence in str(error.value)


def test_a_model_that_takes_no_clips_is_one_sentence(
    command: Command, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(
        TolmanError, match="openai/gpt-4o takes no videos; show their frames as separate pictures with --as"
    ):
        command("run", "./bench", "--model", "openai/gpt-4o", "--as", "video")
    assert not (tmp_path / "runs").exists()


def test_a_server_that_refuses_ends_the_run_at_once(run: Any, tmp_path: Path) -> None:
    server = VideoServer(refuses_videos=True)
    with pytest.raises(
        TolmanError, match=r"if the server takes none, show its frames as separate pictures with --as images"
    ):
        run(server, "--frames", "4")
    assert server.requests == 2  # one for each question
    for owner in ("sglang", "a gateway"):
        server = VideoServer(owner)
        with pytest.raises(TolmanError, match="--as images"):
            run(server, "--frames", "4", out=owner)
        assert server.requests == 0


def test_a_vllm_that_trusts_no_request_says_what_it_must_be_started_with(run: Any) -> None:
    server = VideoServer(trusts=False)
    with pytest.raises(TolmanError, match=r"Start the server with --trust-request-mm-kwargs") as error:
        run(server, "--frames", "4")
    assert "--as images" not in str(error.value)
    assert server.requests == 2


def test_pictures_have_no_form(command: Command, tmp_path: Path, talk: object) -> None:
    place = tmp_path / "photos"
    place.mkdir()
    (place / "benchmark.json").write_text(json.dumps({"title": "Photos", "licence": "CC0"}))
    (tmp_path / "a.jpg").rename(place / "a.jpg")
    media = (Media(kind="image", path="a.jpg"),)
    write_items(
        place / "items.parquet",
        [Item(id="1", question="?", kind="choice", answer="A", options=("a", "b"), task="t", media=media)],
    )
    server = VideoServer(answer="A")
    with serving(server) as url:
        command("run", "./photos", "--model", QWEN, "--base-url", url, "--out", "run")
        assert not record(tmp_path / "run").settings.frames.native
        with pytest.raises(TolmanError, match="--as video changes nothing: no question of the benchmark shows a video"):
            command("run", "./photos", "--model", QWEN, "--base-url", url, "--out", "other", "--as", "video")


def test_a_blind_run_has_no_form(run: Any, tmp_path: Path) -> None:
    server = VideoServer("a gateway", answer="2")
    run(server, "--protocol", "blind")
    assert {seen.kind for seen in server.seen} == {"none"}
    assert record(tmp_path / "run").recipe is None


def test_recipes_are_listed_and_shown(command: Command) -> None:
    listed = command("recipes").stdout
    assert "qwen2.5-vl" in listed
    assert "sensenova-si-qwen3-vl" in listed
    shown = command("recipes", "Qwen/Qwen3-VL-8B-Instruct").stdout
    assert "Qwen3-VL Instruct" in shown
    assert "presence_penalty" in shown
    assert "QwenLM/Qwen3-VL" in shown
    found = json.loads(command("recipes", "gemini", "--json").stdout)
    assert found["input"]["form"] == "file"
    assert len(json.loads(command("recipes", "--json").stdout)) > 15
    with pytest.raises(TolmanError, match="there is no recipe 'gemni'; did you mean 'gemini'"):
        command("recipes", "gemni")
