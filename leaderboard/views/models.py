"""The page of one model: what it is, how far it gets, and where its turns end."""

from collections.abc import Sequence
from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from evaluation.architectures import ARCHITECTURES
from leaderboard.charts.progress import progress_chart
from leaderboard.detail_filters import read_filters
from leaderboard.filters import Filters, default_hardware
from leaderboard.models import ModelEntry
from leaderboard.profiles import Section, sections
from leaderboard.rows import Row
from leaderboard.sentences import lacking
from leaderboard.standings import standings
from leaderboard.views.page import page

FILTER_NAMES = frozenset({"arch", "k", "p"})


@page
def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a model entry; 400 with the default figures for filters not understood."""
    entries = list(ModelEntry.objects.select_related("base"))
    entry = next((one for one in entries if one.slug == slug), None)
    if entry is None:
        raise Http404
    filters, errors = read_filters(request.GET, FILTER_NAMES)
    found = sections(entry, filters.k, filters.p)
    known = [a for a in ARCHITECTURES if any(s.source.architecture == a for s in found)]
    if known and filters.arch not in known and not request.GET.get("arch"):
        filters = _moved(filters, known[0])
    shown = [section for section in found if section.source.architecture == filters.arch]
    place = _place(entry, filters, shown)
    context = {
        "entry": entry,
        "variants": [one for one in entries if one.base_id == entry.pk],
        "others": [one for one in entries if one.pk != entry.pk],
        "filters": filters,
        "errors": errors,
        "architectures": [ARCHITECTURES[a] for a in known],
        "sections": [_with_links(section, filters) for section in shown],
        "place": place,
        "lacking": lacking(place.lacks, filters.k) if place else "",
        "compared": list(QueryDict(filters.query()).items()),
        "figures_anywhere": bool(found),
    }
    return render(request, "model.html", context, status=400 if errors else 200)


def _moved(filters: Filters, arch: str) -> Filters:
    return replace(filters, arch=arch, hw=default_hardware(arch, filters.provenance))


def _with_links(section: Section, filters: Filters) -> dict[str, object]:
    """Return a section with its chart and the filters of the ranking it counts in."""
    return {
        "section": section,
        "ranking": section.filters(filters.k, filters.p),
        "chart": progress_chart(section.progress),
    }


def _place(entry: ModelEntry, filters: Filters, shown: Sequence[Section]) -> Row | None:
    """Return the model's row in the default ranking of these filters, if it is in it."""
    standard = (filters.hw, filters.provenance, filters.prompt)
    if not any(
        (s.source.hardware, s.source.provenance, s.source.prompt_set) == standard for s in shown
    ):
        return None
    rows = standings(filters).rows
    return next((row for row in rows if row.entry.id == entry.pk), None)
