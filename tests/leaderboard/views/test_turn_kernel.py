"""The kernel on the page of a turn."""

import pytest

from evaluation.messages import encode
from leaderboard.models import Turn, Verdict
from tests.leaderboard.judging import a_run, an_evaluation, lease_out, verdict_on

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


@pytest.fixture
def evaluation():
    return an_evaluation()


@pytest.fixture
def page(client, evaluation):
    run = a_run([evaluation], public=True)
    Turn.objects.update(kernel=evaluation.kernel)

    def fetch() -> str:
        return client.get(f"/runs/{run.slug}/exp_000/0/").content.decode()

    return fetch


def test_a_stored_kernel_is_one_click_away(page, evaluation) -> None:
    text = page()
    assert f'href="/kernels/{evaluation.kernel.sha256}/"' in text
    assert "Waiting for the static check" in text


def test_what_was_found_is_summed_up(page, evaluation) -> None:
    verdict = verdict_on(lease_out(evaluation), advice=("Use <b>wgmma</b>.",))
    message = encode(verdict).decode()
    Verdict.objects.create(evaluation=evaluation, step="static", attempt=1, message=message)
    assert "Use &lt;b&gt;wgmma&lt;/b&gt;." in page()


def test_without_a_kernel_the_page_says_so(page) -> None:
    Turn.objects.update(kernel=None)
    assert "No kernel source is stored" in page()
