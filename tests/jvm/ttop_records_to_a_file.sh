# SPDX-License-Identifier: Apache-2.0
# ttop does not overwrite a recording, and ends if it cannot write one, as if no
# process reads from the pipe.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

check() {
	target "$1" || return
	echo mine >"$scratch/mine"
	ask 9 ttop "$pid" --record "$scratch/mine" && said 'exists' &&
		printed_nothing || return
	[ "$(cat "$scratch/mine")" = mine ] || { echo 'written over'; return 1; }
	ask 9 ttop "$pid" --record "$scratch/none/file" && said 'none/file' ||
		return
	mkfifo "$scratch/pipe"
	ask 9 ttop "$pid" --record "$scratch/pipe" && said 'no process reads' ||
		return
	rm "$scratch/pipe"
	ask 9 ttop "$pid" --record /dev/full && said 'No space left' || return
	# Columns that need JMX are reported as unavailable.
	ask 0 ttop -c --no-attach -o CPU NAME "$pid" -ri 200ms \
		--iterations 1 && said 'contention is unavailable' &&
		printed 'wait=    -/s(    -%) block=    -/s(    -%) alloc=' ||
		return
	target_end "$pid"
}

for_each_jdk check
