"""Registration of the accounts with Django."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """An app of its own, because the site's other tables refer to its users."""

    name = "leaderboard.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Accounts"
