"""Row 38 of the attacks: JSON that is none, or that nobody should have to read."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.artifacts.strict_json import MAX_DEPTH, MAX_VALUES, JsonFault, parse

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | TEXTS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def fault(data: bytes) -> JsonFault:
    with pytest.raises(JsonFault) as caught:
        parse(data)
    return caught.value


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_good_json_is_read_as_python_reads_it(value: object, ascii_only: bool, indent: int) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert parse(data).value == value
    assert parse(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")).value == value


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\u0d8e1 ', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        value = parse(data).value
    except JsonFault as refused:
        assert refused.line >= 1
    else:
        json.dumps(value, allow_nan=False).encode()


def test_no_number_becomes_null_and_its_path_is_kept() -> None:
    parsed = parse(b'{"a": [1, NaN, {"b c": -Infinity}], "d": Infinity}')
    assert parsed.value == {"a": [1, None, {"b c": None}], "d": None}
    assert parsed.nulls == ("$.a[1]", "$.a[2]['b c']", "$.d")


def test_texts_that_name_no_number_stay() -> None:
    assert parse(b'["NaN", "Infinity"]').value == ["NaN", "Infinity"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"a": {"b": 1, "b": 2}}', "$.a: the key 'b' stands twice in one object"),
        (b'[0, {"a": 1e400}]', "$[1].a: the number '1e400' is too large"),
        (b'{"a": -1e999}', "$.a: the number '-1e999' is too large"),
        (b'{"a": ' + b"9" * 500 + b"}", "is too large"),
        (b'{"a": ' + b"9" * 9_999 + b"}", "is too large"),
        (b'{"a": ["\\ud800"]}', "$.a[0]: holds half of a surrogate pair"),
        (b'{"a": ["x\\udfffx"]}', "$.a[0]: holds half of a surrogate pair"),
        (b'{"\\ud800": 1}', "$: holds half of a surrogate pair"),
        (b'{"a": "\\u0000"}', "$.a: holds a NUL character"),
        (b'{"\\u0000": "a"}', "$: holds a NUL character"),
    ],
)
def test_fault_names_its_path(data: bytes, said: str) -> None:
    assert said in str(fault(data))


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b'{"a":\n\n 1,}', 3, "column 4"),
        (b'{"a":\n "\0"}', 2, "NUL byte"),
        (b'{"a":\n\n "\xe9"}', 3, "0xe9"),
        (b"\n" + b"[" * 10_000, 2, "deeper than 64"),
        (b'\n{"a":' * 10_000, 66, "deeper than 64"),
        (b"[\n" + b"0," * MAX_VALUES + b"0]", 2, "more than 500,000 values"),
        (b"[\n" + b"[]," * MAX_VALUES + b"0]", 2, "more than 500,000 values"),
        (b"", 1, "is not JSON"),
        (b"[1] [2]", 1, "column 5"),
        (b'["\n"]', 1, "is not JSON"),
        (b'["\x01"]', 1, "is not JSON"),
        ("[1]".encode("utf-16"), 1, "NUL byte"),
    ],
)
def test_fault_names_its_line(data: bytes, line: int, said: str) -> None:
    refused = fault(data)
    assert said in str(refused)
    assert refused.line == line


def test_paired_surrogates_are_one_character() -> None:
    assert parse(b'"\\ud83d\\ude00"').value == "😀"


def test_depth_limit_is_exact_and_brackets_in_texts_do_not_count() -> None:
    deep = b"[" * MAX_DEPTH + b'"' + b"[" * 999 + b'\\"[["' + b"]" * MAX_DEPTH
    assert math.isfinite(len(str(parse(deep).value)))
    assert "deeper" in str(fault(b"[" + deep + b"]"))
