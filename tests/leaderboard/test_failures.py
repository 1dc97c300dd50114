"""How turns end: sums, the stage where most die, and what is never pooled."""

import pytest

from evaluation.outcomes import Outcome, Stage
from leaderboard.failures import Endings, Part, across_architectures, added, by_model, by_task
from leaderboard.failures import run_endings as endings_of
from leaderboard.filters import Filters
from leaderboard.models import Result

GEMM, FORWARD = "gemm_n7168_k5120", "mha_with_lse_d128"
COMPILE, TIMEOUT = (Outcome.COMPILE_ERROR, None), (Outcome.TIMEOUT, None)
SLOWER, FASTER = (Outcome.SLOWER, 0.4), (Outcome.FASTER, 1.2)


def test_an_empty_choice_has_no_main_stage():
    assert Endings().total == 0
    assert Endings().main is None
    assert Endings().letters == ()


def main_of(counts: dict[Outcome, int]) -> Part:
    main = Endings(counts).main
    assert main is not None
    return main


def test_the_main_stage_sums_its_reasons_and_is_named_by_the_largest():
    main = main_of({Outcome.COMPILE_ERROR: 3, Outcome.TIMEOUT: 4, Outcome.SLOWER: 5})
    assert (main.outcome, main.count, main.total) == (Outcome.TIMEOUT, 7, 12)
    assert main.stage is Stage.SYNTAX
    assert main.share == pytest.approx(7 / 12)


def test_turns_that_passed_did_not_die():
    assert main_of({Outcome.FASTER: 9, Outcome.SLOWER: 1}).outcome is Outcome.SLOWER
    assert main_of({Outcome.FASTER: 9}).outcome is Outcome.FASTER


def test_of_two_equal_stages_the_earlier_one_is_named():
    assert main_of({Outcome.SLOWER: 2, Outcome.TARGET_ABSENT: 2}).stage is Stage.TARGET


def test_a_reward_hack_is_no_undecided_turn():
    endings = Endings({Outcome.REWARD_HACK: 2, Outcome.WAITING: 3})
    assert [(p.outcome, p.count) for p in endings.letters] == [
        (Outcome.REWARD_HACK, 2),
        (Outcome.WAITING, 3),
    ]


def test_sums_add_every_reason():
    both = added([Endings({Outcome.SLOWER: 1}), Endings({Outcome.SLOWER: 2, Outcome.FASTER: 1})])
    assert both.counts == {Outcome.SLOWER: 3, Outcome.FASTER: 1}


def test_only_the_first_k_turns_count(make_entry, make_run):
    make_run(make_entry(), [[COMPILE, TIMEOUT, SLOWER], [COMPILE]])
    assert endings_of(Filters(k=1))[0].endings.counts == {Outcome.COMPILE_ERROR: 2}
    assert endings_of(Filters(k=8))[0].endings.total == 4


def test_other_prompts_architectures_and_provenances_are_not_pooled(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [[COMPILE]])
    make_run(entry, [[TIMEOUT]], prompt_set="unpatched")
    make_run(entry, [[SLOWER]], architecture="blackwell")
    make_run(entry, [[FASTER]], provenance="measured")
    found = {run.architecture: run.endings.counts for run in endings_of(Filters())}
    assert found == {"hopper": {Outcome.COMPILE_ERROR: 1}, "blackwell": {Outcome.SLOWER: 1}}


def test_origins_make_rows_of_their_own(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [[COMPILE]])
    make_run(entry, [[SLOWER]], origin="uploaded")
    rows = by_model(endings_of(Filters()), [GEMM])
    assert [(row.origin, row.endings.total) for row in rows] == [("published", 1), ("uploaded", 1)]


def test_filters_on_entries_choose_models(make_entry, make_run):
    make_run(make_entry("Open", open_weights=True), [[COMPILE]])
    make_run(make_entry("Closed", open_weights=False, kind="method"), [[SLOWER]])
    assert [run.model for run in endings_of(Filters(open=False))] == ["closed"]
    assert [run.model for run in endings_of(Filters(kind="llm"))] == ["open"]
    assert [run.model for run in endings_of(Filters(), "open")] == ["open"]


def test_tasks_without_turns_have_no_entry_and_an_empty_cell(make_entry, make_run):
    make_run(make_entry(), [[COMPILE]])
    runs = endings_of(Filters())
    assert list(by_task(runs, (GEMM, FORWARD))) == [GEMM]
    row = by_model(runs, (GEMM, FORWARD))[0]
    assert row.cells[1].endings.main is None
    assert row.cells[1].runs == ()


def test_architectures_are_set_beside_each_other_for_the_same_models_only(make_entry, make_run):
    both, one = make_entry("Both"), make_entry("One")
    make_run(both, [[COMPILE]])
    make_run(both, [[SLOWER]], architecture="blackwell")
    make_run(one, [[TIMEOUT]])
    found = across_architectures(endings_of(Filters()), [GEMM, FORWARD])
    assert {arch: e.counts for arch, e in found[GEMM].items()} == {
        "hopper": {Outcome.COMPILE_ERROR: 1},
        "blackwell": {Outcome.SLOWER: 1},
    }
    assert FORWARD not in found


def test_the_figures_need_one_query_and_no_turns(make_entry, make_run, django_assert_num_queries):
    make_run(make_entry(), [[COMPILE]])
    Result.objects.all().delete()
    with django_assert_num_queries(1):
        assert endings_of(Filters())[0].endings.total == 1


def test_the_bundled_figures_count_every_published_turn(bundled):
    runs = [run for run in endings_of(Filters()) if run.architecture == "hopper"]
    gemm = by_task(runs, [GEMM])[GEMM]
    assert gemm.total == 1568
    assert gemm.counts[Outcome.SLOWER] == 290
