"""Filters of the pages about one model, task, run or turn: fewer names, the same rules."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from leaderboard.filters import BadFilters, FilterForm, Filters, parse_filters

Errors = dict[str, list[str]]

TASK_NAMES = frozenset(FilterForm.base_fields) - {"tasks"}
"""Filters of a task's page: all of the ranking's but the choice of tasks."""


class TaskFilters(Filters):
    """The filters of a task's own ranking, whose address says which task is meant."""

    def query(self, **changes: Any) -> str:
        """Return the canonical query string without the task."""
        query = QueryDict(super().query(**changes), mutable=True)
        query.pop("tasks", None)
        return query.urlencode()


def read_filters(query: QueryDict, names: Collection[str]) -> tuple[Filters, Errors]:
    """Return the filters in a query string that may hold `names` only.

    Where they cannot be understood: the default ones, and what is wrong with each name.
    """
    try:
        return _parsed(query, names), {}
    except BadFilters as error:
        return parse_filters(QueryDict()), error.errors


def read_task_filters(query: QueryDict, task: str) -> tuple[TaskFilters, Errors]:
    """Return the filters of `task`'s ranking, and errors as `read_filters` does."""
    try:
        return _of_task(_parsed(query, TASK_NAMES, task), task), {}
    except BadFilters as error:
        return _of_task(parse_filters(QueryDict()), task), error.errors


def _parsed(query: QueryDict, names: Collection[str], task: str = "") -> Filters:
    strange = {name: [_unknown(name, names)] for name in query if name not in names}
    query = query.copy()
    for name in strange:
        del query[name]
    if task:
        # With the task among the filters, the columns it can be sorted by are checked too.
        query["tasks"] = task
    try:
        filters = parse_filters(query)
    except BadFilters as error:
        raise BadFilters({**strange, **error.errors}) from error
    if strange:
        raise BadFilters(strange)
    return filters


def _of_task(filters: Filters, task: str) -> TaskFilters:
    values = {name: getattr(filters, name) for name in Filters.__dataclass_fields__}
    return replace(TaskFilters(**values), tasks=task)


def _unknown(name: str, names: Collection[str]) -> str:
    message = gettext("Unknown filter “%(name)s”. Known: %(known)s.")
    return message % {"name": name, "known": ", ".join(sorted(names))}
