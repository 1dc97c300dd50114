"""Submissions, evaluations and runners' messages for the tests of what judges them."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from django.apps import apps
from django.db.models.functions import Now

from evaluation import PROTOCOL
from evaluation.architectures import JUDGED_HARDWARE
from evaluation.messages import (
    JudgeRequest,
    LeaseRenewal,
    Stages,
    StrategyStage,
    SyntaxStage,
    TargetStage,
    Verdict,
)
from evaluation.outcomes import Outcome
from leaderboard.accounts.models import User
from leaderboard.models import (
    Evaluation,
    Kernel,
    ModelEntry,
    Result,
    Run,
    Runner,
    Submission,
    SubmittedKernel,
    Trajectory,
    Turn,
    Workload,
)

TASK = "gemm_n7168_k5120"
UNDEFINED_TASK = "gqa_paged_decode_h24_kv8_d128_ps1"

_numbers = count()


def a_user(name: str = "ada") -> User:
    """Return the user of this name."""
    return User.objects.get_or_create(username=name, defaults={"email": f"{name}@example.org"})[0]


def an_evaluation(source: str = "", task: str = TASK, **fields: Any) -> Evaluation:
    """Store a waiting evaluation of a kernel of its own."""
    source = source or f"// kernel {next(_numbers)}\n"
    kernel, _created = Kernel.objects.get_or_create(
        sha256=sha256(source.encode()).hexdigest(), defaults={"language": "cuda", "source": source}
    )
    architecture = fields.setdefault("architecture", "hopper")
    return Evaluation.objects.create(
        kernel=kernel,
        workload=Workload.objects.get(task__slug=task, published=True),
        **{"hardware": JUDGED_HARDWARE[architecture], "protocol": PROTOCOL, **fields},
    )


def a_submission(evaluations: Iterable[Evaluation] = (), **fields: Any) -> Submission:
    """Store a submission that wants these evaluations, being judged."""
    number = next(_numbers)
    values = {
        "owner": a_user(),
        "state": Submission.State.JUDGING,
        "filename": "runs.zip",
        "size": 1,
        "sha256": "0" * 64,
        "storage_key": f"key-{number}",
        "fingerprint": f"{number:064}",
    }
    submission = Submission.objects.create(**{**values, **fields})
    for evaluation in evaluations:
        link(submission, evaluation)
    return submission


def link(submission: Submission, evaluation: Evaluation) -> None:
    """Let a submission want an evaluation."""
    SubmittedKernel.objects.create(
        submission=submission, evaluation=evaluation, place="turns.jsonl:1"
    )


def a_run(evaluations: Sequence[Evaluation], public: bool = False, **fields: Any) -> Run:
    """Store a run with one trajectory, a waiting turn for each evaluation."""
    number = next(_numbers)
    name = f"model {number}"
    entry = ModelEntry.everything.create(
        slug=f"model-{number}", name=name, kind="llm", public=public
    )
    run = Run.everything.create(
        slug=f"run-{number}",
        source_key=f"/uploads/{number}",
        entry=entry,
        workload=Workload.objects.get(task__slug=TASK, published=True),
        architecture="hopper",
        prompt_set="standard",
        origin="uploaded",
        turn_limit=4,
        public=public,
        **fields,
    )
    trajectory = Trajectory.objects.create(run=run, key="exp_000")
    for turn, evaluation in enumerate(evaluations):
        a_result(Turn.objects.create(trajectory=trajectory, number=turn), evaluation)
    return run


def a_result(turn: Turn, evaluation: Evaluation) -> Result:
    """Store what a turn's measured result says while its kernel waits."""
    return Result.everything.create(
        turn=turn,
        provenance="measured",
        hardware=evaluation.hardware,
        protocol=evaluation.protocol,
        outcome=Outcome.WAITING,
        target_passed=False,
        evaluation=evaluation,
    )


def a_runner(queue: str = "static", **fields: Any) -> Runner:
    """Store a runner that reported just now."""
    return Runner.objects.create(name=f"runner-{next(_numbers)}", queue=queue, **fields)


def lease_out(evaluation: Evaluation, **fields: Any) -> JudgeRequest:
    """Lease an evaluation as an offer does, started, and return the request that went out."""
    evaluation.refresh_from_db()
    static = evaluation.state.startswith("static")
    leased = Evaluation.State.STATIC_LEASED if static else Evaluation.State.DYNAMIC_LEASED
    lease = f"lease-{next(_numbers)}"
    columns = {"state": leased, "lease": lease, "owner": "runner", "started": True, **fields}
    columns.setdefault("lease_expires_at", Now() + timedelta(seconds=60))
    Evaluation.objects.filter(pk=evaluation.pk).update(**columns)
    evaluation.refresh_from_db()
    return JudgeRequest(
        evaluation=evaluation.pk,
        attempt=evaluation.attempt,
        lease=lease,
        step="static" if static else "dynamic",
        protocol=evaluation.protocol,
        architecture=evaluation.architecture,
        hardware=evaluation.hardware,
        task=evaluation.workload.task.slug,
        definition_sha256="0" * 64,
        workload=str(evaluation.workload_id),
        language="cuda",
        source=evaluation.kernel.source,
        source_sha256=evaluation.kernel.sha256,
    )


def expire(evaluation: Evaluation) -> None:
    """Let a lease have ended a second ago, by the database's clock."""
    Evaluation.objects.filter(pk=evaluation.pk).update(
        lease_expires_at=Now() - timedelta(seconds=1)
    )


def verdict_on(
    request: JudgeRequest, outcome: Outcome | None = None, strategy: Any = None, **changes: Any
) -> Verdict:
    """Return the verdict that answers a request, with this outcome."""
    values = {
        "evaluation": request.evaluation,
        "attempt": request.attempt,
        "lease": request.lease,
        "step": request.step,
        "protocol": request.protocol,
        "architecture": request.architecture,
        "task": request.task,
        "source_sha256": request.source_sha256,
        "outcome": outcome,
        "reason": f"it is {outcome}" if outcome else "",
        "runner": "runner",
        "stages": Stages(
            syntax=SyntaxStage(status="unknown", steps=()),
            target=TargetStage(status="unknown"),
            strategy=strategy or StrategyStage(status="not_reached"),
        ),
    }
    return Verdict(**{**values, **changes})


def renewal_of(request: JudgeRequest, **changes: Any) -> LeaseRenewal:
    """Return a renewal of a request's lease."""
    values = {
        "evaluation": request.evaluation,
        "attempt": request.attempt,
        "lease": request.lease,
        "runner": "runner-1",
    }
    return LeaseRenewal(**{**values, **changes})


def dump() -> dict[str, list[tuple]]:
    """Return every row of the site's tables."""
    return {
        model.__name__: sorted(model._base_manager.order_by().values_list(), key=repr)
        for model in apps.get_app_config("leaderboard").get_models(include_auto_created=True)
    }
