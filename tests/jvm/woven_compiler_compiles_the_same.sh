# SPDX-License-Identifier: Apache-2.0
# A program whose methods are all probed produces the same output: javac, with
# thousands of woven methods, compiles a source to the same bytes before,
# during and after, under verification of all classes.  WOVEN selects other
# classes than the parser and the code generator: WOVEN='com.sun.tools.javac.*'
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
target_program=Compiles

# compiled_more: waits until the source has been compiled twice more
compiled_more() {
	before=$(grep -c '^COMPILED' "$said")
	for _ in $(seq 1 3000); do
		[ "$(grep -c '^COMPILED' "$said")" -lt "$((before + 2))" ] ||
			return 0
		sleep 0.1
	done
	echo 'javac no longer compiles:'
	tail -n 5 "$said"
	return 1
}

# woven_enough: the methods that were armed and called
woven_enough() {
	set -- $(sed -n 's/^armed //p' "$scratch/probes")
	called=$(grep -cE ' calls [1-9]' "$scratch/probes")
	echo "| $(basename "$jdk"): $1 methods of $2 classes woven in $4 us," \
		"$3 refused, $called called"
	[ "$1" -gt 700 ] && [ "$called" -gt 200 ]
}

check() {
	jdk=$1
	target_memory='-Xmx256m -Xverify:all'
	target "$1" -- tests/jvm/lib/Witness.java || return
	if [ -n "${WOVEN-}" ]; then
		set -- "$WOVEN::*"
	else
		set -- 'com.sun.tools.javac.parser.*::*' \
			'com.sun.tools.javac.jvm.*::*'
	fi
	probes_start "$@" limit=16384 arm line counts losses disarm line ||
		return
	probes_wait '^armed' && compiled_more || return
	probes_go
	probes_wait '^disarmed' && compiled_more || return
	probes_go
	probes_finish || return
	kinds=$(grep '^COMPILED' "$said" | sort -u | wc -l)
	[ "$kinds" -eq 1 ] || { sort "$said" | uniq -c | head -n 5; return 1; }
	woven_enough && target_end "$pid"
}

for_each_jdk check
