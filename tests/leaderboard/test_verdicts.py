"""A verdict is recorded once, where its lease holds, with all that follows from it or nothing."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.messages import StrategyStage, decode_verdict, encode
from evaluation.outcomes import Outcome
from leaderboard import endings
from leaderboard.dispatch import reap, renew
from leaderboard.models import (
    DataVersion,
    Evaluation,
    OutcomeCount,
    Result,
    RunSummary,
    Submission,
    Verdict,
)
from leaderboard.verdicts import record, result_columns
from tests.leaderboard.judging import (
    a_run,
    a_submission,
    an_evaluation,
    dump,
    expire,
    lease_out,
    renewal_of,
    verdict_on,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

State = Evaluation.State
FASTER = StrategyStage(status="pass", speedup=1.5, interval=(1.25, 1.75), samples=(1.5,))


def kinds(submission: Submission) -> list[str]:
    return list(submission.events.values_list("kind", flat=True))


def outcomes(run) -> dict[str, int]:
    return dict(OutcomeCount.everything.filter(run=run).values_list("outcome", "count"))


@pytest.mark.parametrize("found", [None, Outcome.TARGET_ABSENT])
def test_what_passes_the_static_step_waits_for_a_gpu(found: Outcome | None) -> None:
    evaluation = an_evaluation(attempt=2)
    submission, run = a_submission([evaluation]), a_run([evaluation])
    request = lease_out(evaluation)
    assert record(verdict_on(request, found))
    evaluation.refresh_from_db()
    submission.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (State.DYNAMIC_WAITING, 1)
    assert (evaluation.lease, evaluation.started, evaluation.outcome) == ("", False, "")
    assert Result.everything.get(turn__trajectory__run=run).outcome == "waiting"
    assert submission.state == Submission.State.JUDGING
    assert kinds(submission) == ["checked"]
    stored = evaluation.verdicts.get()
    assert (stored.step, stored.attempt, stored.outcome) == ("static", 2, found or "")
    assert decode_verdict(stored.message.encode()).source_sha256 == evaluation.kernel.sha256
    assert not renew(renewal_of(request))


def test_a_failure_decides_with_results_figures_and_events() -> None:
    evaluation = an_evaluation()
    submission, run = a_submission([evaluation]), a_run([evaluation, evaluation])
    other = a_run([an_evaluation()])
    assert record(verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR))
    evaluation.refresh_from_db()
    submission.refresh_from_db()
    assert (evaluation.state, evaluation.outcome) == (State.DECIDED, "compile_error")
    assert evaluation.reason == "it is compile_error"
    assert (evaluation.lease, evaluation.owner, evaluation.lease_expires_at) == ("", "", None)
    assert evaluation.ended_at is not None
    results = Result.everything.filter(turn__trajectory__run=run)
    assert set(results.values_list("outcome", "reason", "target_passed", "speedup")) == {
        ("compile_error", "it is compile_error", False, None)
    }
    assert outcomes(run) == {"compile_error": 1}  # once for each of its two turns
    assert OutcomeCount.everything.filter(run=run).count() == 2
    assert RunSummary.everything.get(run=run, k=4).undecided == 0
    assert not OutcomeCount.everything.filter(run=other).exists()
    assert (submission.state, submission.revision) == (Submission.State.COMPLETE, 2)
    assert kinds(submission) == ["checked", "complete"]
    facts = submission.events.get(kind="checked").facts
    assert facts == {
        "evaluation": evaluation.pk,
        "kernel": evaluation.kernel.sha256,
        "outcome": "compile_error",
    }


def test_a_measured_speedup_counts_with_the_lower_end_of_its_interval() -> None:
    evaluation = an_evaluation(state=State.DYNAMIC_WAITING)
    submission, run = a_submission([evaluation]), a_run([evaluation])
    assert record(verdict_on(lease_out(evaluation), Outcome.FASTER, FASTER))
    result = Result.everything.get(turn__trajectory__run=run)
    assert (result.outcome, result.target_passed, result.speedup) == ("faster", True, 1.25)
    summary = RunSummary.everything.get(run=run, k=1)
    assert (summary.fast_100, summary.best_speedup) == (1, 1.25)
    assert kinds(submission) == ["judged", "complete"]


def test_columns_of_a_result() -> None:
    waiting = {"outcome": "waiting", "reason": "", "target_passed": False, "speedup": None}
    assert result_columns(an_evaluation()) == waiting
    assert result_columns(an_evaluation(reason="an earlier attempt's")) == waiting
    decided = an_evaluation(state=State.DECIDED, outcome="slower", reason="r" * 300)
    assert result_columns(decided) == {
        "outcome": "slower",
        "reason": "r" * 200,
        "target_passed": True,
        "speedup": None,
    }


def test_without_an_interval_the_speedup_itself_counts() -> None:
    evaluation = an_evaluation(state=State.DYNAMIC_WAITING)
    stage = StrategyStage(status="fail", speedup=0.5)
    assert record(verdict_on(lease_out(evaluation), Outcome.SLOWER, stage))
    evaluation.refresh_from_db()
    assert result_columns(evaluation)["speedup"] == 0.5


def test_a_failing_kernel_has_no_speedup_whatever_was_measured() -> None:
    evaluation = an_evaluation(state=State.DYNAMIC_WAITING)
    run = a_run([evaluation])
    assert record(verdict_on(lease_out(evaluation), Outcome.REWARD_HACK, FASTER))
    assert Result.everything.get(turn__trajectory__run=run).speedup is None


@pytest.mark.parametrize(
    "changes",
    [
        {"lease": "another"},
        {"lease": None},
        {"attempt": 2},
        {"attempt": None},
        {"evaluation": 10**18},
        {"evaluation": None},
        {"step": "dynamic"},
        {"protocol": "0"},
        {"architecture": "blackwell"},
        {"task": "gemm_n4096_k4096"},
        {"source_sha256": "0" * 64},
        {"outcome": Outcome.FASTER},
        {"outcome": Outcome.SLOWER},
        {"outcome": Outcome.TARGET_PARTIAL},
        {"outcome": Outcome.WAITING},
    ],
    ids=repr,
)
def test_a_verdict_on_something_else_changes_nothing(changes: dict, caplog) -> None:
    evaluation = an_evaluation()
    a_submission([evaluation])
    a_run([evaluation], public=True)
    request = lease_out(evaluation)
    before = dump()
    assert not record(verdict_on(request, **{"outcome": Outcome.COMPILE_ERROR, **changes}))
    assert dump() == before
    assert "not recorded" in caplog.text
    assert record(verdict_on(request, Outcome.COMPILE_ERROR))


def test_a_dynamic_verdict_decides_or_is_none() -> None:
    request = lease_out(an_evaluation(state=State.DYNAMIC_WAITING))
    before = dump()
    assert not record(verdict_on(request, None))
    assert dump() == before


def test_another_rows_lease_is_no_good() -> None:
    mine, other = lease_out(an_evaluation()), lease_out(an_evaluation())
    before = dump()
    assert not record(verdict_on(mine, Outcome.COMPILE_ERROR, lease=other.lease))
    assert dump() == before


@pytest.mark.parametrize("outcome", [None, Outcome.COMPILE_ERROR, Outcome.INFRA_ERROR])
def test_a_second_delivery_changes_nothing(outcome: Outcome | None) -> None:
    evaluation = an_evaluation()
    a_submission([evaluation])
    a_run([evaluation], public=True)
    verdict = verdict_on(lease_out(evaluation), outcome)
    assert record(verdict)
    before = dump()
    assert not record(verdict)
    assert dump() == before


def test_a_late_verdict_changes_nothing_before_and_after_the_reaper() -> None:
    evaluation = an_evaluation()
    a_submission([evaluation])
    a_run([evaluation], public=True)
    late = verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR)
    expire(evaluation)
    before = dump()
    assert not record(late)
    assert dump() == before
    reap()
    before = dump()
    assert not record(late)
    assert dump() == before


@pytest.mark.parametrize("state", Evaluation.ENDED)
def test_a_verdict_on_what_has_ended_changes_nothing(state: str) -> None:
    evaluation = an_evaluation()
    a_submission([evaluation])
    request = lease_out(evaluation)
    Evaluation.objects.filter(pk=evaluation.pk).update(state=state)
    before = dump()
    assert not record(verdict_on(request, Outcome.COMPILE_ERROR))
    assert dump() == before


def test_an_infrastructure_error_is_tried_again_and_replaced() -> None:
    evaluation = an_evaluation()
    submission, run = a_submission([evaluation]), a_run([evaluation])
    assert record(verdict_on(lease_out(evaluation, started=False), Outcome.INFRA_ERROR))
    assert Result.everything.get(turn__trajectory__run=run).outcome == "waiting"
    reap()
    evaluation.refresh_from_db()
    assert (evaluation.attempt, kinds(submission)) == (2, ["retried"])
    assert record(verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR))
    stored = evaluation.verdicts.get()
    assert (stored.attempt, stored.outcome) == (2, "compile_error")


def test_the_last_infrastructure_errors_reason_is_kept() -> None:
    evaluation = an_evaluation(attempt=3)
    run = a_run([evaluation])
    assert record(verdict_on(lease_out(evaluation), Outcome.INFRA_ERROR, reason="no compiler"))
    reap()
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.reason) == (State.INFRA_ERROR, "no compiler")
    assert Result.everything.get(turn__trajectory__run=run).reason == "no compiler"


@pytest.mark.parametrize("outcome", [None, Outcome.COMPILE_ERROR])
def test_the_new_state_is_written_last_and_without_it_nothing(outcome, monkeypatch) -> None:
    evaluation = an_evaluation()
    a_submission([evaluation])
    a_run([evaluation], public=True)
    verdict = verdict_on(lease_out(evaluation), outcome)
    with monkeypatch.context() as patch:
        # The row's UPDATE then finds no row, as if somebody else had changed it.
        patch.setattr(endings.Evaluation.objects, "filter", lambda **_: Evaluation.objects.none())
        patch.setattr("leaderboard.verdicts._hold", lambda _verdict: evaluation)
        before = dump()
        with pytest.raises(endings.LostRow):
            record(verdict)
        assert dump() == before
    with CaptureQueriesContext(connection) as queries:
        assert record(verdict)
    writes = [q["sql"] for q in queries if q["sql"].startswith(("UPDATE", "INSERT", "DELETE"))]
    assert writes[-1].startswith('UPDATE "leaderboard_evaluation" SET "state"')
    assert len(writes) > 3


def test_a_submission_is_complete_with_its_last_evaluation() -> None:
    first, second = an_evaluation(), an_evaluation()
    submission = a_submission([first, second, an_evaluation(state=State.CANCELLED)])
    assert record(verdict_on(lease_out(second), Outcome.COMPILE_ERROR))
    submission.refresh_from_db()
    assert submission.state == Submission.State.JUDGING
    assert record(verdict_on(lease_out(first), Outcome.BANNED_LIBRARY))
    submission.refresh_from_db()
    assert submission.state == Submission.State.COMPLETE
    assert kinds(submission) == ["checked", "checked", "complete"]


def test_one_kernel_of_many_submissions_is_judged_once_for_all_who_still_want_it() -> None:
    evaluation = an_evaluation()
    wanting = [a_submission([evaluation]) for _ in range(2)]
    gone = [a_submission([evaluation], state=state) for state in ("cancelled", "withdrawn")]
    runs = [a_run([evaluation]) for _ in range(2)]
    assert record(verdict_on(lease_out(evaluation), Outcome.COMPILE_ERROR))
    assert [outcomes(run) for run in runs] == [{"compile_error": 1}] * 2
    assert [kinds(submission) for submission in wanting] == [["checked", "complete"]] * 2
    assert [kinds(submission) for submission in gone] == [[]] * 2
    states = Submission.objects.filter(pk__in=[one.pk for one in gone])
    assert set(states.values_list("state", flat=True)) == {"cancelled", "withdrawn"}


@pytest.mark.parametrize("outcome", [None, Outcome.COMPILE_ERROR])
@pytest.mark.parametrize(("public", "bumps"), [(True, 1), (False, 0)])
def test_only_what_everybody_sees_renews_pages(outcome, public: bool, bumps: int) -> None:
    evaluation = an_evaluation()
    a_run([evaluation], public=public)
    version = DataVersion.current()
    assert record(verdict_on(lease_out(evaluation), outcome))
    assert DataVersion.current() == version + bumps


def test_texts_of_a_verdict_may_hold_anything() -> None:
    evaluation = an_evaluation()
    submission, run = a_submission([evaluation]), a_run([evaluation])
    verdict = verdict_on(
        lease_out(evaluation),
        Outcome.COMPILE_ERROR,
        reason="a\0b" + "x" * 3000,
        runner="r\0" * 60,
        advice=("NUL \0, RTL \u202e and <script>",),
    )
    assert record(decode_verdict(encode(verdict)))
    evaluation.refresh_from_db()
    assert evaluation.reason == ("ab" + "x" * 398)
    assert Result.everything.get(turn__trajectory__run=run).reason == "ab" + "x" * 198
    stored = Verdict.objects.get()
    assert stored.runner == "r" * 60
    assert "\0" not in stored.message
    assert json.loads(stored.message)["advice"] == ["NUL \0, RTL \u202e and <script>"]
    assert decode_verdict(stored.message.encode()) == verdict
    assert kinds(submission) == ["checked", "complete"]
