"""Kernels as people hand them in: files and models' answers, good and bad."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.artifacts.answers import MAX_BYTES, BadSource, ExtractionError, read_kernel

CODE = "__global__ void k() {}\n"


def fenced(code: str = CODE, mark: str = "cpp", ticks: str = "```") -> str:
    return f"{ticks}{mark}\n{code}{ticks}\n"


def test_a_source_file_is_taken_as_it_is():
    kernel = read_kernel(CODE.encode(), "kernel.cu")
    assert (kernel.source, kernel.notes) == (CODE, ())
    assert kernel.sha256 == sha256(CODE.encode()).hexdigest()


@pytest.mark.parametrize(
    ("data", "notes"),
    [
        (b"\xef\xbb\xbf" + CODE.encode(), 0),
        (CODE.replace("\n", "\r\n").encode(), 1),
        (CODE.replace("\n", "\r").encode(), 1),
    ],
    ids=["BOM", "CRLF", "CR"],
)
def test_how_an_editor_saved_it_changes_nothing(data, notes):
    kernel = read_kernel(data, "kernel.cu")
    assert kernel.source == CODE
    assert kernel.sha256 == read_kernel(CODE.encode(), "").sha256
    assert len(kernel.notes) == notes


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t\r\n", "is empty"),
        (b"\xef\xbb\xbf\n", "is empty"),
        (b"int a;\n\0", r"is binary: NUL at byte 7, line 2"),
        (b"\x7fELF\x02\x01\x01\0", "is binary"),
        (CODE.encode("utf-16"), "is UTF-16. Save it as UTF-8"),
        ("int a;\n// für\n".encode("latin-1"), "not UTF-8: byte 0xfc at byte 11, line 2"),
        (b"// \xed\xa0\x80", "not UTF-8"),
        (b"x" * (MAX_BYTES + 1), "has 524,289 bytes; the limit is 524,288"),
        (b"\xff" * 10_000_000, "has 10,000,000 bytes"),
    ],
)
@pytest.mark.parametrize("name", ["kernel.cu", "answer.md", ""])
def test_what_cannot_be_a_kernel_is_refused_in_one_line(data, reason, name):
    with pytest.raises(BadSource, match=reason) as refused:
        read_kernel(data, name)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(repr(name) if name else "The text")


def test_a_file_of_the_largest_size_is_taken():
    assert len(read_kernel(b"x" * MAX_BYTES, "kernel.cu").source) == MAX_BYTES


@pytest.mark.parametrize("name", ["é😀.cu", "k" * 300 + ".cu", "a\nb\x1b[31m.cu", "../../x/k.cu"])
def test_any_name_is_named_on_one_short_line(name):
    with pytest.raises(BadSource) as refused:
        read_kernel(b"", name)
    message = str(refused.value)
    assert message.isprintable()
    assert len(message) < 200
    assert "../" not in message


@pytest.mark.parametrize("mark", ["cpp", "CPP", "cpp title=kernel.cu", " cpp", "c++", "cuda", "cu"])
@pytest.mark.parametrize("name", ["answer.md", "answer.MARKDOWN", "answer.txt", ""])
def test_an_answer_gives_its_block(mark, name):
    text = f"Here it is.\n\n{fenced(mark=mark)}\nIt is fast."
    assert read_kernel(text.encode(), name).source == CODE


@pytest.mark.parametrize(
    ("text", "source", "note"),
    [
        (fenced("first\n") + fenced("last\n"), "last\n", "has 2 complete code blocks; the last"),
        (fenced("first\n") + "```cpp\nlast\n", "first\n", "in line 4 is never closed and ignored"),
        ("```cpp\ncut off\n" + fenced("last\n"), "last\n", "in line 1 is never closed"),
        (fenced() + fenced("$ nvcc\n", "bash"), CODE, "lines 2–2"),
        (fenced() + fenced("output\n", ""), CODE, "lines 2–2"),
        (fenced("output\n", "") + fenced(), CODE, "lines 5–5"),
        (fenced(mark="cuda"), CODE, "marked cuda; cpp is what"),
        (fenced(fenced(), "markdown", "````"), CODE, "lines 3–3"),
        ("1. So:\n   ```cpp\n   int a;\n   ```\n", "   int a;\n", "lines 3–3"),
        (fenced("// ```cpp is not here\nint a;\n"), "// ```cpp is not here\nint a;\n", "lines 2–3"),
        (fenced("a\n```\nb\n", ticks="````"), "a\n```\nb\n", "lines 2–4"),
        ("```cpp\r\nint a;\r\n```", "int a;\n", "Windows"),
    ],
)
def test_which_block_counts(text, source, note):
    kernel = read_kernel(text.encode(), "answer.md")
    assert kernel.source == source
    assert any(note in said for said in kernel.notes), kernel.notes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot do that.", "it has no ```cpp block"),
        (CODE, "it has no ```cpp block"),
        (fenced(mark="python"), "it has no ```cpp block"),
        (fenced(mark=""), "it has no ```cpp block"),
        ("```cpp\n" + CODE, "its ```cpp block is never closed"),
        (fenced(" \n"), "its last code block, in line 1, is empty"),
        ("```cpp\n```\n", "its last code block, in line 1, is empty"),
    ],
)
def test_an_answer_without_a_kernel(text, reason):
    with pytest.raises(ExtractionError, match=reason) as refused:
        read_kernel(text.encode(), "answer.md")
    assert "\n" not in str(refused.value)


def test_a_source_file_with_fences_is_taken_whole_and_says_so():
    text = f"/* Usage:\n{fenced()}*/\n{CODE}"
    kernel = read_kernel(text.encode(), "kernel.cu")
    assert kernel.source == text
    assert "name a model's answer .md" in kernel.notes[0]


@given(st.binary(max_size=200), st.sampled_from(["k.cu", "a.md", ""]))
def test_bytes_are_read_or_refused(data, name):
    try:
        kernel = read_kernel(data, name)
    except (BadSource, ExtractionError) as refused:
        assert str(refused).isprintable()
    else:
        assert kernel.source.strip()
        assert "\r" not in kernel.source


@given(st.lists(st.sampled_from(["```cpp", "```", "````", "code", "```python", "  ```", ""])))
def test_every_arrangement_of_fences_has_an_answer(lines):
    try:
        kernel = read_kernel("\n".join([*lines, "."]).encode(), "a.md")
    except ExtractionError:
        return
    assert "```cpp" not in kernel.source
