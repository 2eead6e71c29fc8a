#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/demo/ttop.sh SJKC DIRECTORY
#
# Runs the shop and copies the screen of ttop, with its colors, to DIRECTORY/ttop.ansi:
# the Java threads that are not idle. Needs tmux.
set -eu
sjkc=$(realpath "$1")
out=$2
. tests/demo/shop.sh
shop 120
sleep 15
tmux -L "$socket" new-session -d -x 118 -y 20 \
	"TERM=xterm-256color NO_COLOR= '$sjkc' ttop -c $shop"
sleep 15
tmux -L "$socket" send-keys i J
# The requests wait for the inventory most of the time.
for _ in $(seq 50); do
	sleep 1
	tmux -L "$socket" capture-pane -e -p >"$out/ttop.ansi"
	[ "$(grep -c BLOCKED "$out/ttop.ansi")" -lt 3 ] || break
done
