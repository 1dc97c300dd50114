"""Pieces of the OpenAPI description that the endpoints share."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from evaluation.metrics import P_LEVELS
from evaluation.tasks import CORE_TASKS, load_catalog
from leaderboard.api.pagination import LARGEST_PAGE, Pages
from leaderboard.filter_form import LARGEST_LIMIT, SORT_COLUMNS, FilterForm


class ErrorsSerializer(serializers.Serializer):
    """What was wrong, by the name of the parameter or of the part of the request."""

    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()),
    )


_JSON = "application/json"


def _error(status: int, text: str) -> dict[tuple[int, str], OpenApiResponse]:
    return {(status, _JSON): OpenApiResponse(ErrorsSerializer, description=text)}


_BAD = _error(400, "A parameter is unknown, given twice, empty, or has an unknown value.")
_UNACCEPTABLE = _error(406, "The Accept header allows neither JSON nor CSV.")
_NO_SUCH_PAGE = _error(404, "There are fewer pages.")
_NO_SUCH_ROW = _error(404, "There is none of this slug.")


def documented(
    name: str, text: str, serializer: Any, columns: Sequence[str], **options: Any
) -> Any:
    """Return the decorator of an endpoint's `get`: both formats, and every error.

    The first line of `text` is the summary. The address holds a slug if `name` says so.
    """
    summary, _line, rest = text.partition("\n")
    described = f"{rest}\n\nCSV columns: {', '.join(f'`{column}`' for column in columns)}."
    slug = name.endswith("_retrieve")
    return extend_schema(
        operation_id=name,
        summary=summary,
        description=described.strip(),
        parameters=[*options.get("parameters", ()), FORMAT, *([SLUG] if slug else _PAGES)],
        responses={
            (200, _JSON): serializer,
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="All rows, as CSV."),
            **_BAD,
            **(_NO_SUCH_ROW if slug else _NO_SUCH_PAGE),
            **_UNACCEPTABLE,
        },
    )


SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Its slug.")
FORMAT = OpenApiParameter(
    "format",
    str,
    enum=["json", "csv"],
    description="Wins over the Accept header. CSV holds every row, so it takes no page.",
)

_DESCRIPTIONS = {
    "arch": "Architecture. Default: `hopper`.",
    "hw": "Hardware of that architecture. Default: that of the provenance's figures.",
    "tasks": "`core`, a family (its core tasks), or one task. Default: `core`.",
    "k": "Turn limit. Default: 8.",
    "p": "Speedup of the `fast` column. Default: 0.5.",
    "provenance": "Who took the figures. Default: `reported`, until three models are measured.",
    "prompt": "Prompt set. Default: `standard`.",
    "kind": "Show only entries of this kind; ranks stay those of the whole table.",
    "open": "Show only models with open, or with closed weights.",
    "since": "Show only models released on this day or later.",
    "until": "Show only models released on this day or earlier.",
    "sort": "Column to sort by, `-` before it for descending. Default: `rank`.",
}

_PAGES = [
    OpenApiParameter(
        "page", {"type": "integer", "minimum": 1}, description=str(Pages.page_query_description)
    ),
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE},
        description=str(Pages.page_size_query_description),
    ),
]


def ranking_parameters() -> list[OpenApiParameter]:
    """Return the ranking's filters with their choices, as the form knows them."""
    return [
        OpenApiParameter(name, _schema(name), description=_DESCRIPTIONS[name])
        for name in FilterForm.base_fields
    ]


def _schema(name: str) -> dict[str, Any]:
    catalog = load_catalog()
    families = list(dict.fromkeys(catalog[task].family for task in CORE_TASKS))
    columns = (*SORT_COLUMNS, *catalog)
    special: dict[str, dict[str, Any]] = {
        "tasks": {"type": "string", "enum": ["core", *families, *catalog]},
        "k": {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT},
        "p": {"type": "number", "enum": list(P_LEVELS)},
        "prompt": {"type": "string", "pattern": "^[-a-zA-Z0-9_]{1,60}$"},
        "since": {"type": "string", "format": "date"},
        "until": {"type": "string", "format": "date"},
        "sort": {"type": "string", "enum": [sign + c for c in columns for sign in ("", "-")]},
    }
    if name in special:
        return special[name]
    choices: Any = getattr(FilterForm.base_fields[name], "choices", ())
    return {"type": "string", "enum": [value for value, _label in choices]}
