"""Comparisons: matched cells only, differences with intervals, who solves what."""

import pytest

from evaluation.outcomes import Outcome
from leaderboard.comparison import Metric, Why, compare_models
from leaderboard.filters import Filters
from leaderboard.models import ModelEntry

GEMM, FORWARD = "gemm_n7168_k5120", "mha_with_lse_d128"
GOOD = [(Outcome.SLOWER, 0.6)]
BAD = [(Outcome.COMPILE_ERROR, None)]
PLAIN = [(Outcome.TARGET_ABSENT, 0.9)]


@pytest.fixture
def pair(make_entry):
    return make_entry("First"), make_entry("Other")


def test_only_tasks_that_all_share_are_compared(pair, make_run):
    first, other = pair
    make_run(first, [GOOD] * 3)
    make_run(first, [GOOD] * 3, task=FORWARD)
    make_run(other, [BAD] * 3)
    result = compare_models(Filters(), pair)
    assert result.tasks == (GEMM,)
    left = {item.task: item.lacking for item in result.left_out}
    assert left[FORWARD] == (("Other", Why.NO_FIGURES),)


def test_a_run_that_is_too_short_for_k_is_left_out(pair, make_run):
    first, other = pair
    make_run(first, [GOOD])
    make_run(other, [GOOD], turn_limit=4)
    result = compare_models(Filters(tasks=GEMM), pair)
    assert result.tasks == ()
    assert result.left_out[0].lacking == (("Other", Why.FEW_TURNS),)
    assert result.lines(Metric.CORRECT) == ()
    assert [model.endings.total for model in result.models] == [0, 0]


def test_origins_are_not_mixed(pair, make_run):
    first, other = pair
    make_run(first, [GOOD])
    make_run(other, [GOOD], origin="uploaded")
    result = compare_models(Filters(tasks=GEMM), pair)
    assert result.origin == "published"
    assert result.left_out[0].lacking == (("Other", Why.OTHER_ORIGIN),)


def test_another_origin_is_taken_where_it_alone_is_shared(pair, make_run):
    for entry in pair:
        make_run(entry, [GOOD], origin="uploaded")
    assert compare_models(Filters(tasks=GEMM), pair).origin == "uploaded"


@pytest.mark.parametrize(
    "other",
    [{"prompt_set": "unpatched"}, {"architecture": "blackwell"}, {"provenance": "measured"}],
)
def test_other_settings_are_never_matched(pair, make_run, other):
    make_run(pair[0], [GOOD])
    make_run(pair[1], [GOOD], **other)
    assert compare_models(Filters(tasks=GEMM), pair).tasks == ()


def test_a_difference_is_against_the_first_model(pair, make_run):
    make_run(pair[0], [BAD] * 20)
    make_run(pair[1], [GOOD] * 20)
    mean, task = compare_models(Filters(tasks=GEMM), pair).lines(Metric.CORRECT)
    assert mean.task is None
    assert task.task == GEMM
    assert task.values[0].difference is None
    gap = task.values[1].difference
    assert gap is not None
    assert gap.mean == 1
    assert task.values[1].clear
    assert not task.values[0].clear


def test_an_interval_that_holds_zero_is_no_clear_difference(pair, make_run):
    for entry in pair:
        make_run(entry, [GOOD, BAD])
    value = compare_models(Filters(tasks=GEMM), pair).lines(Metric.FRONTIER)[0].values[1]
    gap = value.difference
    assert gap is not None
    assert gap.low < 0 < gap.high
    assert not value.clear


def test_what_one_solves_and_the_other_does_not(pair, make_run):
    make_run(pair[0], [PLAIN, BAD])
    make_run(pair[1], [GOOD, BAD])
    result = compare_models(Filters(tasks=GEMM), pair)
    splits = {split.metric: split for split in result.splits(result.models[1])}
    assert (splits[Metric.CORRECT].only_first, splits[Metric.CORRECT].only_other) == ((), ())
    assert splits[Metric.TARGET].only_other == (GEMM,)
    assert splits[Metric.FAST].only_other == (GEMM,)


def test_endings_are_those_of_the_shared_cells(pair, make_run):
    make_run(pair[0], [GOOD])
    make_run(pair[0], [BAD] * 5, task=FORWARD)
    make_run(pair[1], [BAD + GOOD])
    # It does not reach k turns, so it is no part of the pooled cell.
    make_run(pair[1], [PLAIN], turn_limit=4)
    first, other = compare_models(Filters(), pair).models
    assert first.endings.counts == {Outcome.SLOWER: 1}
    assert other.endings.counts == {Outcome.COMPILE_ERROR: 1, Outcome.SLOWER: 1}
    assert other.trajectories == 1


def test_models_named_are_compared_whatever_the_filters_on_entries(pair, make_run):
    for entry in pair:
        make_run(entry, [GOOD])
    filters = Filters(tasks=GEMM, kind="method", open=True)
    assert compare_models(filters, pair).tasks == (GEMM,)


def test_the_published_comparison(bundled, django_assert_max_num_queries):
    slugs = ("claude-opus-4-8", "gemini-3-1-pro")
    entries = [ModelEntry.objects.get(slug=slug) for slug in slugs]
    with django_assert_max_num_queries(2):
        result = compare_models(Filters(), entries)
    mean = result.lines(Metric.FRONTIER)[0]
    assert len(result.tasks) == 5
    means = [value.estimate.mean for value in mean.values if value.estimate]
    assert means == pytest.approx([0.554, 0.461], abs=5e-4)
    assert mean.values[1].clear
