"""Runs and turns."""

from django.db.models import Prefetch
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.filters import RUN_LEVEL, RunFilter, TurnFilter
from leaderboard.api.pagination import Pages
from leaderboard.api.renderers import Table
from leaderboard.api.schema import documented
from leaderboard.api.serializers.runs import RunDetailSerializer, RunSerializer, TurnSerializer
from leaderboard.api.tables import (
    RUN_COLUMNS,
    RUN_SUMMARY_COLUMNS,
    TURN_COLUMNS,
    run_rows,
    run_summary_rows,
    turn_rows,
)
from leaderboard.api.views.base import DetailEndpoint, ListEndpoint
from leaderboard.models import OutcomeCount, Result, Run, RunSummary

# English only, because a header takes no other alphabet.
NOT_LOADED = (
    "The turns of these runs are not loaded: the site comes with the published summary "
    "figures only. Load them with: make published DIR=PTXBench/benchmark/plot_viewer_v1/data"
)

_RUNS = Run.objects.select_related("entry", "workload__task").order_by("entry__name", "slug")
_SOURCE = ("provenance", "hardware", "protocol")


class RunList(ListEndpoint):
    """All runs, by model."""

    queryset = _RUNS
    serializer_class = RunSerializer
    filterset_class = RunFilter

    @documented(
        "runs_list",
        "List runs",
        RunSerializer(many=True),
        RUN_COLUMNS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the runs."""
        rows = self.filter_queryset(self.get_queryset())
        if self.as_csv(request):
            return self.table(Table("runs", RUN_COLUMNS, run_rows(rows)))
        return self.answer(rows)


class RunDetail(DetailEndpoint):
    """One run with its figures."""

    queryset = _RUNS.prefetch_related(
        Prefetch("runsummary_rows", RunSummary.objects.order_by(*_SOURCE, "k")),
        Prefetch("outcomecount_rows", OutcomeCount.objects.order_by(*_SOURCE, "turn", "outcome")),
    )
    serializer_class = RunDetailSerializer

    @documented(
        "runs_retrieve",
        "Show a run\n"
        "With its figures at every turn limit and its endings by turn. "
        "CSV: one row per source of figures and turn limit.",
        RunDetailSerializer,
        RUN_SUMMARY_COLUMNS,
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Return the run."""
        found = self.row(slug)
        if self.as_csv(request):
            rows = run_summary_rows(found, found.runsummary_rows.all())
            return self.table(Table(f"run-{slug}", RUN_SUMMARY_COLUMNS, rows))
        return Response(self.get_serializer(found).data)


class TurnPages(Pages):
    """Pages of turns, whose envelope has a note for where there are none to be had."""

    def get_paginated_response_schema(self, schema: dict) -> dict:
        """Return the envelope's OpenAPI schema, the note included."""
        found = super().get_paginated_response_schema(schema)
        note = {
            "type": "string",
            "nullable": True,
            "description": "Why there are no turns and how to load them; null where there are.",
        }
        found["required"].append("note")
        found["properties"]["note"] = note
        return found


class TurnList(ListEndpoint):
    """All turns, by run, trajectory and number."""

    queryset = Result.objects.select_related(
        "turn__kernel", "turn__trajectory__run__entry", "turn__trajectory__run__workload__task"
    ).order_by("turn__trajectory__run__slug", "turn__trajectory__key", "turn__number", *_SOURCE)
    serializer_class = TurnSerializer
    filterset_class = TurnFilter
    pagination_class = TurnPages

    @documented(
        "turns_list",
        "List turns\n"
        "One row per turn and source of its result: a turn can have a reported and several "
        "measured ones. Where the turns are not loaded the list is empty, and `note` (in "
        "CSV: the header `X-Note`) says how to load them.",
        TurnSerializer(many=True),
        TURN_COLUMNS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the turns."""
        rows = self.filter_queryset(self.get_queryset())
        if not self.as_csv(request):
            answer = self.answer(rows)
            answer.data["note"] = self._note(answer.data["count"])
            return answer
        count = rows.count()
        response = self.table(Table("turns", TURN_COLUMNS, turn_rows(rows)), count)
        if note := self._note(count):
            response["X-Note"] = note
        return response

    def _note(self, count: int) -> str | None:
        """Return how to load turns, if none of the chosen runs has any."""
        if count:
            return None
        query = self.request.query_params
        scope = {name: value for name, value in query.items() if name in RUN_LEVEL}
        return None if TurnFilter(scope, Result.objects.all()).qs.exists() else NOT_LOADED
