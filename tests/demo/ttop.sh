#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/demo/ttop.sh SJKC DIRECTORY
#
# Runs the demo and copies the screen of ttop, with its colors, to
# DIRECTORY/ttop.ansi. Needs tmux.
set -eu
sjkc=$(realpath "$1")
out=$2
mkdir -p "$out"
javac -d "$out/classes" "$(dirname "$0")/Demo.java"
env --default-signal=QUIT,INT java -Xmx256m -cp "$out/classes" Demo 60 \
	>/dev/null 2>&1 &
demo=$!
socket=sjkc-demo-$$
trap 'kill $demo 2>/dev/null || :; tmux -L $socket kill-server 2>/dev/null || :' EXIT
sleep 5
tmux -L "$socket" new-session -d -x 112 -y 22 \
	"TERM=xterm-256color NO_COLOR= '$sjkc' ttop $demo"
sleep 20
tmux -L "$socket" capture-pane -e -p >"$out/ttop.ansi"
