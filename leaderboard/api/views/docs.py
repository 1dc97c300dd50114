"""The API's own description: a page for people, and an OpenAPI schema for programs."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer2
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.pagination import LARGEST_PAGE
from leaderboard.api.views.base import Endpoint

EXAMPLES = {
    "/api/v1/standings/": ("?arch=blackwell&tasks=forward&k=4", "?format=csv"),
    "/api/v1/models/": ("?open=yes&since=2026-01-01",),
    "/api/v1/runs/": ("?arch=hopper&task=mha_bwd_d128", "?prompt=ablation&format=csv"),
    "/api/v1/turns/": ("?stage=passed&arch=hopper", "?outcome=compile_error&number=0&format=csv"),
    "/api/v1/tasks/": ("?core=yes",),
}
"""Query strings worth trying, by path."""


def _schema(request: Request | None = None) -> dict[str, Any]:
    # Programs read it, so it says the same to everybody.
    with translation.override("en"):
        schema: dict[str, Any] = SchemaGenerator().get_schema(request=request, public=True)
        return schema


class SchemaEndpoint(Endpoint):
    """The OpenAPI 3 schema, as JSON or YAML."""

    renderer_classes = (OpenApiJsonRenderer2, OpenApiYamlRenderer2)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        """Return the schema."""
        return Response(_schema(request))


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show every endpoint with its parameters and examples; Swagger UI comes on top."""
    operations = [
        {
            "path": path,
            "id": methods["get"]["operationId"],
            "summary": methods["get"]["summary"],
            "description": methods["get"].get("description", ""),
            "parameters": [_parameter(one) for one in methods["get"].get("parameters", ())],
            "examples": [path + query for query in EXAMPLES.get(path, ())],
        }
        for path, methods in _schema()["paths"].items()
    ]
    return render(request, "api.html", {"operations": operations, "largest_page": LARGEST_PAGE})


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter["schema"]
    description = parameter.get("description", "")
    return {
        "name": parameter["name"],
        "where": parameter["in"],
        # The choices are listed beside it, so the generated list of them is left out.
        "description": description.partition("\n\n")[0],
        "type": schema.get("format", schema["type"]),
        "choices": schema.get("enum", ()),
        "range": [schema[end] for end in ("minimum", "maximum") if end in schema],
    }
