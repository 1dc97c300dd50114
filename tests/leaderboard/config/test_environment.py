"""What the site takes from its environment, and what it refuses."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a fresh process with nothing but this environment."""
    code = "from django.conf import settings; print(settings.SECRET_KEY)"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
            **environment,
        },
    )


def last_line(result: subprocess.CompletedProcess[str]) -> str:
    return result.stderr.strip().splitlines()[-1]


def test_a_fresh_machine_gets_a_secret_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    first = start(STATE_DIR=str(tmp_path))
    second = start(STATE_DIR=str(tmp_path))
    assert first.returncode == 0, first.stderr
    assert len(first.stdout.strip()) >= 50
    assert first.stdout == second.stdout
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"PRODUCTION": "maybe"}, "PRODUCTION must be true or false, not 'maybe'"),
        ({"DEBUG": "2"}, "DEBUG must be true or false"),
        ({"DEBUG": ""}, "DEBUG must be true or false"),
        ({"PRODUCTION": "true"}, "SECRET_KEY is not set"),
        ({"PRODUCTION": "true", "SECRET_KEY": "s" * 50}, "ALLOWED_HOSTS is not set"),
        (
            {
                "PRODUCTION": "true",
                "DEBUG": "true",
                "SECRET_KEY": "s" * 50,
                "ALLOWED_HOSTS": "example.org",
            },
            "DEBUG shows source and settings",
        ),
    ],
)
def test_settings_that_cannot_be_meant_stop_the_start(
    tmp_path: Path, environment: dict[str, str], message: str
) -> None:
    result = start(STATE_DIR=str(tmp_path), **environment)
    assert result.returncode != 0
    assert message in last_line(result)
    assert not (tmp_path / "secret_key").exists()


def test_the_deployment_check_is_clean(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "STATE_DIR": str(tmp_path),
            "PRODUCTION": "true",
            "ALLOWED_HOSTS": "example.org",
            "SECRET_KEY": "".join(chr(33 + i % 90) for i in range(60)),
        },
    )
    assert result.returncode == 0, result.stderr
