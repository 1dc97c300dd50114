"""The page of queues and runners."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Runner
from tests.leaderboard.judging import a_runner, an_evaluation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


def _text(client: Client) -> str:
    response = client.get("/hardware/")
    assert response.status_code == 200
    return response.content.decode()


def test_it_changes_without_the_data_version(client) -> None:
    assert "No runner has reported yet" in _text(client)
    an_evaluation(state="dynamic_waiting")
    a_runner("gpu.hopper", hardware="NVIDIA H200")
    text = _text(client)
    assert "NVIDIA H200" in text
    assert "at work" in text
    assert '<td class="n">1</td>' in text


def test_nobody_keeps_it_for_long(client) -> None:
    response = client.get("/hardware/")
    assert response["Cache-Control"] == "public, max-age=5"
    assert {"Accept-Language", "Cookie"} <= set(response["Vary"].split(", "))
    assert "ETag" not in response


def test_a_silent_runner_is_gone_and_later_forgotten(client) -> None:
    runner = a_runner("static", lacks="No compiler.")
    seen = Runner.objects.filter(pk=runner.pk)
    seen.update(last_seen=timezone.now() - timedelta(hours=1))
    text = _text(client)
    assert "gone" in text
    assert "No compiler." in text
    seen.update(last_seen=timezone.now() - timedelta(days=31))
    assert "No compiler." not in _text(client)


def test_what_a_runner_says_of_itself_is_text(client) -> None:
    a_runner("<script>q", hardware="<b>\u202eH200", toolchain="<script>t", lacks="<script>l")
    text = _text(client)
    assert "<script>q" not in text
    assert "<script>t" not in text
    assert "<script>l" not in text
    assert "&lt;b&gt;⟦U+202E⟧H200" in text


def test_it_can_only_be_read(client) -> None:
    assert Client(enforce_csrf_checks=True).post("/hardware/").status_code == 405
