# SPDX-License-Identifier: Apache-2.0
# However ttop ends, its output is complete and its recording can be replayed.
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

# ended STATUS: fails unless ttop exits with STATUS
ended() {
	wait "$ttop"
	status=$?
	[ $status -eq "$1" ] && return
	echo "exit status $status, not $1"
	cat "$scratch/err"
	return 1
}

replays() {
	timeout 300 "$sjkc" ttop --replay "$scratch/recorded" \
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

# The reader of the output exits: ttop notices before its next report.
closed() {
	{
		timeout 300 "$sjkc" ttop -p "$pid" -ri 1h -si 10ms \
			2>"$scratch/err"
		echo $? >"$scratch/status"
	} | head -n 1 >"$scratch/out"
	[ "$(cat "$scratch/status")" = 141 ] && [ ! -s "$scratch/err" ] &&
		printed 'Process summary' && return
	echo "closed: status $(cat "$scratch/status")"
	cat "$scratch/err"
	return 1
}

# A line that is typed on the terminal ends ttop, as in SJK.
typed() {
	command -v script >/dev/null || return 0
	rm -f "$scratch/keys" "$scratch/out"
	mkfifo "$scratch/keys" || return
	timeout 300 script -qec "$sjkc ttop -b -p $pid -ri 1h -si 10ms" \
		/dev/null <"$scratch/keys" >"$scratch/out" 2>&1 &
	ttop=$!
	exec 3>"$scratch/keys"
	target_wait "$scratch/out" ' - burner-0' || return
	echo stop >&3
	ended 0
	status=$?
	exec 3>&-
	return $status
}

check() {
	target "$1" -- burners=1 || return
	for signal in INT TERM; do
		watch && kill -$signal "$ttop" && ended 0 && whole &&
			replays || return
		[ ! -s "$scratch/err" ] || { cat "$scratch/err"; return 1; }
	done
	closed && typed || return
	watch && kill -KILL "$ttop" && ended 137 && replays || return
	watch && kill -KILL "$pid" && ended 0 && whole && replays &&
		said "$pid has exited" || return
	target_end "$pid"
	ask 3 ttop -b "$pid" && printed_nothing
}

for_each_jdk check
