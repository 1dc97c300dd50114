"""The definitions' reference sources, run as they stand, in float64.

They are written for torch, which the site does not install. The few functions they
call are provided here by NumPy, with float64 in the place of float32, so that only
the mathematics is under test.
"""

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest

from evaluation.tasks import Task, load_catalog

BATCH, HEADS, LENGTH, DIM = 2, 2, 5, 3
DEFINED = [task for task in load_catalog().values() if task.defined]


class FakeTensor(np.ndarray[Any, Any]):
    """A NumPy array with the two methods of a torch tensor that the references use."""

    def to(self, _dtype: object) -> Self:
        return self

    def masked_fill(self, mask: np.ndarray, value: float) -> "FakeTensor":
        return np.where(mask, value, self).view(FakeTensor)


FAKE_TORCH = SimpleNamespace(
    float32=np.float64,
    bool=np.bool_,
    exp=np.exp,
    log=np.log,
    empty_like=np.empty_like,
    empty=lambda *shape, dtype, device: np.empty(shape, dtype),
    ones=lambda *shape, dtype, device: np.ones(shape, dtype),
    triu=lambda matrix, diagonal: np.triu(matrix, k=diagonal),
    amax=lambda values, dim, keepdim: np.amax(values, axis=dim, keepdims=keepdim),
    sum=lambda values, dim, keepdim: np.sum(values, axis=dim, keepdims=keepdim),
)


@pytest.fixture
def run_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[np.ndarray, ...]]:
    """Calls a task's `run` on NumPy inputs; returns its outputs as a tuple."""
    monkeypatch.setitem(sys.modules, "torch", FAKE_TORCH)

    def call(task: Task, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
        source = tmp_path / "reference.py"
        source.write_text(task.reference, encoding="utf-8")
        result = runpy.run_path(str(source))["run"](*(x.view(FakeTensor) for x in inputs))
        return result if isinstance(result, tuple) else (result,)

    return call


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool | None
) -> tuple[np.ndarray, np.ndarray]:
    """(O, LSE) of attention on [B, H, S, d], by the definition of a softmax."""
    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(scores)
    if causal:
        rows, columns = np.indices(weights.shape[-2:])
        weights = weights * (columns <= rows)
    total = weights.sum(axis=-1)
    return np.einsum("bhij,bhjd->bhid", weights, v) / total[..., None], np.log(total)


def numeric_gradient(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Central differences of a scalar function, one element at a time."""
    step = 1e-6
    gradient = np.empty_like(at)
    for index in np.ndindex(at.shape):
        nudge = np.zeros_like(at)
        nudge[index] = step
        gradient[index] = (function(at + nudge) - function(at - nudge)) / (2 * step)
    return gradient


def test_every_family_has_references() -> None:
    families = [task.family for task in DEFINED]
    assert {name: families.count(name) for name in families} == {
        "gemm": 1,
        "forward": 6,
        "backward": 6,
    }


@pytest.mark.parametrize("task", [t for t in DEFINED if t.family == "gemm"], ids=lambda t: t.name)
def test_gemm(task: Task, run_reference: Callable[..., tuple[np.ndarray, ...]]) -> None:
    a, b = normal(1, 4, 3), normal(2, 5, 3)
    (c,) = run_reference(task, a, b)
    np.testing.assert_allclose(c, np.einsum("mk,nk->mn", a, b), rtol=1e-12)


@pytest.mark.parametrize(
    "task", [t for t in DEFINED if t.family == "forward"], ids=lambda t: t.name
)
def test_forward(task: Task, run_reference: Callable[..., tuple[np.ndarray, ...]]) -> None:
    q, k, v = (normal(seed, BATCH, HEADS, LENGTH, DIM) for seed in (1, 2, 3))
    output, lse = run_reference(task, q, k, v)
    expected_output, expected_lse = attention(q, k, v, task.causal)
    np.testing.assert_allclose(output, expected_output, rtol=1e-12)
    np.testing.assert_allclose(lse, expected_lse, rtol=1e-12)
    if task.causal:  # the first query sees the first key alone
        np.testing.assert_allclose(output[:, :, 0], v[:, :, 0])
        products = (q[:, :, 0] * k[:, :, 0]).sum(axis=-1)
        np.testing.assert_allclose(lse[:, :, 0], products / np.sqrt(DIM))


@pytest.mark.parametrize(
    "task", [t for t in DEFINED if t.family == "forward"], ids=lambda t: t.name
)
def test_forward_survives_large_scores(
    task: Task, run_reference: Callable[..., tuple[np.ndarray, ...]]
) -> None:
    q, k, v = (normal(seed, 1, 1, LENGTH, DIM) for seed in (1, 2, 3))
    outputs = run_reference(task, 1e3 * q, 1e3 * k, v)
    assert all(np.isfinite(output).all() for output in outputs)


@pytest.mark.parametrize(
    "task", [t for t in DEFINED if t.family == "backward"], ids=lambda t: t.name
)
def test_backward_is_the_gradient_of_forward(
    task: Task, run_reference: Callable[..., tuple[np.ndarray, ...]]
) -> None:
    q, k, v, upstream = (normal(seed, 1, HEADS, LENGTH, DIM) for seed in (1, 2, 3, 4))
    output, lse = attention(q, k, v, task.causal)
    gradients = run_reference(task, q, k, v, output, upstream, lse)

    def loss(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> float:
        return float((attention(q, k, v, task.causal)[0] * upstream).sum())

    expected = (
        numeric_gradient(lambda x: loss(x, k, v), q),
        numeric_gradient(lambda x: loss(q, x, v), k),
        numeric_gradient(lambda x: loss(q, k, x), v),
    )
    for ours, theirs in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)
