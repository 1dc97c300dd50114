"""Reports that no source can turn against their reader."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.messages import Stages, Step, StrategyStage, SyntaxStage, TargetStage, Verdict
from evaluation.outcomes import Outcome
from gpu_runner.report import printable, report, table

HOSTILE = "\x1b[2J\x07\x00\u202egnp.exe\x9b31m"


def failed(log: str) -> Verdict:
    steps = (Step(name="compile", status="fail", seconds=1.0, log=log),)
    return Verdict(
        step="static",
        architecture="hopper",
        task="gemm_n7168_k5120",
        source_sha256="0" * 64,
        outcome=Outcome.COMPILE_ERROR,
        reason=log[:100],
        stages=Stages(
            syntax=SyntaxStage(status="fail", steps=steps),
            target=TargetStage(status="not_reached"),
            strategy=StrategyStage(status="not_reached"),
        ),
        advice=(log[:100],),
    )


@given(st.text(max_size=200))
def test_nothing_printed_can_move_the_cursor(text: str) -> None:
    shown = printable(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(0x7F <= ord(char) < 0xA0 for char in shown)
    shown.encode()


def test_logs_names_and_advice_are_shown_harmlessly() -> None:
    named = f"{HOSTILE}\nforged row"
    for shown in (report(failed(HOSTILE), named), table([(named, failed(HOSTILE), "")])):
        assert r"\nforged row" in shown
        assert not set(shown) & set("\x1b\x07\x00\u202e\x9b")
        assert r"\x1b[2J" in shown
        assert r"\u202e" in shown


def test_long_logs_are_shortened() -> None:
    shown = report(failed("\n".join(f"error {n}" for n in range(100_000))), "k.cu")
    assert len(shown.splitlines()) < 30
    assert "more lines" in shown


def test_text_in_any_script_stays_as_it_is() -> None:
    assert printable("Größe = 4 × 2\tключ\n") == "Größe = 4 × 2\tключ\n"
