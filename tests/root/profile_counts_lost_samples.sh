# SPDX-License-Identifier: Apache-2.0
# Begins early: waits until a ring buffer is full.
# prof is stopped while samples arrive: it counts the lost samples, on stderr
# and in the title, and exits with status 7.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target "$jdk" -- burners=4 || exit 1
prof_start --no-agent -F 9999 -d 5s -v -o "$scratch/some.html" "$pid" &&
	target_wait "$prof_err" 'sampling Target' || exit 1
sleep 0.5
kill -STOP "$prof_pid"
# The samples of 1 s of CPU time fill the ring buffer.
jvm_burns 400 || exit 1
kill -CONT "$prof_pid"
prof_end 7 || exit 1
# lost WHAT: the number in a message, without commas
lost() {
	sed -n "s/.*$1 lost: \([0-9,]*\) .*/\1/p" "$prof_err" | tr -d ,
}
samples=$(lost samples) stacks=$(lost 'stack traces')
[ "${samples:-0}" -gt 0 ] || { cat "$prof_err"; exit 1; }
# The title adds the stack traces that memory which did not respond in time lost.
tr -d , <"$scratch/some.html" >"$scratch/plain.html"
has "$scratch/plain.html" " samples $((samples + ${stacks:-0})) lost"
