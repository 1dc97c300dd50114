#!/usr/bin/env python
"""Django's command-line entry point."""

import os
import sys


def main() -> None:
    """Run the management command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415 (settings first)
    from django.core.management import execute_from_command_line  # noqa: PLC0415 (settings first)

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
