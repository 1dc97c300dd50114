"""The ranking, from the same rows as the pages."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.pagination import PAGE_NAMES
from leaderboard.api.renderers import Table
from leaderboard.api.schema import documented, ranking_parameters
from leaderboard.api.serializers.standings import (
    RowSerializer,
    StandingsContextSerializer,
    StandingsSerializer,
)
from leaderboard.api.tables import (
    CELL_COLUMNS,
    CHOICE_COLUMNS,
    STANDINGS_COLUMNS,
    standings_columns,
    standings_rows,
)
from leaderboard.api.views.base import ListEndpoint
from leaderboard.filter_form import FilterForm
from leaderboard.filters import Filters, parse_filters
from leaderboard.models import DataVersion
from leaderboard.rows import Standings
from leaderboard.standings import standings

_DOCUMENTED_COLUMNS = (
    *STANDINGS_COLUMNS,
    *(f"<task>_{name}" for name in CELL_COLUMNS),
    *CHOICE_COLUMNS,
)


class StandingsList(ListEndpoint):
    """The ranking for a choice of filters."""

    serializer_class = RowSerializer
    filter_backends = ()

    def known_names(self) -> frozenset[str]:
        """Return the names of the ranking's filters, of the pages and of the format."""
        return super().known_names() | frozenset(FilterForm.base_fields)

    @documented(
        "standings_list",
        "Show the ranking\n"
        "The rows of the leaderboard, by the same filters. Models that cannot be ranked are "
        "listed last, with what they lack.",
        StandingsSerializer,
        _DOCUMENTED_COLUMNS,
        parameters=ranking_parameters(),
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the ranking."""
        filters = parse_filters(request.query_params, also=PAGE_NAMES | {"format"})
        # Read before the rows: then a version is never newer than the figures beside it.
        version = DataVersion.current()
        result = standings(filters)
        if self.as_csv(request):
            columns = standings_columns(result.tasks)
            return self.table(Table("standings", columns, standings_rows(result)))
        return self._page(result, filters, version)

    def _page(self, result: Standings, filters: Filters, version: int) -> Response:
        context = {
            "filters": filters,
            "tasks": result.tasks,
            "provenance": filters.provenance,
            "hardware": filters.hw,
            "protocol": filters.protocol,
            "data_version": version,
        }
        rows = RowSerializer(
            self.paginate_queryset(result.rows), many=True, context={"p": filters.p}
        )
        about = StandingsContextSerializer(context).data
        return Response({**about, **self.pages.envelope(), "results": rows.data})
