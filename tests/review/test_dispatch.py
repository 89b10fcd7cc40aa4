"""Finding a route by the first part of an address."""

from __future__ import annotations

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from tolman.review.server import Dispatch

router = APIRouter()


@router.get("/")
def root() -> str:
    return "root"


@router.get("/review/labels")
def labels() -> str:
    return "labels"


@router.get("/review/{number}")
def one(number: int) -> str:
    return f"one {number}"


@router.post("/review/{number}")
def send(number: int) -> str:
    return f"sent {number}"


@pytest.fixture
def client() -> TestClient:
    app = FastAPI(openapi_url=None, redirect_slashes=False)
    app.router.routes.append(Dispatch([route for route in router.routes if isinstance(route, APIRoute)]))
    return TestClient(app)


def test_routes_are_tried_in_their_order(client: TestClient) -> None:
    assert client.get("/").json() == "root"
    assert client.get("/review/labels").json() == "labels"
    assert client.get("/review/7").json() == "one 7"
    assert client.post("/review/7").json() == "sent 7"


def test_what_no_route_is_for_is_refused(client: TestClient) -> None:
    refused: dict[tuple[str, str], httpx.Response] = {
        (method, path): client.request(method, path)
        for method, path in (("PUT", "/review/7"), ("GET", "/review"), ("GET", "/reviews/7"), ("GET", "//review/7"))
    }
    assert [answer.status_code for answer in refused.values()] == [405, 404, 404, 404]


def test_an_address_that_begins_with_a_parameter_is_an_error() -> None:
    strange = APIRouter()
    strange.add_api_route("/{anything}", root)
    with pytest.raises(ValueError, match="begins with a parameter"):
        Dispatch([route for route in strange.routes if isinstance(route, APIRoute)])
