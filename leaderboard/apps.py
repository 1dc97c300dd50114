"""Registration of the site with Django."""

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """The one Django app of the project."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "PTXBench Leaderboard"
