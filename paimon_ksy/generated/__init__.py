"""Stand in a checkout for ../../generated, which setup.py installs in place of this folder."""

from pathlib import Path

# No link: archives and Windows turn one into a text file.
__path__ = [str(Path(__file__).parents[2] / "generated")]
