"""Archives that unpack to a gigabyte are refused quickly and in little memory."""

from pathlib import Path

import pytest

from tests.load.bomb import BOMBS, refuse


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_is_refused_within_two_seconds_and_fifty_megabytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    BOMBS[name](path)
    refused = refuse(path)
    assert "understood" not in refused.reason
    assert refused.seconds < 2
    assert refused.peak_kib * 1024 < 50_000_000
