"""A toolchain, and builders that share what they built or start anew."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_runner.build_cache import BuildCache
from gpu_runner.builds import Builder
from gpu_runner.sandbox import Limits, MissingSandbox
from gpu_runner.toolchain import MissingToolchain, Toolchain, find_toolchain


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    try:
        return find_toolchain()
    except MissingToolchain as missing:
        return _without(str(missing))


@pytest.fixture(scope="session")
def builder(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """A builder whose cache all tests share; the command finds it by its STATE_DIR."""
    cache = BuildCache(tmp_path_factory.mktemp("state") / "builds")
    shared = Builder(toolchain, limits=Limits(seconds=60), cache=cache)
    try:
        shared.sandbox.check()
    except MissingSandbox as missing:
        return _without(str(missing))
    return shared


@pytest.fixture
def fresh(builder: Builder, tmp_path: Path) -> Builder:
    """A builder that finds nothing built."""
    return replace(builder, cache=BuildCache(tmp_path / "builds"))


def _without(message: str):
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
