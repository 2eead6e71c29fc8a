# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by scripts that take pictures of the shop. $out is a directory; at the end, the
# shop and the tmux server $socket are ended.
: "${out:?}"
mkdir -p "$out"
javac -d "$out/classes" tests/demo/Shop.java
shop=
socket=sjkc-demo-$$
trap 'kill "$shop" 2>/dev/null || :; tmux -L $socket kill-server 2>/dev/null || :' EXIT

# shop SECONDS [JVM-OPTION...]: starts the shop; $shop is its PID
shop() {
	seconds=$1
	shift
	env --default-signal=QUIT,INT java -Xmx256m "$@" -cp "$out/classes" \
		com.acme.shop.Shop "$seconds" >/dev/null 2>&1 &
	shop=$!
}
