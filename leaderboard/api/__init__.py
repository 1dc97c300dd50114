"""The read-only REST API: the site's figures as JSON and CSV, for programs."""
