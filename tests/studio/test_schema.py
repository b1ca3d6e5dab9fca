"""Requests made from the API's own description, right and wrong ones: never a server error."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from samrule.studio.routes import openapi
from tests.studio.server import Server

SCHEMA = schemathesis.openapi.from_dict(openapi())
load_all_checks()
# Every route takes steps: one is asked more often, the others for what is their own.
EDIT = SCHEMA.include(path="/api/edit")
OTHERS = SCHEMA.exclude(path="/api/edit")


def few(n_examples: int) -> Any:
    return settings(
        max_examples=n_examples,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.slow
@EDIT.parametrize()
@few(25)
def test_edits_are_as_described(case: schemathesis.Case, server: Server) -> None:
    check(case, server)


@pytest.mark.slow
@OTHERS.parametrize()
@few(4)
def test_answers_are_as_described(case: schemathesis.Case, server: Server) -> None:
    check(case, server)


def check(case: schemathesis.Case, server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    answer = case.call(base_url=f"http://127.0.0.1:{server.port}", headers=headers)
    case.validate_response(
        answer,
        checks=[
            schemathesis.checks.not_a_server_error,
            content_type_conformance,
            response_schema_conformance,
            status_code_conformance,
        ],
    )


@pytest.mark.parametrize("path", ["/api/studio", "/api/openapi.json"])
def test_the_description_is_served_to_who_is_let_in(server: Server, path: str) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    found = server.request("GET", path, headers=headers)
    assert found.status == 200
    if path.endswith("openapi.json"):
        assert found.json == openapi()
