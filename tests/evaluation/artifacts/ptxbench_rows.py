"""Rows of PTXBench's tables, for tests."""

RUN_KEY = "/runs/some-model-gemm"
WORKLOAD = "94920358-01a8-4c5b-9209-3103fd490e94"
EXPERIMENTS_HEADER = "model,arch,definition,workload,exp_dir"
TURNS_HEADER = (
    "model,arch,required_arch_tag,workload,workload_name,definition,exp_dir,trajectory_id,turn,"
    "reasoning_tokens,reasoning_token_source,correctness,speedup,arch_tag,correct_with_arch,"
    "performance_score"
)
TURN = {
    "model": "Some-1",
    "arch": "hopper",
    "required_arch_tag": "H",
    "workload": WORKLOAD,
    "workload_name": "gemm_M8192",
    "definition": "gemm",
    "exp_dir": RUN_KEY,
    "trajectory_id": "exp_000",
    "turn": "0",
    "reasoning_tokens": "100",
    "reasoning_token_source": "usage",
    "correctness": "Compilation error",
    "speedup": "0.0",
    "arch_tag": "",
    "correct_with_arch": "0",
    "performance_score": "0.0",
}


def turn_row(**changes: str) -> str:
    """A row of the table of turns: a compilation error, but for `changes`."""
    values = TURN | changes
    return ",".join(f'"{value}"' if "," in value else value for value in values.values())


def correct_row(speedup: str, **changes: str) -> str:
    """A row of a correct turn that executed Hopper's instructions."""
    flags = {"correctness": "Correct", "arch_tag": "H", "correct_with_arch": "1"}
    return turn_row(speedup=speedup, **(flags | changes))
