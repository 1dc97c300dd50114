"""The page of one kernel, and its source as a file."""

import pytest
from django.test import Client

from evaluation.messages import (
    FunctionEvidence,
    Notice,
    Stages,
    Step,
    StrategyStage,
    SyntaxStage,
    TargetStage,
    encode,
)
from evaluation.outcomes import Outcome
from leaderboard.models import DataVersion, Evaluation, Run, Verdict
from leaderboard.page_cache import STORE
from tests.leaderboard.judging import (
    a_run,
    a_runner,
    a_submission,
    a_user,
    an_evaluation,
    lease_out,
    verdict_on,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

LOG = "kernel.cu(3): error: <script>alert('log')</script> \u202edlo"


def _text(response, status: int = 200) -> str:
    assert response.status_code == status
    return response.content.decode()


def _address(evaluation: Evaluation) -> str:
    return f"/kernels/{evaluation.kernel.sha256}/"


def _evidence(**changes) -> dict:
    function = FunctionEvidence(
        name="_Z1fv",
        title="<script>f",
        sha256="0" * 64,
        instructions=568,
        families={"wgmma": 4, "tma": 0},
        registers=58,
        spill_bytes=16,
        rows=("0x10 HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24", "<script>row"),
    )
    values = {
        "advice": ("Use <b>wgmma</b>.",),
        "notices": (Notice(rule="x", line=2, message="<script>notice"),),
        "toolchain": "<script>nvcc",
        "stages": Stages(
            syntax=SyntaxStage(
                status="unknown",
                steps=(
                    Step(name="compile", status="pass", seconds=1.92, log=LOG),
                    Step(name="<script>step", status="not_reached"),
                ),
            ),
            target=TargetStage(
                status="unknown", in_binary={"wgmma": 4, "tma": 0}, functions=(function,)
            ),
            strategy=StrategyStage(status="not_reached"),
        ),
    }
    return {**values, **changes}


def _found(evaluation: Evaluation, outcome: Outcome | None = None, **changes) -> None:
    """Store a static verdict; the evaluation then waits for a GPU."""
    verdict = verdict_on(lease_out(evaluation), outcome, **_evidence(**changes))
    Verdict.objects.create(
        evaluation=evaluation,
        step="static",
        attempt=1,
        outcome=outcome or "",
        message=encode(verdict).decode(),
    )
    evaluation.state = "dynamic_waiting"
    evaluation.save()


@pytest.fixture
def public() -> Evaluation:
    """A kernel that everybody may see, before anything was found."""
    evaluation = an_evaluation("// first\n// <script>alert(1)</script>\n// \u202eodd\n")
    a_submission([evaluation], kind="kernel", public=True)
    return evaluation


def test_it_shows_the_evidence_of_each_stage(client, public) -> None:
    _found(public)
    text = _text(client.get(_address(public)))
    assert "HGMMA.64x64x16.F32.BF16" in text
    assert "1.9 s" in text
    for figure in ("568", "58", "16 B"):
        assert f'<td class="n">{figure}</td>' in text
    assert "4 in the binary" in text
    assert "none in the binary" in text
    assert 'href="#L2"' in text
    assert 'id="L2"' in text


def test_it_says_what_to_fix_first(client, public) -> None:
    _found(public, Outcome.TARGET_ABSENT)
    text = _text(client.get(_address(public)))
    assert "What to fix first" in text
    assert text.index("Use &lt;b&gt;wgmma&lt;/b&gt;.") < text.index("HGMMA")
    assert "target absent" in text


def test_waiting_for_a_gpu_is_told_with_the_queue(client, public) -> None:
    for _ in range(2):
        an_evaluation(state="dynamic_waiting")
    Evaluation.objects.filter(pk=public.pk).delete()
    last = an_evaluation()
    a_submission([last], public=True)
    _found(last)
    text = _text(client.get(_address(last)))
    assert "Waiting for a Hopper runner" in text
    assert "2 kernels are ahead." in text
    assert "No such runner has reported yet" in text
    a_runner("gpu.hopper")
    assert "1 runner is at work" in _text(client.get(_address(last)))


def test_a_page_that_will_change_is_made_anew_and_one_that_will_not_is_kept(client, public) -> None:
    assert client.get(_address(public))["Cache-Control"] == "no-cache"
    public.state, public.outcome, public.reason = "decided", "compile_error", "line 3"
    public.save()
    DataVersion.bump()
    STORE.clear()
    response = client.get(_address(public))
    assert "ETag" in response
    assert "line 3" in _text(response)


def test_strangers_texts_are_text(client, public) -> None:
    _found(public)
    text = _text(client.get(_address(public)))
    assert "<script>" not in text.replace("<script src=", "")
    assert "\u202e" not in text
    assert "⟦U+202E⟧dlo" in text
    assert "<b>wgmma" not in text


@pytest.mark.parametrize("state", list(Evaluation.State))
def test_every_state_has_a_page(client, public, state) -> None:
    Evaluation.objects.filter(pk=public.pk).update(state=state)
    assert _text(client.get(_address(public))).count('class="judged"') == 1
    _found(public)
    Evaluation.objects.filter(pk=public.pk).update(state=state, outcome="infra_error")
    STORE.clear()
    assert _text(client.get(_address(public))).count('class="stages"') == 1


def test_a_verdict_that_cannot_be_read_any_more_is_no_fault(client, public) -> None:
    _found(public)
    Verdict.objects.update(message='{"schema": "ptxbench.verdict/0"}')
    assert "cannot be read any more" in _text(client.get(_address(public)))


def test_a_private_kernel_is_its_owners_alone() -> None:
    evaluation = an_evaluation()
    a_submission([evaluation])
    owner, other = Client(), Client()
    owner.force_login(a_user("ada"))
    other.force_login(a_user("eve"))
    response = owner.get(_address(evaluation))
    assert "Only you can see it" in _text(response)
    assert response["Cache-Control"] == "private, no-store"
    for path in (_address(evaluation), f"{_address(evaluation)}source/"):
        _text(other.get(path), 404)
        _text(Client().get(path), 404)


def test_a_public_page_does_not_tell_of_private_runs(client, public) -> None:
    run = a_run([public], submission=a_submission([public], owner=a_user("eve")))
    assert run.slug not in _text(client.get(_address(public)))
    Run.everything.update(public=True)
    DataVersion.bump()
    STORE.clear()
    run.trajectories.get().turns.update(kernel=public.kernel)
    text = _text(client.get(_address(public)))
    assert f'href="/runs/{run.slug}/exp_000/0/"' in text


def test_the_source_is_a_file_that_no_browser_runs(client, public) -> None:
    response = client.get(f"{_address(public)}source/")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response.content.decode() == public.kernel.source


@pytest.mark.parametrize("sha", ["0" * 64, "x", "A" * 64, "%00", "%ED%A0%80", "0" * 5000, "ñ"])
def test_unknown_kernels_are_404(client, public, sha) -> None:
    _text(client.get(f"/kernels/{sha}/"), 404)
    _text(client.get(f"/kernels/{sha}/source/"), 404)


@pytest.mark.parametrize("source", ["\n" * 500_000, "x" * 500_000, "\u202e" * 100_000 + "\n", "a"])
def test_a_huge_source_makes_no_huge_page(client, source) -> None:
    evaluation = an_evaluation(source)
    a_submission([evaluation], public=True)
    response = client.get(_address(evaluation))
    assert len(response.content) < 1_000_000
    _text(response)


def test_the_number_of_queries_does_not_grow(client, public, django_assert_max_num_queries) -> None:
    a_run([public] * 1, public=True)
    _found(public)
    with django_assert_max_num_queries(40):
        client.get(_address(public))
