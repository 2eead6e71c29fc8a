# SPDX-License-Identifier: Apache-2.0
# Each JDK: frames and metadata differ.
# Begins early: waits for samples.
# Stack traces reach from the kernel's frames to the thread's root, and every
# frame has a name, with and without the agent.  Both have the same hottest
# frames.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

check() {
	root="^\[[a-z]*-0 tid=[0-9]*\];$at_root"
	all='^\[(burner|allocator)-0 '
	# shellcheck disable=SC2016 # the name of a Java method
	at_least 99 "$(weight_of "$1" "$root" "$all")" "$1: to the root" &&
		at_least 98 "$(weight_of "$1" \
			';java\.lang\.Thread\.run(_\[.\])?;.*Target\.' "$all")" \
			"$1: of the program" &&
		at_least 80 "$(weight_of "$1" 'Target\.burn(_\[j\]|_\[1\])?(;| )' \
			'^\[burner-0 ')" "$1: where it burns" &&
		has "$1" '\];(clone3|__clone|clone);start_thread;' &&
		has "$1" ';Target\.lambda\$start\$0' &&
		has "$1" ';JavaCalls::call_helper;call_stub;' || return
	! grep -q '\[unknown' "$1" || {
		grep '\[unknown' "$1"
		return 1
	}
}

# A burning thread is in the kernel for one percent of its time, so a high rate
# is used to see it.
kernel_is_seen() {
	for _ in 1 2 3 4 5 6 7 8; do
		! grep -q '_\[k\]' "$plain" || return 0
		prof 0 -d 2s -F 1999 --annotate --no-agent -o "$plain" "$pid" ||
			return
	done
	has "$plain" '_\[k\]'
}

for jdk in $(jdks); do
	target "$jdk" -- burners=1 allocators=1 || exit 1
	agent=$scratch/agent.collapsed
	plain=$scratch/plain.collapsed
	prof 0 -d 2s -F 499 -t --annotate -o "$agent" "$pid" &&
		check "$agent" || exit 1
	prof 0 -d 2s -F 499 -t --annotate --no-agent -o "$plain" "$pid" &&
		check "$plain" || exit 1
	for burnt in "$agent" "$plain"; do
		sed -nE 's/^\[burner-0 [^;]*;(.*Target\.burn)(_\[.\])?[; ].*/\1/p' \
			"$burnt" | sort -u >"$burnt.frames"
	done
	cmp "$agent.frames" "$plain.frames" || {
		diff "$agent.frames" "$plain.frames"
		exit 1
	}
	kernel_is_seen || exit 1
	target_end "$pid"
done
