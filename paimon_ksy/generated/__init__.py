"""Find the modules of ../../generated in a checkout; setup.py installs that folder as this one."""

from pathlib import Path

# No link: archives and Windows turn one into a text file.
__path__ = [str(Path(__file__).parents[2] / "generated")]
