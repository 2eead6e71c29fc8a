# SPDX-License-Identifier: Apache-2.0
# Each JDK: 23 and later keep their compiled code.
# Before JDK 23, the first change of a class discards all compiled code.  probe
# prints the number of methods before, which the JVM lists itself, and
# requires --yes.  The second probe of the JVM prints nothing about it, also if
# the libjvm has no symbols.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
target_program=Calls

# compiled: the number of compiled methods in use, with wrappers of native ones
compiled() {
	"$sjkc" jcmd "$pid" Compiler.codelist | awk '$3 == 0' | wc -l
}

# predicted: the number of methods in sjkc's message
predicted() {
	sed -n 's/.*discards* the code of all \([0-9,]*\) compiled.*/\1/p' \
		"$scratch/err" | tr -d ,
}

keeps_code() {
	ask 0 probe -p "$pid" 'Calls$Orders.*' -d 100ms </dev/null &&
		! grep discard "$scratch/err" || return
	[ "$(compiled)" -gt "$((before / 2))" ] ||
		{ echo "$before methods before, $(compiled) after"; return 1; }
}

discards_code() {
	ask 2 probe -p "$pid" 'Calls$Orders.*' -d 100ms </dev/null &&
		said 'use --yes' || return
	[ "$(compiled)" -gt "$((before / 2))" ] ||
		{ echo 'it was instrumented without --yes'; return 1; }
	ask 0 probe -p "$pid" 'Calls$Orders.*' --yes -d 100ms || return
	cp "$scratch/err" "$scratch/first"
	told=$(predicted)
	# The JVM's list has wrappers of native methods, too.
	[ "${told:-0}" -gt "$((before * 3 / 4))" ] &&
		[ "$told" -le "$((before + before / 20))" ] ||
		{ echo "told $told, the JVM lists $before"; return 1; }
	[ "$(compiled)" -lt "$((before / 2))" ] ||
		{ echo "$before methods before, $(compiled) after"; return 1; }
	ask 0 probe -p "$pid" 'Calls$Orders.*' -d 100ms </dev/null &&
		! grep discard "$scratch/err"
}

# without_symbols: runs java with a copy of libjvm that lacks symbols, as in Debian's
# JDK 8; prints the command, or nothing without the means for that
without_symbols() {
	libjvm=$(realpath "$jdk/lib/server/libjvm.so") || return
	[ "$(id -u)" -eq 0 ] && strip -o "$scratch/libjvm.so" "$libjvm" &&
		unshare -m true || return
	printf 'mount --bind "%s" "%s" && exec "$@"\n' \
		"$(realpath "$scratch/libjvm.so")" "$libjvm" >"$scratch/bound"
	echo "unshare -m sh $scratch/bound"
}

start() {
	target "$jdk" -Xcomp -XX:TieredStopAtLevel=1 -- \
		hold=1 threads=1 calls=50 slow=0 || return
	before=$(compiled)
	[ "$before" -gt 1100 ] || { echo "only $before methods"; return 1; }
}

for jdk in $(jdks); do
	feature=$("$jdk/bin/java" -XshowSettings:properties -version 2>&1 |
		sed -n 's/.*java.specification.version = //p')
	start || exit 1
	if [ "$feature" -ge 23 ]; then keeps_code; else discards_code; fi || exit 1
	alive "$pid" || exit 1
	target_end "$pid"
	[ "$feature" -lt 23 ] && within=$(without_symbols) || continue
	start && discards_code && grep -q 'may discard' "$scratch/first" &&
		alive "$pid" || exit 1
	target_end "$pid"
	within=
done
