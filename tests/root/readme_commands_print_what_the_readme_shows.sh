#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# Runs each block of commands in README.md and docs/ against the demo, in a process
# namespace without other JVMs, and compares the output
# (tests/root/lib/readme.py).
sjkc=$1
scratch=$2
command -v javac >/dev/null || { echo 'no JDK'; exit 77; }
javac -d "$scratch/classes" tests/demo/Demo.java || exit 1
chmod -R a+rX "$scratch"
mkdir "$scratch/bin" && cp "$sjkc" "$scratch/bin/sjkc" || exit 1
exec unshare --pid --fork --kill-child --mount-proc \
	/usr/bin/python3 tests/root/lib/readme.py ${BLESS:+--bless} \
	"$scratch" README.md docs/*.md
