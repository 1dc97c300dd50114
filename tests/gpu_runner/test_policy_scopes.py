"""Which names count as the kernel's own, and where: only in the scope that defines them."""

import time

import pytest

from gpu_runner.policy import inspect

BANNED = [
    ("using namespace ::cute;", "vendor_namespace"),
    ("namespace c = ::cutlass;", "vendor_namespace"),
    ("auto f() { return ::cute::make_tensor(p); }", "vendor_namespace"),
    ("namespace cute { int x; }", "vendor_namespace"),
    ("namespace cutlass {", "vendor_namespace"),
    ("namespace { namespace cute { int x; } }", "vendor_namespace"),
    ("namespace my { namespace cute { int x; } }\nauto t = cute::f();", "vendor_namespace"),
    ("namespace my { namespace cute { int x; } }\nauto t = ::cute::f();", "vendor_namespace"),
    ('extern "C" int cublasGemmEx(int);\nnamespace n { inline int cublasGemmEx(float) '
     "{ return 0; } }\nint x = cublasGemmEx(1);", "vendor_call"),
    ("namespace n { inline int cublasGemmEx(float) { return 0; } }\nint x = cublasGemmEx(1);",
     "vendor_call"),
    ('namespace n { extern "C" int cublasGemmEx(int); int cublasGemmEx(float) { return 0; } }',
     "vendor_call"),
    ('extern "C" { int (cublasGemmEx)(int); }\nint cublasGemmEx(float) { return 0; }',
     "vendor_call"),
    ('extern "C" int cublasGemmEx; auto f = (F)&cublasGemmEx;', "vendor_call"),
    ("void f() { if (int cublasGemmEx = 0) {} ::cublasGemmEx(1); }", "vendor_call"),
    ("void f() { if (int cublasGemmEx = 0) {} cublasGemmEx(1); }", "vendor_call"),
    ("void f(int cublasGemmEx) {}\nvoid g() { cublasGemmEx(1); }", "vendor_call"),
    ("#define G cublasGemmEx\nnamespace n { int cublasGemmEx; }\nvoid g() { G(1); }",
     "vendor_call"),
    ("int x = 2 * cublasGetVersion; bool y = z & cublasX == 1;", "vendor_call"),
]  # fmt: skip

OWN = [
    ("constexpr auto cublasTile=64; int x = cublasTile;", "vendor_like_name"),
    ("const auto* cublasPtr = p; f(cublasPtr);", "vendor_like_name"),
    ("Tile cublasTile = f(); Tile& cublasRef = cublasTile;", "vendor_like_name"),
    ("namespace { constexpr int cublasTile = 64; }\nvoid f() { g(cublasTile); }",
     "vendor_like_name"),
    ("namespace n { int cublasTile = 1; }\nint x = n::cublasTile;", "vendor_like_name"),
    ("namespace n { int cublasTile = 1; }\nnamespace n { int x = cublasTile; }",
     "vendor_like_name"),
    ("namespace n { int cublasTile = 1; }\nusing namespace n;\nint x = cublasTile;",
     "vendor_like_name"),
    ("struct S { int cublasTile; };\nint f(S s) { return s.cublasTile; }", "vendor_like_name"),
    ('extern "C" void f(int cublasTile) { g(cublasTile); }', "vendor_like_name"),
    ("void f() { for (int cublasI = 0; cublasI < 3; ++cublasI) g(cublasI); }",
     "vendor_like_name"),
    ("#define K(n) void k_##n() { int cublasTile = 1; g(cublasTile); }\nK(a)",
     "vendor_like_name"),
    ("#define DEF(t, n) t n = 1\nDEF(int, cublasTile);\nint x = cublasTile;",
     "vendor_like_name"),
]  # fmt: skip

NOT_FLAGGED = [
    "namespace my{namespace cute{int x;}}",
    "namespace my { namespace cute { int x; } int y = cute::x; }\nint z = my::cute::x;",
]


@pytest.mark.parametrize(("source", "rule"), BANNED)
def test_names_of_another_scope_excuse_nothing(source, rule):
    found = inspect(source)
    assert ("banned", rule) in {(finding.kind, finding.rule) for finding in found}


@pytest.mark.parametrize(("source", "rule"), OWN)
def test_own_names_are_only_reported(source, rule):
    assert {(finding.kind, finding.rule) for finding in inspect(source)} == {("notice", rule)}


@pytest.mark.parametrize("source", NOT_FLAGGED)
def test_own_nested_namespaces_are_not_flagged(source):
    assert inspect(source) == ()


@pytest.mark.parametrize(
    "unit",
    ["{int cublasX;", "(int cublasX,", "{int cublasX;cublasX;}", "namespace n{int cublasX;}",
     "f(int cublasX){}", "cublasX)}", 'extern "C" {', "int cublasX=-0x7f,"],
)  # fmt: skip
def test_scopes_do_not_make_it_slow(unit):
    source = unit * (512 * 1024 // len(unit))
    assert any(_seconds(source) < 4 for _ in range(3))


def _seconds(source: str) -> float:
    begin = time.process_time()
    inspect(source)
    return time.process_time() - begin
