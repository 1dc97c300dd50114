"""Model entries of the published tables, with dates that are doubted but never corrected."""

import re
from collections.abc import Iterable, Iterator, Mapping

from evaluation.artifacts.problems import Problem, shown
from evaluation.artifacts.ptxbench_dates import MODEL_DATES, DatedRow
from evaluation.artifacts.ptxbench_records import ModelKind, PublishedModel
from evaluation.artifacts.ptxbench_runs import EXPERIMENTS
from evaluation.published import ModelFacts

_VARIANT = re.compile(r"(.+)-s\d+", re.ASCII)
_NO_FACTS = ModelFacts("", None, None, "", "")


def build_models(
    dates: Mapping[str, DatedRow],
    first_lines: Mapping[str, int],
    facts: Mapping[str, ModelFacts],
) -> tuple[list[PublishedModel], list[Problem]]:
    """Model entries: those with a date in the table's order, then those that only have runs.

    `first_lines` holds each model's first line among the runs. A model without a
    date, without runs or with a doubtful date is kept, and noted.
    """
    names = list(dict.fromkeys((*dates, *first_lines)))
    models = [
        _model(name, slug, dates.get(name), facts.get(name, _NO_FACTS), names)
        for name, slug in unique_slugs(names).items()
    ]
    problems = []
    for model in models:
        in_dates = model.name in dates
        file = MODEL_DATES if in_dates else EXPERIMENTS
        line = dates[model.name].line if in_dates else first_lines[model.name]
        for message in _remarks(model, in_dates, model.name in first_lines, names):
            problems.append(Problem(file, line, f"model {shown(model.name)} {message}", "note"))
    return models, problems


def kind_and_base(name: str, names: Iterable[str]) -> tuple[ModelKind, str | None]:
    """What an entry is and what it builds on, judged by its name.

    `X + something` is a method on X; `X-s3`, where X is listed too, a variant of X.
    """
    base, plus, _ = name.partition(" + ")
    if plus:
        return "method", base
    match = _VARIANT.fullmatch(name)
    if match and match[1] in names:
        return "variant", match[1]
    return "llm", None


def unique_slugs(names: Iterable[str]) -> dict[str, str]:
    """Addresses by name: lower case, each run of other characters a hyphen, a number if taken."""
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"
        slug, number = stem, 2
        while slug in taken:
            slug, number = f"{stem}-{number}", number + 1
        taken.add(slug)
        slugs[name] = slug
    return slugs


def doubt(row: DatedRow, facts: ModelFacts) -> str:
    """Why a published date cannot be right; empty if nothing speaks against it."""
    if row.released is None or facts.not_before is None or row.released >= facts.not_before:
        return ""
    reason, source = facts.not_before_reason, facts.not_before_source
    return f"published as {row.as_published}, but {reason} ({source})"


def _remarks(
    model: PublishedModel, has_date: bool, has_runs: bool, names: list[str]
) -> Iterator[str]:
    """What is worth knowing about an entry."""
    if not has_date:
        yield f"has no release date in {MODEL_DATES}"
    if not has_runs:
        yield "has no runs"
    if model.released_note:
        yield f"has a date in doubt: {model.released_note}"
    if model.base is not None and model.base not in names:
        yield f"builds on {shown(model.base)}, which the tables do not list"


def _model(
    name: str, slug: str, row: DatedRow | None, facts: ModelFacts, names: list[str]
) -> PublishedModel:
    """One entry from its date and the curated facts."""
    kind, base = kind_and_base(name, names)
    return PublishedModel(
        name=name,
        slug=slug,
        kind=kind,
        base=base,
        organisation=facts.organisation,
        open_weights=facts.open_weights,
        released=row.released if row else None,
        released_as_published=row.as_published if row else "",
        released_note=doubt(row, facts) if row else "",
        released_source=f"PTXBench, {MODEL_DATES}" if row else "",
    )
