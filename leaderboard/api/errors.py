"""Every error answer of the API has one shape: `{"errors": {name: [messages]}}`, as JSON."""

from collections.abc import Collection, Mapping
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.utils.translation import gettext
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from leaderboard.filters import BadFilters, strange_names

Errors = dict[str, list[str]]

_SUBJECTS = {404: "path", 405: "method", 406: "accept"}
"""What an error is about that names no parameter, by status."""


class NotFound(exceptions.NotFound):
    """404 about one named part of the address."""

    def __init__(self, name: str, message: str) -> None:
        self.errors = {name: [message]}
        super().__init__(message)


def answer_error(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return the answer to an exception of a view; None for one that is a fault of ours."""
    understood = _understood(error)
    if understood is None:
        return None
    status, errors = understood
    # Whoever asked for CSV still gets the reason in a form that a program can read.
    context["request"].accepted_renderer = JSONRenderer()
    context["request"].accepted_media_type = JSONRenderer.media_type
    return Response({"errors": errors}, status=status)


def _understood(error: Exception) -> tuple[int, Errors] | None:
    if isinstance(error, BadFilters):
        return 400, error.errors
    if isinstance(error, SuspiciousOperation):
        return 400, {"query": [gettext("The query string cannot be read.")]}
    if isinstance(error, NotFound):
        return 404, error.errors
    if isinstance(error, exceptions.ValidationError) and isinstance(error.detail, dict):
        return 400, {name: [str(m) for m in texts] for name, texts in error.detail.items()}
    if isinstance(error, exceptions.APIException):
        status = error.status_code
        return status, {_SUBJECTS.get(status, "request"): [str(error.detail)]}
    return None


def check_names(query: QueryDict, known: Collection[str]) -> None:
    """Raise `BadFilters` for a parameter that is unknown, given twice or empty.

    A form sends its empty fields, so pages take them for the default. A program that sends
    one has lost a value, and would take the whole list for the part that it asked for.
    """
    errors = strange_names(query, known)
    for name, value in query.items():
        if not value and name not in errors:
            errors[name] = [gettext("“%(name)s” has no value.") % {"name": name}]
    if errors:
        raise BadFilters(errors)
