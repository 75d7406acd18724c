"""The runner for the Paimon library: it becomes the program Kit of tools/java/."""

from __future__ import annotations

import os

from tools.jvm import command

if __name__ == "__main__":
    program = command("Kit", heap="1g")
    os.execv(program[0], program)
