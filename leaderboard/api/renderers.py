"""How an answer is written, and who decides: `?format=` first, then the Accept header."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from leaderboard.exports import write_csv
from leaderboard.filter_form import unknown_value
from leaderboard.filters import BadFilters

LARGEST_WHOLE = 50_000
"""Rows of a CSV table up to which it is built whole and may be kept; a larger one is streamed."""

_ROWS_A_PIECE = 1000


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV table: its columns, its rows, and the name of the file."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]

    def pieces(self) -> Iterator[str]:
        """Yield the table's text, about a thousand rows at a time."""
        columns: Sequence[str] | None = self.columns
        rows = iter(self.rows)
        while True:
            piece = list(islice(rows, _ROWS_A_PIECE))
            if columns is None and not piece:
                return
            yield _text(columns, piece)
            columns = None


def _text(columns: Sequence[str] | None, rows: Sequence[Sequence[object]]) -> str:
    out = StringIO()
    write_csv(out, columns or (), [[_cell(cell) for cell in row] for row in rows])
    text = out.getvalue()
    # An absent header is written as an empty line, which is not part of the table.
    return text if columns else text.partition("\n")[2]


def _cell(cell: object) -> object:
    return {True: "yes", False: "no"}[cell] if isinstance(cell, bool) else cell


class CsvRenderer(BaseRenderer):
    """Writes a `Table`; `format=csv` or `Accept: text/csv`."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(
        self,
        data: Table | None,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the table as UTF-8; nothing for an answer without a body."""
        return b"" if data is None else "".join(data.pieces()).encode()


def streamed(table: Table) -> StreamingHttpResponse:
    """Return a table that is too large to be held, row by row."""
    return StreamingHttpResponse(table.pieces(), content_type="text/csv; charset=utf-8")


def disposition(table: Table) -> str:
    """Return the header that saves the table under its own name."""
    return f'attachment; filename="{table.name}.csv"'


class Negotiation(DefaultContentNegotiation):
    """A format in the address wins over the Accept header; an unknown one is a bad value."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer and its media type. Raises `BadFilters` and `NotAcceptable`."""
        by_media_type = {one.media_type: one for one in renderers}
        asked = request.query_params.get("format")
        if asked:
            formats = {one.format: one for one in reversed(by_media_type.values())}
            if asked not in formats:
                raise BadFilters({"format": [unknown_value(asked, sorted(formats))]})
            return formats[asked], formats[asked].media_type
        if not request.META.get("HTTP_ACCEPT", "").strip():
            return next((one, media_type) for media_type, one in by_media_type.items())
        media_type = request._request.get_preferred_type(list(by_media_type))
        if media_type is None:
            raise NotAcceptable(available_renderers=list(by_media_type.values()))
        return by_media_type[media_type], media_type
