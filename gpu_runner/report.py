"""A verdict as text for people: stage by stage, then what to fix first."""

import unicodedata
from collections.abc import Iterable

from evaluation.architectures import ARCHITECTURES
from evaluation.messages import FunctionEvidence, Notice, Step, Verdict
from evaluation.outcomes import Outcome

MARKS = {"pass": "✓", "fail": "✗", "not_reached": "·", "unknown": "?"}
LOG_LINES = 12
LINE = 400
FUNCTIONS = 10


def printable(text: str) -> str:
    """Return text that cannot move a terminal's cursor or turn its line around.

    Control, format and surrogate characters become visible escapes; newlines and tabs stay.
    """
    return "".join(
        char
        if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs")
        else f"\\x{ord(char):02x}"
        if ord(char) < 256
        else f"\\u{ord(char):04x}"
        for char in text
    )


def name_text(name: str) -> str:
    """Return a name that stays on its line, whatever it holds."""
    return printable(name).replace("\n", "\\n").replace("\t", "\\t")


def report(verdict: Verdict, name: str) -> str:
    """Return the whole report on one kernel."""
    lines = [f"{name_text(name)}  {verdict.task}, {ARCHITECTURES[verdict.architecture].name}"]
    lines += [_step(step) for step in verdict.stages.syntax.steps if step.status != "not_reached"]
    lines += _failed_log(verdict.stages.syntax.steps)
    lines += _instructions(verdict)
    lines += [f"  {_place(n)}: {_one_line(n.message)}" for n in verdict.notices]
    lines += ["", f"  {headline(verdict)}"]
    lines += [f"  {number}. {_one_line(text)}" for number, text in enumerate(verdict.advice, 1)]
    return "\n".join(lines)


def headline(verdict: Verdict) -> str:
    """Return the outcome in one line."""
    if verdict.outcome is None:
        return (
            "Nothing wrong that can be seen without a GPU. Waiting for a GPU: does it run, "
            "is it right, is it fast?"
        )
    outcome = Outcome(verdict.outcome)
    return f"{outcome.label} (stage: {outcome.stage.value}). {_one_line(verdict.reason)}".strip()


def _one_line(text: str) -> str:
    first = (printable(text).splitlines() or [""])[0]
    return first if len(first) <= LINE else f"{first[: LINE - 1]}…"


def _place(notice: Notice) -> str:
    return f"note, line {notice.line}" if notice.line else "note"


def _step(step: Step) -> str:
    seconds = f"  {step.seconds:.1f} s" if step.seconds is not None else ""
    return f"  {MARKS[step.status]} {step.name}{seconds}"


def _failed_log(steps: Iterable[Step]) -> list[str]:
    for step in steps:
        if step.status == "fail" and step.log:
            lines = printable(step.log).splitlines()
            shown = [f"    | {line[:200]}" for line in lines[:LOG_LINES]]
            left = len(lines) - LOG_LINES
            return [*shown, f"    | … {left} more lines"] if left > 0 else shown
    return []


def _instructions(verdict: Verdict) -> list[str]:
    target = verdict.stages.target
    if target.status == "not_reached":
        return []
    counts = ", ".join(f"{family} {count}" for family, count in target.in_binary.items())
    lines = [f"  {MARKS[target.status]} target instructions in the binary: {counts or 'none'}"]
    shown = [f"    {_function(function)}" for function in target.functions[:FUNCTIONS]]
    left = len(target.functions) - len(shown) + target.functions_left_out
    return lines + shown + ([f"    … {left} more functions"] if left else [])


def _function(function: FunctionEvidence) -> str:
    parts = [f"{function.instructions} instructions"]
    parts += [f"{family} {count}" for family, count in function.families.items() if count]
    if function.registers is not None:
        parts.append(f"{function.registers} registers")
    if function.spill_bytes:
        parts.append(f"{function.spill_bytes} B spilled")
    if function.shared_bytes:
        parts.append(f"{function.shared_bytes} B shared")
    return f"{printable(function.title)}: {', '.join(parts)}"


def table(rows: Iterable[tuple[str, Verdict | None, str]]) -> str:
    """Return one line a kernel: its name, its outcome, and the first thing to fix.

    A row without a verdict has the reason why there is none.
    """
    cells = [
        (name_text(name), *(_summary(verdict) if verdict else ("not checked", _one_line(reason))))
        for name, verdict, reason in rows
    ]
    widths = [max((len(row[place]) for row in cells), default=0) for place in (0, 1)]
    return "\n".join(
        f"{name:<{widths[0]}}  {outcome:<{widths[1]}}  {first}".rstrip()
        for name, outcome, first in cells
    )


def _summary(verdict: Verdict) -> tuple[str, str]:
    outcome = Outcome(verdict.outcome).label if verdict.outcome else "waits for a GPU"
    first = _one_line(verdict.advice[0]) if verdict.advice else ""
    return outcome, first if len(first) <= 100 else first[:99] + "…"
