# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# figures_hold: fails unless the heap sizes are in order and none is negative
figures_hold() {
	awk '/^process/ {
		for (i = 2; i <= NF; i++) {
			split($i, f, "=")
			v[f[1]] = f[2]
		}
		if (v["used"] == "-" || v["used"] + 0 > v["committed"] + 0 ||
		    v["committed"] + 0 > v["max"] + 65536 ||
		    v["safepoints"] + 0 < 1 || v["sync"] + 0 < 1)
			print "process figures:", $0
	}
	/=-[0-9]/ { print "negative:", $0 }' "$got"
}

# collected: repeats the sample until a collection is counted, at most 60 times
collected() {
	for _ in $(seq 1 60); do
		samples "$pid" names=Thread.print
		grep -q '^gc count=[1-9][0-9]* time=[1-9]' "$got" &&
			! grep -q '^note heap absent' "$got" && return
		sleep 0.5
	done
	echo "$jdk $collector: no collection in:"
	cat "$got"
	exit 1
}

# check COLLECTOR GC-NAME THREAD WORK
check() {
	collector=$1
	"$jdk/bin/java" -XX:+UnlockExperimentalVMOptions "-XX:+Use$1GC" \
		-version >/dev/null 2>&1 || return 0
	target_memory="-Xmx48m -XX:+UnlockExperimentalVMOptions -XX:+Use$1GC"
	target "$jdk" -- "$4" || exit 1
	case $1 in
	Shenandoah) # pauses are those of all safepoints
		samples "$pid" names=Thread.print
		samples_have 'note gc given: '
		;;
	Epsilon) # collects nothing
		samples "$pid" names=Thread.print
		samples_lack 'gc count='
		;;
	*)
		collected
		wrong=$(figures_hold)
		[ -z "$wrong" ] || { echo "$jdk $1: $wrong"; exit 1; }
		;;
	esac
	grep -q "^gc count=[0-9]* time=[0-9]* $2" "$got" || [ -z "$2" ] ||
		{ echo "$jdk $1: no $2 in:"; cat "$got"; exit 1; }
	grep -q " gc [A-Z_]* .* name=$3" "$got" || [ -z "$3" ] ||
		{ echo "$jdk $1: no $3 in:"; cat "$got"; exit 1; }
	samples_have ' vm '
	samples_have ' jit '
	samples_lack ' unknown '
	target_end "$pid"
}

for jdk in $(jdks); do
	check Serial 'Serial young collection pauses' '' allocators=1
	check Parallel 'Parallel young collection pauses' 'GC Thread#0' allocators=1
	check G1 'G1 young collection pauses' 'G1 Service' allocators=1
	check Z 'Z' ZDriver allocators=1
	check Shenandoah 'Shenandoah pauses' 'Shenandoah Control Thread' allocators=1
	check Epsilon '' '' threads=1
done
