"""The description of the HTTP API that the viewer's types are made from is the one we serve."""

from __future__ import annotations

import json
from pathlib import Path

from spielleiter.web.app import schema

FILE = Path(__file__).parents[1] / "viewer" / "openapi.json"


def test_the_committed_description_of_the_api_is_current() -> None:
    assert FILE.read_text("utf-8") == schema(), "run `make schema`"


def test_everything_that_is_said_in_streams_is_described() -> None:
    known = json.loads(schema())["components"]["schemas"]
    assert {
        "SnapshotMessage",
        "MoveMessage",
        "EndMessage",
        "Ask",
        "Because",
        "MoveMade",
    } <= known.keys()


def test_every_error_has_the_same_form() -> None:
    for path, verbs in json.loads(schema())["paths"].items():
        for verb, described in verbs.items():
            told = described["responses"]["4XX"]["content"]["application/json"]["schema"]
            assert told == {"$ref": "#/components/schemas/ErrorBody"}, (verb, path)
