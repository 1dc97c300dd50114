"""`identify`: what this host can do for a kernel, and what is missing for the rest."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluation import PROTOCOL
from evaluation.architectures import ARCHITECTURES
from gpu_runner.sandbox import Limits, MissingSandbox, Sandbox, SandboxFailure
from gpu_runner.toolchain import MissingToolchain, Toolchain, find_toolchain


@dataclass(frozen=True, slots=True)
class Host:
    """What was found. Each of `toolchain`, `sandbox` and `gpus` is empty where missing."""

    protocol: str
    machine: str
    cores: int
    memory_gib: float
    toolchain: str
    sandbox: str
    gpus: tuple[str, ...]
    can: tuple[str, ...]
    lacks: tuple[str, ...]


def identify(arguments: argparse.Namespace) -> int:
    """Print what this host can do; 0 if it can check kernels, else 3."""
    host = look_around()
    print(json.dumps(asdict(host), indent=2) if arguments.json else _text(host))
    return 0 if host.toolchain and host.sandbox else 3


def look_around() -> Host:
    """Try out what a check needs, and name the GPUs."""
    lacks: list[str] = []
    toolchain = _toolchain(lacks)
    sandbox = _sandbox(toolchain, lacks)
    gpus = _gpus(lacks)
    names = ", ".join(a.name for a in ARCHITECTURES.values())
    can = [f"check kernels for {names}"] if toolchain and sandbox else []
    return Host(
        protocol=PROTOCOL,
        machine=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        cores=os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        toolchain=toolchain.version if toolchain else "",
        sandbox=sandbox,
        gpus=gpus,
        can=tuple(can),
        lacks=tuple(lacks),
    )


def _toolchain(lacks: list[str]) -> Toolchain | None:
    try:
        return find_toolchain()
    except MissingToolchain as error:
        lacks.append(str(error))
        return None


def _sandbox(toolchain: Toolchain | None, lacks: list[str]) -> str:
    """Run a command in the sandbox and return what it is, or note what it lacks."""
    sandbox = Sandbox(toolchain.readable if toolchain else ())
    try:
        sandbox.check()
        if toolchain is None:
            return "Bubblewrap"
        with tempfile.TemporaryDirectory() as folder:
            command = [sandbox.seen(toolchain.nvcc), "--version"]
            finished = sandbox.run(command, Path(folder), Limits(seconds=20))
    except (MissingSandbox, SandboxFailure) as error:
        lacks.append(str(error))
        return ""
    if finished.status != 0:
        lacks.append("The compiler does not run in the sandbox. Run check for its messages.")
        return ""
    return "Bubblewrap: no network, no files but the toolchain's, another user"


def _gpus(lacks: list[str]) -> tuple[str, ...]:
    program = shutil.which("nvidia-smi")
    if program is None:
        lacks.append("No NVIDIA GPU: kernels can be checked here, and judged elsewhere.")
        return ()
    command = [program, "--query-gpu=name,driver_version", "--format=csv,noheader"]
    finished = subprocess.run(  # noqa: S603 (fixed command)
        command, capture_output=True, text=True, check=False, timeout=30
    )
    gpus = tuple(line.strip() for line in finished.stdout.splitlines() if line.strip())
    if finished.returncode or not gpus:
        lacks.append("nvidia-smi finds no GPU: kernels can be checked here, and judged elsewhere.")
        return ()
    lacks.append("The judge is not built yet: kernels can be checked here, not measured.")
    return gpus


def _text(host: Host) -> str:
    lines = [
        f"host       {host.machine}, {host.cores} cores, {host.memory_gib} GiB",
        f"toolchain  {host.toolchain or 'none'}",
        f"sandbox    {host.sandbox or 'none'}",
        f"GPU        {'; '.join(host.gpus) or 'none'}",
        f"protocol   {host.protocol}",
    ]
    lines += [f"  ✓ can {what}" for what in host.can]
    lines += [f"  · {what}" for what in host.lacks]
    return "\n".join(lines)
