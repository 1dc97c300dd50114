"""Which of the host's own files a compiler needs: found out, not guessed.

A sandbox that mounts /usr offers every library of the host to `.incbin`. Here the
loader says which libraries a program loads, and a trial link says which files a
shared library is made of; nothing else is mounted.
"""

import functools
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = ("-lcudart_static", "-lrt", "-lpthread", "-ldl")
_LOADED = re.compile(r"(/[^\s()]+) \(0x")


@dataclass(frozen=True, slots=True)
class Readable:
    """A file or folder of the host, and the path at which the sandbox shows it."""

    source: Path
    inside: str

    @classmethod
    def same(cls, path: Path | str) -> "Readable":
        """Show `path` where it is, with the links in its folder's name resolved.

        The sandbox recreates links such as /lib, and a mount cannot lie behind one.
        """
        folder = os.path.realpath(Path(path).parent)
        return cls(Path(path), f"{folder.rstrip('/')}/{Path(path).name}")


def host_links() -> list[tuple[str, str, str]]:
    """Return the arguments that recreate the root folder's links: /lib -> usr/lib, …"""
    names = ("bin", "sbin", "lib", "lib32", "lib64")
    links = [Path("/") / name for name in names]
    return [("--symlink", str(link.readlink()), str(link)) for link in links if link.is_symlink()]


@functools.cache
def program_files(programs: tuple[str, ...]) -> tuple[Readable, ...]:
    """Return programs together with the libraries that the loader gives them."""
    listed = _output(["ldd", *programs])
    paths = [*programs, *_LOADED.findall(listed)]
    return tuple(Readable.same(path) for path in dict.fromkeys(paths))


@functools.cache
def compiler_files(gxx: str) -> tuple[Readable, ...]:
    """Return what g++ needs to compile and link a shared library, and the shell."""
    folders = [*_include_folders(gxx), *_own_folders(gxx)]
    gcc = str(Path(gxx).with_name(Path(gxx).name.replace("g++", "gcc")))
    asked = [_output([gxx, f"-print-prog-name={name}"]).strip() for name in ("as", "ld")]
    tools = [path for name in asked if (path := shutil.which(name))]
    cc1plus = _output([gxx, "-print-prog-name=cc1plus"]).strip()
    # The loader is asked about the compiler proper, which comes with its folder.
    loaded = program_files((gxx, gcc, *tools, "/bin/sh", "/bin/rm", cc1plus))
    files = [*loaded, *map(Readable.same, _linked(gxx))]
    wanted = [*map(Readable.same, folders), *files]
    return tuple(one for one in dict.fromkeys(wanted) if not _within(one, folders))


def _within(one: Readable, folders: list[Path]) -> bool:
    return any(Path(one.inside).is_relative_to(f) and Path(one.inside) != f for f in folders)


def _own_folders(gxx: str) -> list[Path]:
    """Return the folders of the compiler proper and of its runtime objects."""
    proper = _output([gxx, "-print-prog-name=cc1plus"]).strip()
    runtime = _output([gxx, "-print-file-name=libgcc.a"]).strip()
    return list(dict.fromkeys(Path(os.path.realpath(name)).parent for name in (proper, runtime)))


def _include_folders(gxx: str) -> list[Path]:
    said = _output([gxx, "-E", "-v", "-x", "c++", os.devnull])
    listed = said.partition("search starts here:\n#include <...> search starts here:\n")[2]
    listed = listed or said.partition("#include <...> search starts here:\n")[2]
    names = [line.strip() for line in listed.partition("End of search list")[0].splitlines()]
    folders = [Path(os.path.realpath(name)) for name in names if Path(name).is_dir()]
    outer = [f for f in folders if not any(f != o and f.is_relative_to(o) for o in folders)]
    # /usr/local/include is the administrator's: what lies there is not on other hosts.
    return [f for f in dict.fromkeys(outer) if f != Path("/usr/local/include")]


def _linked(gxx: str) -> list[str]:
    """Link an empty shared library and return every file that the linker opened."""
    with tempfile.TemporaryDirectory() as folder:
        libraries = [name for name in LIBRARIES if name != "-lcudart_static"]
        output = f"{folder}/trial.so"
        empty = ["-shared", "-x", "c++", os.devnull, "-o", output]
        said = _output([gxx, *empty, "-Wl,--trace", *libraries])
    named = re.findall(r"[^\s()]*/[^\s()]+", said)
    names = [name for name in named if Path(name).is_file() and not name.startswith(folder)]
    # libstdc++.so is a link out of the compiler's folder: what it points to counts too.
    return [*names, *map(os.path.realpath, names)]


def _output(command: list[str]) -> str:
    finished = subprocess.run(  # noqa: S603
        command,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=30,
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
    )
    return finished.stdout + finished.stderr
