"""The tests, in the folders of the packages that they test."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the project."""
