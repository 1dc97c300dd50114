"""The API's own description: a page for people, and an OpenAPI schema for programs."""

import itertools
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
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
            "description": _prose(methods["get"].get("description", "")),
            "parameters": [_parameter(one) for one in methods["get"].get("parameters", ())],
            "examples": [path + query for query in EXAMPLES.get(path, ())],
        }
        for path, methods in sorted(_schema()["paths"].items(), key=_importance)
    ]
    return render(request, "api.html", {"operations": operations, "largest_page": LARGEST_PAGE})


def _importance(item: tuple[str, Any]) -> tuple[int, str]:
    """Return the sorting key of an endpoint: lists come in the order of their examples."""
    path = item[0]
    place = next((n for n, first in enumerate(EXAMPLES) if path.startswith(first)), len(EXAMPLES))
    return place, path


def _prose(text: str) -> SafeString:
    """Return a description as HTML: its paragraphs, with names in backticks as code."""
    return format_html_join("", "<p>{}</p>", ((_line(one),) for one in text.split("\n\n")))


def _line(text: str) -> SafeString:
    kinds = itertools.cycle(("{}", "<code>{}</code>"))
    return mark_safe("".join(format_html(next(kinds), part) for part in text.split("`")))  # noqa: S308


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
