"""The scene of a medium that a question is being written about: its boxes, cameras and cloud, where they are known."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

from tolman.generate.geometry import SceneGeometry
from tolman.review.access import Guest, Me, TheSite
from tolman.review.forms.fields import Key
from tolman.review.media.collection import scene_of, scene_shown
from tolman.review.media.scene_answers import cloud_answer, frame_answer, scene_answer
from tolman.review.modes.write_pool import pool_of
from tolman.review.pages import page
from tolman.review.site import Site
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.sight import sees_whole

LEFT = "You may still be asked questions about this scene, so it isn't shown yet."


def add_scene(router: APIRouter, mode: str) -> None:
    """Add the pages of a medium's scene to those of a mode."""

    @router.get("/{assignment}/scene/{medium}", response_class=HTMLResponse)
    def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, medium: str) -> Response:
        """The place for the scene, which a script fills; or why it isn't shown."""
        problem = ""
        try:
            _scene(site, me, assignment, medium)
        except HTTPException as error:
            if error.detail != LEFT:
                raise
            problem = LEFT
        told: dict[str, Any] = {"own": assignment, "medium": medium, "problem": problem}
        return page(request, guest, "_write_scene.html", **told)

    @router.get("/{assignment}/scene/{medium}/scene", response_class=Response)
    def data(site: TheSite, me: Me, assignment: Key, medium: str) -> Response:
        """Boxes and cameras of the scene."""
        return scene_answer(site, _scene(site, me, assignment, medium), None, whole=True)

    @router.get("/{assignment}/scene/{medium}/cloud", response_class=Response)
    def cloud(site: TheSite, me: Me, assignment: Key, medium: str) -> Response:
        """The scene's cloud."""
        return cloud_answer(site, _scene(site, me, assignment, medium).scene.id)

    @router.get("/{assignment}/scene/{medium}/frame/{camera}/{number}", response_class=Response)
    def frame(site: TheSite, me: Me, assignment: Key, medium: str, camera: int, number: int) -> Response:
        """One frame of a camera of the scene."""
        return frame_answer(site, _scene(site, me, assignment, medium), camera, number)

    def _scene(site: Site, me: Me, assignment: int, medium: str) -> SceneGeometry:
        found = pool_of(site).media().get(medium)
        scene = None if found is None else scene_shown(site, found)
        with site.database.read() as db:
            own_work(db, me, assignment, mode)
            if scene is None:
                raise HTTPException(404, "The scene of this medium is not known here.")
            if not sees_whole(db, me, scene):
                raise HTTPException(404, LEFT)
        return scene_of(site, scene)
