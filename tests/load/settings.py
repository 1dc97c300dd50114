"""The site's settings with one more address: a view that does nothing, to compare with."""

from leaderboard.config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.load.urls"
