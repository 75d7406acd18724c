#!/bin/sh
# Make or refresh the Python environment in the folder $1: the project, editable, with all that its
# developers need. PYTHON names the interpreter to use; without it the newest of 3.11 to 3.13 found.
set -eu

venv=$1

# Python 3.14 cannot install pypaimon. If PYTHON names it, the environment lacks pypaimon.
suits() {
    "$1" -c "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < ($newest))" >/dev/null 2>&1
}
newest=${PYTHON:+4, 0}
newest=${newest:-3, 14}

if [ ! -x "$venv/bin/python" ]; then
    for python in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
        if suits "$python"; then
            break
        fi
        python=
    done
    if [ -z "$python" ]; then
        echo "No Python 3.11 to 3.13 with venv found: install python3.13 and python3.13-venv, or set PYTHON." >&2
        exit 1
    fi
    echo "Making $venv with $("$python" --version) ..."
    "$python" -m venv "$venv"
fi

echo "Installing what pyproject.toml names into $venv ..."
log=$venv/install.log
if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[dev]' >"$log" 2>&1; then
    echo "Could not install the packages: the Python package index has to be reachable; pip's words are in $log." >&2
    exit 1
fi
