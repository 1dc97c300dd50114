"""Make stored rows equal to wanted rows, touching only what differs.

Both ways of publishing go through here, which is what makes them repeatable: a
second run with the same input finds no difference and writes nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from django.db.models import Model, QuerySet

BATCH = 5000


@dataclass(slots=True)
class Changes:
    """Numbers of rows written; `unchanged` ones were already right."""

    created: int = 0
    updated: int = 0
    deleted: int = 0
    unchanged: int = 0

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(
            self.created + other.created,
            self.updated + other.updated,
            self.deleted + other.deleted,
            self.unchanged + other.unchanged,
        )

    @property
    def written(self) -> int:
        """Number of rows that were created, updated or deleted."""
        return self.created + self.updated + self.deleted


@dataclass(slots=True)
class Reconciled:
    """What `reconcile` did: the changes, and each row's primary key by its natural key."""

    changes: Changes
    ids: dict[tuple, Any] = field(default_factory=dict)


def reconcile(
    rows: QuerySet, wanted: Iterable[Model], key: Sequence[str], *, delete: bool = True
) -> Reconciled:
    """Make `rows` equal to `wanted`, comparing by the columns in `key`.

    `key` holds column names (`run_id`, not `run`). Rows in the queryset that nobody
    wants are deleted unless `delete` is false. Call it inside a transaction.
    """
    model = rows.model
    columns = [f.attname for f in model._meta.concrete_fields if not f.primary_key]
    if model._meta.pk.attname in key:
        columns.insert(0, model._meta.pk.attname)
    stored = _stored(rows, columns, key)
    result = Reconciled(Changes())
    natural_key, all_values = _getter(key), _getter(columns)
    missing, different = [], []
    for row in wanted:
        natural = natural_key(row)
        found = stored.pop(natural, None)
        if found is None:
            missing.append((natural, row))
            continue
        pk, values = found
        result.ids[natural] = row.pk = pk
        if values != all_values(row):
            different.append(row)
        else:
            result.changes.unchanged += 1
    _write(model, missing, different, [c for c in columns if c not in key], result)
    if delete and stored:
        model._base_manager.filter(pk__in=[pk for pk, _values in stored.values()]).delete()
        result.changes.deleted = len(stored)
    return result


def _getter(names: Sequence[str]) -> Callable[[Any], tuple]:
    """Return a function from an object to the tuple of these attributes."""
    if len(names) == 1:
        only = attrgetter(names[0])
        return lambda row: (only(row),)
    return attrgetter(*names)


def _stored(rows: QuerySet, columns: Sequence[str], key: Sequence[str]) -> dict[tuple, tuple]:
    places = [columns.index(name) for name in key]
    return {
        tuple([values[place] for place in places]): (pk, tuple(values))
        for pk, *values in rows.order_by().values_list("pk", *columns).iterator(BATCH)
    }


def _write(
    model: type[Model],
    missing: list[tuple[tuple, Model]],
    different: list[Model],
    columns: list[str],
    result: Reconciled,
) -> None:
    manager = model._base_manager
    manager.bulk_create([row for _natural, row in missing], batch_size=BATCH)
    result.ids |= {natural: row.pk for natural, row in missing}
    result.changes.created = len(missing)
    if different:
        names = [f.name for f in model._meta.concrete_fields if f.attname in columns]
        manager.bulk_update(different, names, batch_size=500)
        result.changes.updated = len(different)
