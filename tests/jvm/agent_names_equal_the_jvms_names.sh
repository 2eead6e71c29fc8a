# SPDX-License-Identifier: Apache-2.0
# The agent's names of compiled methods equal those of the JVM's own list.  At
# each address, its methods, inlined methods and lines equal those that sjkc
# reads from the metadata in the JVM's memory.  Stubs have names.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/agent.sh

# listed: prints "address class.method(signature)" for each line of the JVM's
# list, without the addresses of hidden classes, and without the linkers of
# method handles, which have ambiguous names.
listed() {
	"$sjkc" jcmd "$pid" Compiler.codelist |
		sed -n 's/^[0-9]* [0-9]* 0 \([^ ]*\) \[.*, 0x0*\([0-9a-f]*\) - .*/\2 \1/p' |
		sed 's|[+/]0x[0-9a-f]*\.|.|' |
		grep -v ' java.lang.invoke.MethodHandle.[li]' | sort
}

# reported: prints the same lines from the agent's names: the outermost method
# at the first address of the code.
reported() {
	cut -d ' ' -f 1 "$scratch/listed" |
		timeout 300 "$TOOLS/show_agent" "$pid" symbols |
		sed 's/^\([0-9a-f]*\).* \([^ ]*\):[0-9]*$/\1 \2/' | sort
}

same_list() {
	listed >"$scratch/before"
	cp "$scratch/before" "$scratch/listed"
	reported >"$scratch/reported" || return
	# Ignore code that was compiled or removed between the two lists.
	listed | comm -12 - "$scratch/before" >"$scratch/listed"
	[ "$(wc -l <"$scratch/listed")" -gt 100 ] ||
		{ echo 'a short list:'; cat "$scratch/listed"; return 1; }
	comm -23 "$scratch/listed" "$scratch/reported" >"$scratch/wrong"
	[ ! -s "$scratch/wrong" ] || { echo 'the agent has not:'
		head -n 5 "$scratch/wrong"; return 1; }
}

same_places() {
	code_ranges >"$scratch/ranges"
	timeout 300 "$TOOLS/show_agent" "$pid" compare <"$scratch/ranges" \
		>"$scratch/out" || { cat "$scratch/out"; return 1; }
	counts=$(tail -n 1 "$scratch/out")
	echo "| $(basename "$1"): $counts"
	case $counts in
	*' 0 different') ;;
	*) cat "$scratch/out"; return 1 ;;
	esac
	# shellcheck disable=SC2086 # words: "N all, N both, N inlined, …"
	set -- $counts
	[ "$3" -gt 20000 ] && [ "$5" -gt 5000 ] && [ $((100 * $3 / $1)) -ge 95 ]
}

# newcomers: makes the JVM compile code while the agent runs, by starting the
# local JMX connector, and prints the addresses of the new code.
newcomers() {
	target_wait "$scratch/live" '^[0-9]* [0-9]* [0-9]*$' >&2
	code_ranges | sort >"$scratch/old"
	"$sjkc" jcmd "$pid" ManagementAgent.start_local >/dev/null
	sleep 1
	code_ranges | sort | comm -13 "$scratch/old" - >"$scratch/new"
	sleep 1 # the agent gets the event shortly after the list has the code
	echo go
	cat "$scratch/new"
}

same_newcomers() {
	: >"$scratch/live"
	newcomers | timeout 300 "$TOOLS/show_agent" "$pid" costs line read \
		compare >"$scratch/live" || { cat "$scratch/live"; return 1; }
	counts=$(tail -n 1 "$scratch/live")
	echo "| $(basename "$1"), compiled meanwhile: $counts"
	case $counts in
	*' 0 different') ;;
	*) cat "$scratch/live"; return 1 ;;
	esac
	# shellcheck disable=SC2086 # words
	set -- $counts
	[ "$3" -gt 20000 ] && [ $((100 * $3 / $1)) -ge 90 ]
}

stubs_have_names() {
	begin=$("$sjkc" jcmd "$pid" Compiler.codecache | sed -n \
		"/non-nmethods/{n;s/.*\[0x\([0-9a-f]*\), 0x\([0-9a-f]*\),.*/\1 \2/p;}")
	[ -n "$begin" ] || { echo 'no heap of other code'; return 1; }
	# shellcheck disable=SC2086 # words
	python3 -c '
import sys
begin, end = (int(word, 16) for word in sys.argv[1:])
for at in range(begin, min(end, begin + (1 << 20)), 256):
    print("%x" % at)' $begin |
		timeout 300 "$TOOLS/show_agent" "$pid" generated >"$scratch/out"
	for name in Interpreter 'arraycopy' 'I2C/C2I adapters'; do
		grep -q "$name" "$scratch/out" ||
			{ echo "no $name"; sort -u -k 2 "$scratch/out" |
			head -n 40; return 1; }
	done
}

check() {
	target "$1" -XX:TieredStopAtLevel=4 -XX:CompileThresholdScaling=0.02 \
		-Dtarget.duty=25 -- burners=1 allocators=1 || return
	same_list && same_places "$1" && same_newcomers "$1" && stubs_have_names && alive "$pid" ||
		return
	target_end "$pid"
}

for_each_jdk check
