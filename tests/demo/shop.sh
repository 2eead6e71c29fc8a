# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by scripts that take pictures of the shop. $out is a directory; $end is run at
# the end.
mkdir -p "$out"
javac -d "$out/classes" "$(dirname "$0")/Shop.java"
end=:
trap 'eval "$end"; kill "$shop" 2>/dev/null || :' EXIT

# shop SECONDS [JVM-OPTION...]: starts the shop; $shop is its PID
shop() {
	seconds=$1
	shift
	env --default-signal=QUIT,INT java -Xmx256m "$@" -cp "$out/classes" \
		com.acme.shop.Shop "$seconds" >/dev/null 2>&1 &
	shop=$!
}
