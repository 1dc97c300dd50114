"""How many requests a second the leaderboard answers, against an empty Django view.

    python -m tests.load.page_ratio

Builds a large site in a folder of its own, serves it with gunicorn (one worker, so
that the other core is free to ask), and measures in turns with `wrk`: the empty
view, the cached page, and the page asked for with its ETag. Prints ratios.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from urllib.request import Request, urlopen

from tests.serving import served

ROUNDS = 3
SECONDS = 4


def main() -> None:
    """Build, serve, measure and print."""
    if not shutil.which("wrk"):
        sys.exit("wrk is missing. On Debian: apt-get install wrk")
    with tempfile.TemporaryDirectory() as state, ExitStack() as stack:
        os.environ |= {"STATE_DIR": state, "DJANGO_SETTINGS_MODULE": "tests.load.settings"}
        _build()
        environment = os.environ | {"WEB_WORKERS": "1"}
        site = stack.enter_context(served("leaderboard.config.wsgi", environment))
        bare = stack.enter_context(served("tests.load.bare", environment))
        _report(site, bare)


def _build() -> None:
    import django  # noqa: PLC0415 (its settings come from the environment)

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from leaderboard.start import collect_static  # noqa: PLC0415
    from tests.load import large_site  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    collect_static()
    print(f"runs                        {large_site.build()}")
    with CaptureQueriesContext(connection) as queries:
        started = time.perf_counter()
        page = Client().get("/")
        seconds = time.perf_counter() - started
    print(f"queries, uncached           {len(queries)} (goal: at most 6)")
    print(f"seconds, uncached           {seconds:.2f}")
    print(f"bytes of HTML               {len(page.content)} (goal: under 200,000)")
    print(f"mentions of Plotly          {page.content.count(b'plotly.min')}")


def _report(site: str, bare: str) -> None:
    ask = Request(f"{site}/", headers={"Accept-Encoding": "br, gzip"})
    with urlopen(ask) as page:
        etag = page.headers["ETag"]
        print(f"bytes sent, compressed      {page.headers['Content-Length']}")
    cases = {
        "empty view, bare Django": [f"{bare}/empty/"],
        "empty view, same site": [f"{site}/empty/"],
        "leaderboard, cached": ["-H", "Accept-Encoding: br, gzip", f"{site}/"],
        "leaderboard, conditional": ["-H", f"If-None-Match: {etag}", f"{site}/"],
    }
    rates: dict[str, list[float]] = {name: [] for name in cases}
    for _round in range(ROUNDS):
        for name, arguments in cases.items():
            rates[name].append(_requests_a_second(arguments))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for name, rate in medians.items():
        against = [f"{rate / medians[base]:.0%} of {base}" for base in list(cases)[:2]]
        print(f"{name:<27} {rate:7.0f} requests/s   {', '.join(against)}")
    print("goal: cached at least 80%, conditional at least 85% of an empty view")


def _requests_a_second(arguments: list[str]) -> float:
    command = ["wrk", "-t1", "-c4", f"-d{SECONDS}s", *arguments]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output:
        sys.exit(f"unexpected answers:\n{output}")
    found = re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert found, output
    return float(found[1])


if __name__ == "__main__":
    main()
