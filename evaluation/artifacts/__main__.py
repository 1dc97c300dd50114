"""Says what an upload holds and what is wrong with it, before it is uploaded.

    python -m evaluation.artifacts FILE [--model M] [--task T] [--arch A] [--json]

Prints what page and API would say; exits with 0 if the file was understood, with 2 if not.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.artifacts.bundle import Hints, Refused, read_bundle
from evaluation.artifacts.bundle_records import Report
from evaluation.artifacts.names import base_name

UNDERSTOOD, REFUSED = 0, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the file that the arguments name; return the exit code."""
    options = _options(arguments)
    hints = Hints(options.model, options.task, options.arch)
    try:
        report = read_bundle(options.file, options.name or options.file.name, hints).report()
        code = UNDERSTOOD
    except Refused as refused:
        report, code = refused.report(), REFUSED
    except OSError as error:
        missing = Refused.because(base_name(str(options.file)), f"cannot be read: {error.strerror}")
        report, code = missing.report(), REFUSED
    print(json.dumps(report) if options.json else "\n".join(_sentences(report)))
    return code


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.artifacts", description="Check an upload without uploading it."
    )
    parser.add_argument("file", type=Path, help="the file to read")
    parser.add_argument("--model", default="", help="the model entry, where the file names none")
    parser.add_argument("--task", default="", help="the task, where the file names none")
    parser.add_argument(
        "--arch", default="", help="hopper or blackwell, where the file says neither"
    )
    parser.add_argument("--name", default="", help="the file's name, if it is stored under another")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser.parse_args(arguments)


def _sentences(report: Report) -> list[str]:
    """The report for people."""
    lines = []
    if report["kind"]:
        counts = ", ".join(
            f"{report[name]} {name}" for name in ("runs", "trajectories", "turns", "kernels")
        )
        lines.append(f"Understood ({report['kind']}): {counts}.")
    else:
        lines.append("Refused.")
    for part in report["parts"]:
        what = f"{part['model'] or 'single kernels'}, {part['task']}, {part['architecture']}"
        sizes = (
            f"{part['trajectories']} trajectories, {part['turns']} turns, {part['kernels']} kernels"
        )
        lines.append(f"  {what}: {sizes}")
    for problem in report["problems"]:
        place = f"{problem['file']}:{problem['line']}"
        lines.append(f"{place}: {problem['severity']}: {problem['message']}")
    if report["problems_left_out"]:
        lines.append(f"… and {report['problems_left_out']} more")
    return lines


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
