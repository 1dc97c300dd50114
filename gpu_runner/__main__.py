"""`python -m gpu_runner`: what a host can do, and what can be said about a kernel.

Exit status: 0 when a verdict was reached, whatever it says; 2 for a call that
cannot be understood; 3 where this host lacks what the call needs.
"""

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from evaluation.architectures import ARCHITECTURES
from evaluation.delivery import STATIC
from evaluation.tasks import load_catalog
from gpu_runner.check_command import check
from gpu_runner.identify import identify
from gpu_runner.report import name_text
from gpu_runner.worker_command import work


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ✓ still gets the words
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.command(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


class _OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage before it."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Print one line with the next step and exit with 2."""
        self.exit(2, f"{name_text(message)}. See: {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _OneLineParser(
        prog="python -m gpu_runner",
        description="What this host can do, and what can be said about a kernel.",
        epilog="Exit status: 0 a verdict was reached, 2 wrong call, 3 the host lacks something.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    here = commands.add_parser("identify", help="say what this host can do")
    here.add_argument("--json", action="store_true", help="as JSON")
    here.set_defaults(command=identify)
    _add_check(commands.add_parser("check", help="check kernels without a GPU"))
    _add_worker(commands.add_parser("worker", help="check what people upload to a site"))
    return parser


def _add_check(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.set_defaults(command=check)
    add("files", nargs="+", type=Path, metavar="FILE", help=".cu, or a model's answer as .md")
    add("--task", required=True, metavar="T", type=_one_of("task", load_catalog()))
    add("--arch", required=True, metavar="A", type=_one_of("architecture", ARCHITECTURES))
    add("--json", type=Path, metavar="OUT", help="write the verdict there; of many, one a line")
    add("--jobs", type=_count, metavar="N", help="kernels at once (default: one a core)")
    add("--no-cache", action="store_true", help="compile also what was compiled before")
    add(
        "--unsafe-no-sandbox",
        action="store_true",
        help="compile without Bubblewrap: only for sources that you trust",
    )


def _add_worker(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.description = (
        "Take kernels from a site's queues and send back verdicts. CELERY_BROKER_URL names the"
        " site's broker, RUNNER_NAME this host, STATE_DIR where builds are kept."
    )
    parser.set_defaults(command=work)
    queue = _one_of("queue", (STATIC,))
    add("--queues", nargs="+", default=[STATIC], metavar="Q", type=queue, help="(default: static)")
    add("--jobs", type=_count, metavar="N", help="kernels at once (default: one a core)")


def _one_of(kind: str, known: Iterable[str]) -> Callable[[str], str]:
    names = list(known)

    def chosen(value: str) -> str:
        if value not in names:
            raise argparse.ArgumentTypeError(f"unknown {kind} {value!r}; known: {', '.join(names)}")
        return value

    return chosen


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 256):
        raise argparse.ArgumentTypeError(f"not a number from 1 to 256: {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
