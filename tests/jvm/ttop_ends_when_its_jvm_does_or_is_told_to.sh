# SPDX-License-Identifier: Apache-2.0
# However it ends, what it wrote is whole, and a recording can be replayed.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# watch: starts ttop and waits until it has written reports
watch() {
	rm -f "$scratch/recorded" "$scratch/out"
	env --default-signal=INT,TERM "$sjkc" ttop -p "$pid" -ri 200ms \
		--record "$scratch/recorded" \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	ttop=$!
	target_wait "$scratch/out" ' - burner-0'
}

# ended STATUS
ended() {
	wait $ttop
	status=$?
	[ $status -eq "$1" ] && return
	echo "exit status $status, not $1"
	cat "$scratch/err"
	return 1
}

replays() {
	timeout 60 "$sjkc" ttop --replay "$scratch/recorded" \
		>"$scratch/replayed" 2>&1
	status=$?
	case $status in 0 | 7) ;; *) cat "$scratch/replayed"; return 1 ;; esac
	grep -q ' - burner-0' "$scratch/replayed" && return
	echo 'nothing replayed'
	return 1
}

whole() {
	[ -z "$(tail -n 1 "$scratch/out")" ] && return
	echo 'the last report is cut:'
	tail -n 3 "$scratch/out"
	return 1
}

check() {
	target "$1" -- burners=1 || return
	for signal in INT TERM; do
		watch && kill -$signal $ttop && ended 0 && whole && replays &&
			[ ! -s "$scratch/err" ] || { cat "$scratch/err"; return 1; }
	done
	watch && kill -KILL $ttop && ended 137 && replays || return
	watch && kill -KILL "$pid" && ended 0 && whole && replays &&
		said "$pid has ended" || return
	target_end "$pid"
	ask 3 ttop -b "$pid" && printed_nothing
}

for_each_jdk check
