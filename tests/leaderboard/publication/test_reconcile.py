"""Stored rows become equal to wanted rows, and nothing else is touched."""

import pytest

from leaderboard.models import ModelEntry
from leaderboard.publication.reconcile import Changes, reconcile

pytestmark = pytest.mark.django_db


def entries(**names: str) -> list[ModelEntry]:
    return [ModelEntry(slug=slug, name=name, kind="llm") for slug, name in names.items()]


def stored() -> dict[str, str]:
    return dict(ModelEntry.objects.values_list("slug", "name"))


def test_missing_rows_are_created_and_their_ids_returned() -> None:
    done = reconcile(ModelEntry.objects.all(), entries(a="A", b="B"), ["slug"])
    assert done.changes == Changes(created=2)
    assert done.ids == {(e.slug,): e.pk for e in ModelEntry.objects.all()}


def test_a_second_time_writes_nothing(django_assert_num_queries) -> None:
    reconcile(ModelEntry.objects.all(), entries(a="A", b="B"), ["slug"])
    with django_assert_num_queries(1):
        again = reconcile(ModelEntry.objects.all(), entries(a="A", b="B"), ["slug"])
    assert again.changes == Changes(unchanged=2)


def test_only_what_differs_is_updated_in_place() -> None:
    before = reconcile(ModelEntry.objects.all(), entries(a="A", b="B"), ["slug"]).ids
    done = reconcile(ModelEntry.objects.all(), entries(a="A", b="B2"), ["slug"])
    assert done.changes == Changes(updated=1, unchanged=1)
    assert done.ids == before
    assert stored() == {"a": "A", "b": "B2"}


def test_rows_nobody_wants_go_only_where_asked() -> None:
    reconcile(ModelEntry.objects.all(), entries(a="A", b="B"), ["slug"])
    kept = reconcile(ModelEntry.objects.all(), entries(a="A"), ["slug"], delete=False)
    assert kept.changes.deleted == 0
    assert set(stored()) == {"a", "b"}
    gone = reconcile(ModelEntry.objects.all(), entries(a="A"), ["slug"])
    assert gone.changes == Changes(deleted=1, unchanged=1)
    assert set(stored()) == {"a"}


def test_rows_outside_the_queryset_are_not_seen() -> None:
    reconcile(ModelEntry.objects.all(), entries(a="A"), ["slug"])
    other = ModelEntry.objects.filter(slug__startswith="x")
    done = reconcile(other, entries(x1="X"), ["slug"])
    assert done.changes == Changes(created=1)
    assert set(stored()) == {"a", "x1"}
