"""Logs as the compilers wrote them, and what is read from them."""

from gpu_runner.compile_log import (
    Diagnostic,
    Resources,
    ends_in_ptxas,
    missing_instruction,
    read_diagnostics,
    read_resources,
)

WGMMA_ON_BLACKWELL = """\
ptxas /tmp/tmpxft_000037be_00000000-6_kernel.ptx, line 210; error   : Instruction 'wgmma.fence' not supported on .target 'sm_100a'
ptxas /tmp/tmpxft_000037be_00000000-6_kernel.ptx, line 210; error   : Instruction 'wgmma.fence' cannot be compiled for architecture 'sm_100a'
ptxas /tmp/tmpxft_000037be_00000000-6_kernel.ptx, line 231; error   : Instruction 'wgmma.mma_async with floating point types' not supported on .target 'sm_100a'
ptxas fatal   : Ptx assembly aborted due to errors
"""  # noqa: E501
TCGEN05_ON_HOPPER = """\
ptxas kernel.ptx, line 65; error   : Instruction 'tcgen05.alloc' not supported on .target 'sm_90a'
ptxas kernel.ptx, line 65; error   : Feature '.cta_group::1' not supported on .target 'sm_90a'
ptxas fatal   : Ptx assembly aborted due to errors
"""
WITHOUT_THE_A = """\
ptxas kernel.ptx, line 700; error   : Instruction 'wgmma.fence' not supported on .target 'sm_90'
ptxas fatal   : Ptx assembly aborted due to errors
"""
FRONT_END = """\
kernel.cu(2): error: identifier "undefined_name" is undefined
  __attribute__((global)) void k(float* x) { x[0] = undefined_name; int y = "a"; }
                                                    ^

kernel.cu(3): warning #550-D: variable "name" was set but never used
kernel.cu(3): error: expected a ";"

2 errors detected in the compilation of "kernel.cu".
"""
PREPROCESSOR = """\
kernel.cu:3:10: fatal error: /etc/passwd: No such file or directory
    3 | #include "/etc/passwd"
      |          ^~~~~~~~~~~~~
compilation terminated.
"""
ASSEMBLER = """\
ptxas info    : 0 bytes gmem
/tmp/cc8YaxvS.s: Assembler messages:
/tmp/cc8YaxvS.s:5: Error: file not found: /etc/shadow
"""
PTXAS_PARSER = """\
ptxas kernel.ptx, line 25; fatal   : Parsing error near '.incbin': syntax error
ptxas fatal   : Ptx assembly aborted due to errors
"""
UNRESOLVED = "ptxas fatal   : Unresolved extern function '_Z3farf'\n"
ARCHITECTURE = "nvcc fatal   : Unsupported gpu architecture 'compute_91q'\n"
TOO_MUCH_SHARED = (
    "ptxas error   : Entry function '_Z1kPf' uses too much shared data"
    " (0x13880 bytes, 0xc000 max)\n"
)
LINKER = """\
/usr/bin/ld: kernel.o: in function `h()':
/usr/bin/ld: kernel.o: relocation R_X86_64_PC32 against undefined hidden symbol `_Z1gv'
collect2: error: ld returned 1 exit status
"""
INFO = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4manyPf' for 'sm_90a'
ptxas info    : Function properties for _Z4manyPf
    1208 bytes stack frame, 32 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1208 bytes cumulative stack size
ptxas info    : Compile time = 22.250 ms
ptxas info    : Compiling entry function '_Z5scalePf' for 'sm_90a'
ptxas info    : Function properties for _Z5scalePf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 58 registers, used 1 barriers, 16384 bytes smem
"""


def test_an_instruction_of_the_other_architecture_is_named():
    for log, instruction, target in (
        (WGMMA_ON_BLACKWELL, "wgmma.fence", "sm_100a"),
        (TCGEN05_ON_HOPPER, "tcgen05.alloc", "sm_90a"),
        (WITHOUT_THE_A, "wgmma.fence", "sm_90"),
    ):
        found = missing_instruction(read_diagnostics(log))
        assert found is not None
        assert (found.instruction, found.target) == (instruction, target)
        assert not found.in_source
        assert ends_in_ptxas(log)


def test_what_follows_the_instructions_name_is_not_part_of_it():
    assert read_diagnostics(WGMMA_ON_BLACKWELL)[2].instruction == "wgmma.mma_async"


def test_errors_of_the_front_end_have_their_lines():
    first, warning, last = read_diagnostics(FRONT_END)

    assert first == Diagnostic("kernel.cu", 2, "error", 'identifier "undefined_name" is undefined')
    assert first.in_source
    assert (warning.severity, warning.line) == ("warning", 3)
    assert last.message == 'expected a ";"'
    assert not ends_in_ptxas(FRONT_END)


def test_every_other_program_is_understood():
    for log, file, line, message in (
        (PREPROCESSOR, "kernel.cu", 3, "/etc/passwd: No such file or directory"),
        (ASSEMBLER, "cc8YaxvS.s", 5, "file not found: /etc/shadow"),
        (PTXAS_PARSER, "kernel.ptx", 25, "Parsing error near '.incbin': syntax error"),
        (UNRESOLVED, "ptxas", 0, "Unresolved extern function '_Z3farf'"),
        (ARCHITECTURE, "nvcc", 0, "Unsupported gpu architecture 'compute_91q'"),
        (LINKER, "ld", 0, "kernel.o: in function `h()':"),
    ):
        first = read_diagnostics(log)[0]
        assert (first.file, first.line, first.message) == (file, line, message)
        assert first.severity == "error"

    assert "too much shared data" in read_diagnostics(TOO_MUCH_SHARED)[0].message
    assert read_diagnostics(LINKER)[-1].message == "ld returned 1 exit status"


def test_what_the_assembler_and_the_linker_refuse_is_not_ptxas():
    assert not ends_in_ptxas(ASSEMBLER)
    assert not ends_in_ptxas(LINKER)
    assert not ends_in_ptxas(INFO)
    assert not ends_in_ptxas(WITHOUT_THE_A + FRONT_END)


def test_resources_are_read_by_function():
    assert read_resources(INFO) == {
        "_Z4manyPf": Resources(registers=255, spill_stores=32, spill_loads=40, stack=1208),
        "_Z5scalePf": Resources(registers=58, shared=16384),
    }


def test_a_log_that_repeats_itself_is_short():
    log = "kernel.cu(1): error: no\n" * 100_000
    assert len(read_diagnostics(log)) == 1
    many = "".join(f"kernel.cu({line}): error: no\n" for line in range(1, 10_000))
    assert len(read_diagnostics(many)) == 200


def test_a_hostile_line_takes_no_time():
    assert read_diagnostics("(" * 100_000 + "\n" + "a" * 100_000 + "(1): error: \n") == ()
