"""Model entries and reference dates, the same way from tables and from bundled figures."""

from collections.abc import Iterable

from evaluation.artifacts.ptxbench_records import PublishedModel
from evaluation.artifacts.ptxbench_records import ReferenceDate as PublishedDate
from leaderboard.models import ModelEntry, ReferenceDate
from leaderboard.publication.reconcile import Changes, reconcile
from leaderboard.slugs import slug_for


def publish_models(models: Iterable[PublishedModel]) -> tuple[Changes, dict[str, int]]:
    """Store the entries with their bases; return the changes and the entries' ids by name.

    Entries of other models are left alone if they have runs. One without any is what an
    earlier, faulty set of tables left behind.
    """
    models = list(models)
    stored = dict(ModelEntry.objects.values_list("name", "slug"))
    taken = set(stored.values())
    slugs = {}
    for model in models:
        slugs[model.name] = stored.get(model.name) or slug_for(model.name, taken)
        taken.add(slugs[model.name])
    ids: dict[str, int] = dict(ModelEntry.objects.values_list("name", "pk"))
    changes = Changes()
    # A base is stored before what builds on it, because the link needs its id.
    for wave in _bases_first(models):
        rows = [_entry(model, slugs[model.name], ids) for model in wave]
        done = reconcile(ModelEntry.objects.all(), rows, ["name"], delete=False)
        changes += done.changes
        ids |= {name: pk for (name,), pk in done.ids.items()}
    leftover = ModelEntry.objects.filter(runs=None, variants=None).exclude(name__in=slugs)
    changes.deleted += leftover.count()
    leftover.delete()
    return changes, ids


def publish_reference_dates(dates: Iterable[PublishedDate]) -> Changes:
    """Store the releases that the timeline marks."""
    rows = [
        ReferenceDate(
            kind=one.kind,
            name=one.name,
            architecture=one.architecture,
            released=one.released,
            as_published=one.as_published,
        )
        for one in dates
    ]
    return reconcile(ReferenceDate.objects.all(), rows, ["kind", "name", "architecture"]).changes


def _entry(model: PublishedModel, slug: str, ids: dict[str, int]) -> ModelEntry:
    return ModelEntry(
        slug=slug,
        name=model.name,
        kind=model.kind,
        base_id=ids.get(model.base) if model.base else None,
        organisation=model.organisation,
        open_weights=model.open_weights,
        released=model.released,
        released_as_published=model.released_as_published,
        released_note=model.released_note,
        released_source=model.released_source,
    )


def _bases_first(models: list[PublishedModel]) -> list[list[PublishedModel]]:
    """Split models into waves, each of which builds only on earlier ones."""
    names = {model.name for model in models}
    waves: list[list[PublishedModel]] = []
    placed: set[str] = set()
    left = models
    while left:
        wave = [m for m in left if m.base is None or m.base in placed or m.base not in names]
        if not wave:
            raise ValueError("models build on each other: " + ", ".join(m.name for m in left))
        waves.append(wave)
        placed |= {model.name for model in wave}
        left = [model for model in left if model.name not in placed]
    return waves
