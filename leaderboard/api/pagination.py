"""Pages of a list: `page` and `page_size`, refused where they make no sense."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.errors import NotFound
from leaderboard.filters import BadFilters

PAGE_SIZE = 100
LARGEST_PAGE = 200


class PageForm(forms.Form):
    """The two parameters; without them, the first page of the usual size."""

    page = forms.IntegerField(required=False, min_value=1)
    page_size = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_PAGE)


PAGE_NAMES = frozenset(PageForm.base_fields)


class Pages(PageNumberPagination):
    """Numbered pages with links to their neighbours, all in one envelope."""

    page_size = PAGE_SIZE
    page_size_query_param = "page_size"
    page_query_description = "Number of the page, from 1."
    page_size_query_description = f"Rows per page, at most {LARGEST_PAGE}. Default: {PAGE_SIZE}."
    page: Page

    def paginate_queryset(
        self, queryset: QuerySet | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any]:
        """Return the rows of the page. Raises `BadFilters`, or `NotFound` beyond the last."""
        form = PageForm(request.query_params)
        if not form.is_valid():
            raise BadFilters(
                {name: [str(text) for text in texts] for name, texts in form.errors.items()}
            )
        size = form.cleaned_data["page_size"] or PAGE_SIZE
        number = form.cleaned_data["page"] or 1
        pages = Paginator(queryset, size)
        if number > pages.num_pages:
            message = gettext("There is no page %(number)s; the last one is %(last)s.")
            # A number of a thousand digits would only fill the answer.
            shown = {"number": str(number)[:20], "last": pages.num_pages}
            raise NotFound("page", message % shown)
        self.request, self.page = request, pages.page(number)
        return list(self.page)

    def get_paginated_response(self, data: Any) -> Response:
        """Return the rows in their envelope."""
        return Response({**self.envelope(), "results": data})

    def envelope(self) -> dict[str, Any]:
        """Return what surrounds the rows: their number, the page's place, and its neighbours."""
        return {
            "count": self.page.paginator.count,
            "page": self.page.number,
            "pages": self.page.paginator.num_pages,
            "next": self.get_next_link(),
            "previous": self.get_previous_link(),
        }

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the envelope's OpenAPI schema around that of the rows."""
        return {
            "type": "object",
            "required": [*ENVELOPE, "results"],
            "properties": {**ENVELOPE, "results": schema},
        }


_NUMBER = {"type": "integer", "minimum": 0}
_LINK = {"type": "string", "format": "uri", "nullable": True}
ENVELOPE: dict[str, dict[str, Any]] = {
    "count": {**_NUMBER, "description": "Rows on all pages together."},
    "page": {"type": "integer", "minimum": 1, "description": "Number of this page."},
    "pages": {"type": "integer", "minimum": 1, "description": "Number of pages."},
    "next": {**_LINK, "description": "Address of the next page; null on the last."},
    "previous": {**_LINK, "description": "Address of the previous page; null on the first."},
}
