"""What every endpoint does: read only, strict about names, errors and pages in one shape."""

from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.errors import NotFound, answer_error, check_names
from leaderboard.api.pagination import PAGE_NAMES, Pages
from leaderboard.api.renderers import (
    LARGEST_WHOLE,
    CsvRenderer,
    Negotiation,
    Table,
    disposition,
    streamed,
)
from leaderboard.filters import BadFilters


class Endpoint(APIView):
    """A view that only answers GET, HEAD and OPTIONS, and takes only the parameters it names."""

    http_method_names = ("get", "head", "options")
    renderer_classes: tuple[type[BaseRenderer], ...] = (JSONRenderer, CsvRenderer)
    content_negotiation_class = Negotiation

    def known_names(self) -> frozenset[str]:
        """Return the names of the parameters in the query string."""
        return frozenset({"format"})

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse unknown names before anything else is looked at."""
        check_names(request.query_params, self.known_names())
        super().initial(request, *args, **kwargs)

    def get_exception_handler(self) -> Callable[..., Response | None]:
        """Return the API's own handler, whatever the settings say."""
        return answer_error

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """Answer with the `Allow` header alone; the schema describes the rest."""
        return Response(status=204)

    def as_csv(self, request: Request) -> bool:
        """Whether the answer is a CSV table."""
        renderer = request.accepted_renderer
        return isinstance(renderer, CsvRenderer)

    def table(self, table: Table, rows: int = 0) -> HttpResponseBase:
        """Return a CSV answer, streamed if `rows` is more than should be held."""
        response: HttpResponseBase = streamed(table) if rows > LARGEST_WHOLE else Response(table)
        response["Content-Disposition"] = disposition(table)
        return response


class ListEndpoint(Endpoint, GenericAPIView):
    """A list in pages, or whole as CSV."""

    pagination_class = Pages
    filterset_class: Any = None

    def known_names(self) -> frozenset[str]:
        """Return the names of the filters, of the pages and of the format."""
        filters = self.filterset_class.base_filters if self.filterset_class else ()
        return super().known_names() | PAGE_NAMES | frozenset(filters)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse a page of a CSV table, which a reader could take for the whole."""
        super().initial(request, *args, **kwargs)
        given = sorted(PAGE_NAMES & set(request.query_params))
        if given and self.as_csv(request):
            message = gettext("CSV always holds every row; it has no pages.")
            raise BadFilters({name: [message] for name in given})

    @property
    def pages(self) -> Pages:
        """The pages of this answer."""
        return cast(Pages, self.paginator)

    def answer(self, rows: Any) -> Response:
        """Return a page of `rows`."""
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class DetailEndpoint(Endpoint, GenericAPIView):
    """One row by its slug."""

    pagination_class = None
    filter_backends = ()

    def row(self, slug: str) -> Any:
        """Return the row of this slug. Raises `NotFound`."""
        found = self.get_queryset().filter(slug=slug).first()
        if found is None:
            raise NotFound("slug", gettext("There is no “%(slug)s”.") % {"slug": slug[:200]})
        return found


class Nothing(Endpoint):
    """Every address below the API that means nothing, so that its 404 is JSON too."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Answer with 404 whatever the method."""
        message = gettext("There is nothing at %(path)s.")
        raise NotFound("path", message % {"path": request.path[:200]})
