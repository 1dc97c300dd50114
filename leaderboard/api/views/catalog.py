"""Models and tasks."""

from django.db.models import Count, Prefetch
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.filters import ModelFilter, TaskFilter
from leaderboard.api.renderers import Table
from leaderboard.api.schema import documented
from leaderboard.api.serializers.catalog import (
    ModelDetailSerializer,
    ModelSerializer,
    TaskDetailSerializer,
    TaskSerializer,
)
from leaderboard.api.tables import MODEL_COLUMNS, WORKLOAD_COLUMNS, model_rows, workload_rows
from leaderboard.api.views.base import DetailEndpoint, ListEndpoint
from leaderboard.models import ModelEntry, Task, Workload

_MODELS = (
    ModelEntry.objects.select_related("base")
    .annotate(run_count=Count("runs"))
    .order_by("name", "pk")
)
# Workloads read their task's slug, so it comes along.
_WORKLOADS = Workload.objects.select_related("task").order_by("-published", "uuid")
_TASKS = Task.objects.prefetch_related(Prefetch("workloads", _WORKLOADS)).order_by("order", "pk")


class ModelList(ListEndpoint):
    """All model entries, by name."""

    queryset = _MODELS
    serializer_class = ModelSerializer
    filterset_class = ModelFilter

    @documented(
        "models_list",
        "List model entries",
        ModelSerializer(many=True),
        MODEL_COLUMNS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the model entries."""
        rows = self.filter_queryset(self.get_queryset())
        if self.as_csv(request):
            return self.table(Table("models", MODEL_COLUMNS, model_rows(rows)))
        return self.answer(rows)


class ModelDetail(DetailEndpoint):
    """One model entry."""

    queryset = _MODELS.prefetch_related("variants")
    serializer_class = ModelDetailSerializer

    @documented(
        "models_retrieve",
        "Show a model entry\nWith the entries that build on it. CSV: one row.",
        ModelDetailSerializer,
        MODEL_COLUMNS,
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Return the model entry."""
        found = self.row(slug)
        if self.as_csv(request):
            return self.table(Table(f"model-{slug}", MODEL_COLUMNS, model_rows([found])))
        return Response(self.get_serializer(found).data)


class TaskList(ListEndpoint):
    """All tasks, in the catalog's order."""

    queryset = _TASKS
    serializer_class = TaskSerializer
    filterset_class = TaskFilter

    @documented(
        "tasks_list",
        "List tasks\nCSV: one row per workload of each task.",
        TaskSerializer(many=True),
        WORKLOAD_COLUMNS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the tasks."""
        rows = self.filter_queryset(self.get_queryset())
        if self.as_csv(request):
            return self.table(Table("tasks", WORKLOAD_COLUMNS, workload_rows(rows)))
        return self.answer(rows)


class TaskDetail(DetailEndpoint):
    """One task."""

    queryset = _TASKS
    serializer_class = TaskDetailSerializer

    @documented(
        "tasks_retrieve",
        "Show a task\n"
        "With its FlashInfer-Trace Definition and workloads. CSV: one row per workload.",
        TaskDetailSerializer,
        WORKLOAD_COLUMNS,
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Return the task."""
        found = self.row(slug)
        if self.as_csv(request):
            return self.table(Table(f"task-{slug}", WORKLOAD_COLUMNS, workload_rows([found])))
        return Response(self.get_serializer(found).data)
