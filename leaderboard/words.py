"""The benchmark's words as the site says them: translated, with one plain sentence each."""

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.outcomes import Outcome, Stage
from evaluation.tasks import FAMILIES, load_catalog

STAGE_LABELS: dict[Stage, Promise] = {
    Stage.SYNTAX: _("syntax"),
    Stage.TARGET: _("target instructions"),
    Stage.STRATEGY: _("strategy"),
    Stage.PASSED: _("passed"),
    Stage.OUTSIDE: _("outside the stages"),
}

STAGE_LETTERS = {
    Stage.SYNTAX: "E",
    Stage.TARGET: "T",
    Stage.STRATEGY: "S",
    Stage.PASSED: "F",
    Stage.OUTSIDE: "?",
}
"""How a turn ended, in one letter: error, target missing, slower, faster, undecided."""

OUTCOMES: dict[Outcome, tuple[Promise, Promise]] = {
    Outcome.EXTRACTION_ERROR: (
        _("extraction error"),
        _("The answer holds no kernel that can be read."),
    ),
    Outcome.BANNED_LIBRARY: (
        _("banned library"),
        _("The source calls a vendor's library instead of doing the work."),
    ),
    Outcome.COMPILE_ERROR: (_("compile error"), _("The compiler refuses the source.")),
    Outcome.RUNTIME_ERROR: (_("runtime error"), _("The kernel fails to load or crashes.")),
    Outcome.TIMEOUT: (_("timeout"), _("The kernel does not finish in time.")),
    Outcome.SANITIZER_ERROR: (
        _("sanitizer error"),
        _("The memory checker finds reads or writes out of bounds."),
    ),
    Outcome.WRONG_SHAPE: (_("wrong shape"), _("An output has the wrong size or type.")),
    Outcome.NUMERICAL_ERROR: (
        _("numerical error"),
        _("The kernel runs, but its numbers are wrong."),
    ),
    Outcome.OTHER_ERROR: (_("other error"), _("An error that its source does not explain.")),
    Outcome.TARGET_ABSENT: (
        _("target absent"),
        _("The compiled kernel does not hold the architecture's own matrix instructions."),
    ),
    Outcome.TARGET_NOT_EXECUTED: (
        _("target not executed"),
        _("The architecture's own instructions never ran."),
    ),
    Outcome.TARGET_PARTIAL: (
        _("target partial"),
        _("The architecture's own instructions ran, but did less than half of the work."),
    ),
    Outcome.SLOWER: (
        _("slower"),
        _("Correct, with the target instructions, but slower than the library."),
    ),
    Outcome.FASTER: (
        _("faster"),
        _("Correct, with the target instructions, and at least as fast as the library."),
    ),
    Outcome.REWARD_HACK: (
        _("reward hack"),
        _("The kernel deceives the judge; it counts as failed."),
    ),
    Outcome.QUARANTINED: (_("quarantined"), _("A person must look before it counts.")),
    Outcome.INFRA_ERROR: (_("infrastructure error"), _("The judge failed, not the kernel.")),
    Outcome.WAITING: (_("waiting"), _("Not judged yet.")),
}
"""Label and meaning of each outcome."""


def outcome_label(outcome: Outcome) -> str:
    """Return the outcome's name in the active language."""
    return str(OUTCOMES[outcome][0])


def outcome_meaning(outcome: Outcome) -> str:
    """Return what the outcome means, in one sentence of the active language."""
    return str(OUTCOMES[outcome][1])


def outcome_letter(outcome: Outcome) -> str:
    """Return the letter that stands beside the outcome's colour."""
    return "X" if outcome is Outcome.REWARD_HACK else STAGE_LETTERS[outcome.stage]


_FAMILY_SHORT: dict[str, str | Promise] = {
    "gemm": "GEMM",
    "forward": _("forward"),
    "backward": _("backward"),
}


def task_short(slug: str) -> str:
    """Return a core task's name for a narrow column, such as `forward, causal`; else the title."""
    task = load_catalog()[slug]
    if not task.core or task.family not in _FAMILY_SHORT:
        return _in_words(task.title)
    name = str(_FAMILY_SHORT[task.family])
    return gettext("%(task)s, causal") % {"task": name} if task.causal else name


_TITLE_PARTS: dict[str, Promise] = {
    "Attention forward": _("Attention forward"),
    "Attention backward": _("Attention backward"),
    "Grouped-query attention": _("Grouped-query attention"),
    "GQA paged decode": _("GQA paged decode"),
    "GQA paged prefill": _("GQA paged prefill"),
    "GQA ragged prefill": _("GQA ragged prefill"),
    "causal": _("causal"),
}
"""What the catalog's titles are made of, between commas; sizes and GEMM are no words."""


def _in_words(title: str) -> str:
    return ", ".join(str(_TITLE_PARTS.get(part, part)) for part in title.split(", "))


def task_title(slug: str) -> str:
    """Return a task's full title in the active language."""
    return _in_words(load_catalog()[slug].title)


def family_title(family: str) -> str:
    """Return the title of a task family in the active language."""
    return _in_words(FAMILIES[family])
