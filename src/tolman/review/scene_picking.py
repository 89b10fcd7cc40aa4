"""The workbench of one scene of a folder, without a review: boxes and a scale are picked in the scene's cloud.

It is served to this machine alone. A link that is good once gives the browser its cookie.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Form, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from pydantic import BaseModel, Field
from starlette.staticfiles import StaticFiles

from tolman.errors import TolmanError, UsageError, counted, unknown
from tolman.geometry.boxes import Floats
from tolman.geometry.fitting import FitError
from tolman.ground_truth.corrections import BoxIs, ScaleIs, append_corrections, declare_scale, read_corrections
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.ingest.picked_boxes import PickedBox, PickingCloud, open_picking
from tolman.review.accounts.protection import Guard
from tolman.review.evidence.point_clouds import roof_of
from tolman.review.evidence.scene_drawings import EXPLORER, cameras_of, scene_data
from tolman.review.media import frame_of, inside, scene_in
from tolman.review.projects.flag_corrections import CorrectionError, in_words, read_boxes
from tolman.review.server import listen
from tolman.review.site import HERE, SAFE, environment

HOST = "127.0.0.1"
COOKIE = f"tolman-pick-{secrets.token_hex(4)}"
"""Of this process: browsers send cookies to all ports of a machine."""
MOST_POINTS = 300_000
"""Points of the cloud that are sent, 12 bytes each."""
_Place = tuple[Annotated[float, Field(allow_inf_nan=False)], ...]


class Corners(BaseModel):
    """Two picked points, metres."""

    first: _Place = Field(min_length=3, max_length=3)
    second: _Place = Field(min_length=3, max_length=3)


class Length(Corners):
    """Their distance."""

    metres: float = Field(gt=0, le=10_000)


class Rectangle(BaseModel):
    """A rectangle in a frame: two corners, pixels."""

    camera: int = Field(ge=0)
    frame: int = Field(ge=0)
    pixels: _Place = Field(min_length=4, max_length=4)


class Picking:
    """A scene in which boxes are picked.

    Args:
        folder: of the scenes.
        name: the scene's id, or the last part of it.
        store: folder for frames.

    Raises:
        UsageError: there is no such scene.
        InputError: the folder holds no scene, or the scene has no cloud.
    """

    def __init__(self, folder: Path, name: str, store: Path) -> None:
        known = geometries_by_id(folder)
        self.folder, self.store = folder, store
        self.scene = next((one for one in known if name in (one, one.rpartition("/")[2])), "")
        if not self.scene:
            raise unknown("scene", name, sorted(known))
        self.token, self.cookie, self.csrf = (secrets.token_urlsafe(32) for _ in range(3))
        self.said = ""
        self._fitted: dict[str, PickedBox] = {}
        self._cloud: tuple[float, PickingCloud] | None = None
        self.cloud()

    @property
    def geometry(self) -> SceneGeometry:
        """The scene as it is with its corrections."""
        found = scene_in(self.folder, self.scene)
        if found is None:
            raise HTTPException(404, "The scene isn't there any more.")
        return found

    def cloud(self) -> PickingCloud:
        """Its cloud, in the scale that is declared."""
        found = (one for one in read_corrections(self.folder) if isinstance(one, ScaleIs) and one.scene == self.scene)
        scale = next((one.metres for one in found), 1.0)
        if self._cloud is None or self._cloud[0] != scale:
            self._cloud = scale, open_picking(self.folder, self.scene, self.geometry.captures, scale)
        return self._cloud[1]

    def drawn(self) -> Floats:
        """The points that are shown: below the ceiling, which would hide them, and evenly thinned."""
        cloud = self.cloud()
        some = cloud.points[cloud.points[:, 2] <= roof_of(cameras_of(self.geometry), cloud.points)]
        return some[:: max(1, -(-len(some) // MOST_POINTS))]

    def data(self) -> dict[str, Any]:
        """The scene for a browser, as `scene_data` has it, with the bounds of the cloud."""
        points = self.drawn()
        ends = np.quantile(points, (0.005, 0.995), axis=0).tolist() if len(points) else []
        pick = {"scalable": not self.cloud().metric, "bounds": ends}
        return scene_data(self.geometry, None, whole=True) | {"cloud": True, "pick": pick}

    def fitted(self, found: PickedBox) -> dict[str, Any]:
        """A picked box for a browser. Its bounds are kept for the note that is saved with it."""
        box = found.box.model_dump(mode="json")
        self._fitted[found.box.model_dump_json()] = found
        return {"box": box, "said": ". ".join([str(found), *found.notes]) + "."}

    def save(self, changes: str, note: str) -> None:
        """Write changed boxes to the corrections, with the frames that show them.

        Raises:
            CorrectionError, TolmanError: they can't be written.
        """
        facts = read_boxes(changes, self.geometry.scene, note.strip())
        boxes = [one for one in facts if isinstance(one, BoxIs)]
        seen = dict(zip((one.object for one in boxes), self.cloud().seen([one.box for one in boxes]), strict=True))
        for i, one in enumerate(facts):
            if isinstance(one, BoxIs):
                found = self._fitted.get(one.box.model_dump_json())
                said = "set by hand" if found is None else f"picked in the cloud: {found}"
                facts[i] = one.model_copy(
                    update={
                        "seen": seen[one.object],
                        "note": "; ".join([said, *([note.strip()] if note.strip() else [])]),
                    }
                )
        append_corrections(self.folder, facts)
        unseen = sum(not one for one in seen.values())
        self.said = in_words(facts).replace("scene corrected", "Saved", 1) + (
            f". No frame shows {counted(unseen, 'object')}, so questions about what the video shows leave them out"
            if unseen
            else ""
        )

    def declare(self, length: Length) -> None:
        """Write the scale by which two picked points are so far apart.

        Raises:
            UsageError: the scene has a scale, or the points are at one place.
        """
        if self.cloud().metric:
            raise UsageError("the scene is in metres already; its scale is declared with --scale where it is ingested.")
        found = self.cloud().distance(length.first, length.second)
        if found < 0.01:
            raise UsageError("the two points are at one place; pick two that are farther apart.")
        declare_scale(
            self.folder, self.scene, length.metres / found, f"two picked points are {length.metres:g} m apart"
        )
        self.said = f"Saved: two picked points, {found:.3f} apart until now, are {length.metres:g} m apart"

    async def admit(self, request: Request) -> None:
        """Let a request in that has the cookie, and the page's own token if it changes something.

        Raises:
            HTTPException: it hasn't.
        """
        if not hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), self.cookie.encode()):
            raise HTTPException(403, "Open the link that 'tolman scenes --pick' printed last; each is good once.")
        if request.method not in SAFE:
            given = request.headers.get("x-csrf-token", "")
            if not hmac.compare_digest(given.encode(), self.csrf.encode()):
                raise HTTPException(403, "This page is out of date. Load it again.")


def application(picking: Picking) -> FastAPI:
    """The application of one scene."""
    app = FastAPI(title="Tolman scene", openapi_url=None, redirect_slashes=False)
    own = APIRouter(dependencies=[Depends(picking.admit)])

    @app.get("/enter/{token}")
    def enter(token: str) -> Response:
        if not picking.token or not hmac.compare_digest(token.encode(), picking.token.encode()):
            raise HTTPException(403, "This link was used already, or is none. Start 'tolman scenes --pick' again.")
        picking.token = ""
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, picking.cookie, httponly=True, samesite="lax")
        return answer

    @own.get("/")
    def show() -> HTMLResponse:
        said, picking.said = picking.said, ""
        posed = bool(cameras_of(picking.geometry))
        shown = {"me": None, "csrf": picking.csrf, "path": "/", "scene": picking.scene, "said": said, "posed": posed}
        return HTMLResponse(environment().get_template("picking.html").render(shown))

    @own.get("/pick/scene")
    def scene() -> dict[str, Any]:
        return picking.data()

    @own.get("/pick/cloud")
    def cloud() -> Response:
        return Response(picking.drawn().astype("<f4").tobytes(), media_type="application/octet-stream")

    @own.get("/pick/frame/{camera}/{number}")
    def frame(camera: int, number: int) -> Response:
        return frame_of(picking.store, lambda media: inside(picking.folder, media), picking.geometry, camera, number)

    @own.post("/pick/between")
    def between(picked: Corners) -> dict[str, Any]:
        return picking.fitted(picking.cloud().between(picked.first, picked.second))

    @own.post("/pick/rectangle")
    def rectangle(picked: Rectangle) -> dict[str, Any]:
        cameras = cameras_of(picking.geometry)
        if picked.camera >= len(cameras) or picked.frame >= len(cameras[picked.camera].poses):
            raise HTTPException(404, "There is no such frame.")
        return picking.fitted(picking.cloud().in_frame(cameras[picked.camera], picked.frame, picked.pixels))

    @own.post("/pick/scale")
    def scale(picked: Length) -> dict[str, Any]:
        picking.declare(picked)
        return {}

    @own.post("/pick/boxes")
    def boxes(
        changes: Annotated[str, Form(max_length=400_000)], note: Annotated[str, Form(max_length=20_000)] = ""
    ) -> dict[str, Any]:
        picking.save(changes, note)
        return {}

    app.include_router(own)
    app.mount("/static/explorer", StaticFiles(directory=EXPLORER))
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.add_middleware(Guard, body_limit=1 << 20, hosts=frozenset({HOST, "localhost"}))
    for kind in (HTTPException, RequestValidationError, FitError, CorrectionError, TolmanError):
        app.add_exception_handler(kind, _refused)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    """One sentence for the page."""
    if isinstance(error, HTTPException):
        return PlainTextResponse(error.detail, error.status_code)
    said = str(error)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        said = f"The field '{first['loc'][-1]}' can't be used: {first['msg'].lower()}."
    elif isinstance(error, FitError):
        said = f"The {'' if said.startswith('hold') else 'points of the '}region {said}."
    return PlainTextResponse(said[:1].upper() + said[1:], 422)


def serve_picking(folder: Path, scene: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the workbench of a scene on this machine until the user stops it.

    Args:
        folder: of the scenes.
        scene: its id, or the last part of it.
        port: 0 takes a free one.
        ready: called with the link once the server listens.

    Raises:
        UsageError: there is no such scene, or the port is taken.
        InputError: the scenes can't be read, or the scene has no cloud.
    """
    with TemporaryDirectory(prefix="tolman-pick-") as store:
        picking = Picking(folder, scene, Path(store))
        with listen(HOST, port) as listening:
            ready(f"http://{HOST}:{listening.getsockname()[1]}/enter/{picking.token}")
            config = uvicorn.Config(application(picking), ws="none", log_level="warning", server_header=False)
            uvicorn.Server(config).run([listening])
