"""The filters: what they accept, what they refuse, and the address they make."""

from datetime import date

import pytest
from django.http import QueryDict

from evaluation.outcomes import Outcome
from evaluation.tasks import CORE_TASKS
from leaderboard.filters import BadFilters, Filters, parse_filters, task_choices
from leaderboard.models import RunSummary

pytestmark = pytest.mark.django_db


def parsed(query: str) -> Filters:
    return parse_filters(QueryDict(query))


@pytest.mark.parametrize(
    "query", ["", "arch=&k=&tasks=&sort=&since=", "arch=hopper&k=8&tasks=core&provenance=reported"]
)
def test_nothing_given_means_the_default(query: str) -> None:
    assert parsed(query) == Filters()
    assert parsed(query).query() == ""


def test_every_filter_is_understood_and_comes_back_in_one_order() -> None:
    query = (
        "until=2026-06-30&since=2026-01-01&k=4&p=0.8&tasks=backward&arch=blackwell"
        "&open=no&kind=llm&prompt=ablation&sort=-fast"
    )
    filters = parsed(query)
    assert filters == Filters(
        arch="blackwell",
        hw="b200",
        tasks="backward",
        k=4,
        p=0.8,
        prompt="ablation",
        kind="llm",
        open=False,
        since=date(2026, 1, 1),
        until=date(2026, 6, 30),
        sort="-fast",
    )
    assert parsed(filters.query()) == filters
    assert filters.query() == (
        "arch=blackwell&k=4&kind=llm&open=no&p=0.8&prompt=ablation&since=2026-01-01"
        "&sort=-fast&tasks=backward&until=2026-06-30"
    )


def test_hardware_follows_from_architecture_and_provenance() -> None:
    assert parsed("arch=blackwell").hw == "b200"
    assert parsed("provenance=measured").hw == "h200"
    assert parsed("provenance=measured").protocol == "1"
    assert parsed("hw=h200").query(arch="blackwell") == "arch=blackwell"


@pytest.mark.parametrize(
    ("query", "name", "words"),
    [
        ("arch=ampere", "arch", "hopper, blackwell"),
        ("hw=b200", "hw", "not Hopper hardware"),
        ("hw=h400", "hw", "h100"),
        ("tasks=conv", "tasks", "gemm"),
        ("k=0", "k", "1"),
        ("k=129", "k", "128"),
        ("k=eight", "k", "whole number from 1 to 128"),
        ("k=1e3", "k", "whole number"),
        ("p=0.3", "p", "0.25"),
        ("p=nan", "p", "0.25"),
        ("provenance=hearsay", "provenance", "reported"),
        ("prompt=../x", "prompt", "letters"),
        ("prompt=none", "prompt", "standard"),
        ("prompt=%25s", "prompt", "letters"),
        ("kind=toaster", "kind", "llm"),
        ("open=maybe", "open", "yes, no"),
        ("since=2026-02-30", "since", "date"),
        ("since=02/01/2026", "since", "date"),
        ("since=2026-02-01&until=2026-01-01", "since", "after"),
        ("sort=colour", "sort", "frontier_share"),
        ("sort=--rank", "sort", "frontier_share"),
        ("sort=mha_bwd_d128&tasks=gemm", "sort", "gemm_n7168_k5120"),
        ("archh=hopper", "archh", "Known: arch"),
        ("arch=hopper&arch=blackwell", "arch", "twice"),
        ("arch=hop%00per", "arch", ""),
        ("tasks=%00", "tasks", ""),
        ("sort=%ED%A0%80", "sort", "frontier_share"),
        ("k=99999999999999999999999", "k", "128"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(query: str, name: str, words: str) -> None:
    with pytest.raises(BadFilters) as caught:
        parsed(query)
    assert list(caught.value.errors) == [name]
    assert words in " ".join(caught.value.errors[name])


def test_several_faults_are_reported_together() -> None:
    with pytest.raises(BadFilters) as caught:
        parsed("arch=ampere&k=0&colour=red")
    assert set(caught.value.errors) == {"arch", "k", "colour"}


def test_measured_figures_lead_once_three_models_have_the_core_tasks(make_entry, make_run) -> None:
    for number in range(3):
        assert parsed("").provenance == "reported"
        entry = make_entry(f"Model {number}")
        for task in CORE_TASKS:
            make_run(entry, [[(Outcome.SLOWER, 0.5)]], task, provenance="measured")
        RunSummary.objects.update(protocol="1")
    assert parsed("").provenance == "measured"
    assert parsed("arch=blackwell").provenance == "reported"
    assert parsed("").query() == ""
    assert parsed("").query(provenance="reported") == "provenance=reported"
    assert parsed(parsed("").query(provenance="reported")).provenance == "reported"
    assert parsed("").query(arch="blackwell") == "arch=blackwell&provenance=measured"


def test_every_offered_task_selection_is_accepted() -> None:
    for name, _title in task_choices():
        assert parsed(f"tasks={name}").task_slugs
