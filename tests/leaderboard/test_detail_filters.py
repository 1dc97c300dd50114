"""Filters of the pages about one thing."""

import pytest
from django.http import QueryDict

from leaderboard.detail_filters import read_filters, read_task_filters

pytestmark = pytest.mark.django_db


def test_names_that_the_page_knows_are_read():
    filters, errors = read_filters(QueryDict("k=4&p=0.25"), {"k", "p"})
    assert (filters.k, filters.p, errors) == (4, 0.25, {})


def test_every_problem_is_told_at_once():
    filters, errors = read_filters(QueryDict("k=abc&sort=name&z=1"), {"k", "p"})
    assert set(errors) == {"k", "sort", "z"}
    assert filters.k == 8


def test_a_repeated_name_is_refused():
    assert set(read_filters(QueryDict("k=4&k=8"), {"k"})[1]) == {"k"}


def test_a_task_ranking_sorts_by_its_own_columns_only():
    task = "gemm_n7168_k5120"
    filters, errors = read_task_filters(QueryDict(f"sort=-{task}&arch=blackwell"), task)
    assert not errors
    assert (filters.tasks, filters.hw) == (task, "b200")
    assert "tasks" not in filters.query(k=4)
    assert filters.query(k=4) == f"arch=blackwell&k=4&sort=-{task}"
    assert set(read_task_filters(QueryDict("sort=mha_bwd_d128"), task)[1]) == {"sort"}
    assert set(read_task_filters(QueryDict(f"tasks={task}"), task)[1]) == {"tasks"}
