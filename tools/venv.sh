#!/bin/sh
# Make or refresh the Python environment in the folder $1: the project, editable, with the extra $2:
# `dev` for developers. PYTHON names the interpreter; without it, the newest of 3.11 to 3.13 is used.
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

case $2 in
dev) what="what its developers need" size="2 GB" cache= ;;
*) what="Spark and pypaimon" size="1.1 GB" cache=--no-cache-dir ;; # a cache would double the size
esac
echo "Installing the project and $what into $venv ($size; a minute at 200 Mbit/s, ten at 20) ..."
log=$venv/install.log
if command -v uv >/dev/null; then
    uv pip install --python "$venv/bin/python" -e ./ksykit -e ".[$2]" >"$log" 2>&1
else
    "$venv/bin/python" -m pip install $cache --disable-pip-version-check -e ./ksykit -e ".[$2]" >"$log" 2>&1
fi || {
    echo "Could not install the packages: the Python package index has to be reachable; $log says why." >&2
    exit 1
}
