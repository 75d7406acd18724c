"""List the packages; everything else about the distribution is in pyproject.toml.

The folder generated/ is installed as `paimon_ksy.generated`, a mapping that the automatic search of
setuptools cannot express.
"""

from setuptools import find_packages, setup

GENERATED = "paimon_ksy.generated"

setup(
    packages=[
        *find_packages(include=["paimon_ksy*"], exclude=[GENERATED]),
        GENERATED,
        *(f"{GENERATED}.{package}" for package in find_packages("generated")),
    ],
    package_dir={GENERATED: "generated"},
)
