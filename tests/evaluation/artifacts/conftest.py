"""Small tables in a temporary folder, and PTXBench's real ones."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evaluation.artifacts.ptxbench_rows import (
    EXPERIMENTS_HEADER,
    RUN_KEY,
    TURNS_HEADER,
    WORKLOAD,
    turn_row,
)


@pytest.fixture
def tables(tmp_path: Path) -> Callable[..., Path]:
    """Writes five tables of one run with one turn; each can be replaced by its rows."""

    def write(
        experiments: list[str] | None = None,
        turns: list[str] | None = None,
        models: list[str] | None = None,
        ptx: list[str] | None = None,
        fa: list[str] | None = None,
    ) -> Path:
        run = [f"Some-1,hopper,gemm,{WORKLOAD},{RUN_KEY}"]
        content = {
            "experiments.csv": [EXPERIMENTS_HEADER, *(run if experiments is None else experiments)],
            "reasoning_tokens_vs_performance.csv": [
                TURNS_HEADER,
                *([turn_row()] if turns is None else turns),
            ],
            "model_release_dates.csv": [
                "model,date",
                *(["Some-1,2026-0131"] if models is None else models),
            ],
            "ptx_release_dates.csv": ["arch,date", *(["hopper,2022-1005"] if ptx is None else ptx)],
            "fa_release_dates.csv": ["version,arch,dates", *(fa or ["fa3,hopper,2024-0711"])],
        }
        for name, lines in content.items():
            (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def published() -> Path:
    """The folder with PTXBench's published tables."""
    root = Path(__file__).parents[3]
    default = root.parent / "shared" / "ptxbench-published"
    directory = Path(os.environ.get("PTXBENCH_PUBLISHED", default))
    if not (directory if directory.is_absolute() else root / directory).is_dir():
        if os.environ.get("CI"):
            pytest.fail("PTXBENCH_PUBLISHED does not name PTXBench's published tables")
        pytest.skip("PTXBench's published tables are not here; set PTXBENCH_PUBLISHED")
    return directory if directory.is_absolute() else root / directory
