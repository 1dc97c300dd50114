"""The list of published single kernels."""

import pytest

from tests.leaderboard.judging import a_submission, a_user, an_evaluation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


def _text(client, query: str = "") -> str:
    response = client.get(f"/kernels/{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_published_single_kernels_are_listed_and_nothing_else(client) -> None:
    shown, private, withdrawn, of_a_run = (an_evaluation() for _ in range(4))
    a_submission([shown], kind="kernel", public=True, owner=a_user("grace"))
    a_submission([private], kind="kernel")
    a_submission([withdrawn], kind="kernel", public=True, state="withdrawn")
    a_submission([of_a_run], kind="turns", public=True)
    text = _text(client)
    assert f"/kernels/{shown.kernel.sha256}/" in text
    assert "grace" in text
    for other in (private, withdrawn, of_a_run):
        assert other.kernel.sha256 not in text


def test_a_verdict_shows_at_once(client) -> None:
    evaluation = an_evaluation()
    a_submission([evaluation], kind="kernel", public=True)
    assert "waiting for the static check" in _text(client)
    evaluation.state, evaluation.outcome, evaluation.reason = "decided", "compile_error", "<b>no"
    evaluation.save()
    text = _text(client)
    assert "compile error" in text
    assert "&lt;b&gt;no" in text


def test_the_owners_own_private_kernel_is_not_in_the_public_list(client) -> None:
    client.force_login(a_user())
    a_submission([an_evaluation()], kind="kernel")
    assert "None is published yet" in _text(client)


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?page=%00", f"?page={'9' * 400}"])
def test_odd_pages_are_the_nearest_one(client, query) -> None:
    assert "None is published yet" in _text(client, query)


def test_the_number_of_queries_does_not_grow(client, django_assert_max_num_queries) -> None:
    for _ in range(20):
        a_submission([an_evaluation()], kind="kernel", public=True)
    with django_assert_max_num_queries(8):
        _text(client)
