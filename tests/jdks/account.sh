# SPDX-License-Identifier: Apache-2.0
# prof and probe report what the program accounts for, also when they run again
# and again, and in a JVM whose libc has no unwind tables.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/prof.sh

# account: sets $heavy_ms $light_ms $bytes $collections $calls $at_ms
account() {
	read -r heavy_ms light_ms bytes collections calls at_ms \
		<"$scratch/account"
}

# from_here: remembers the account
from_here() {
	account && first="$heavy_ms $light_ms $bytes $collections $calls $at_ms"
}

# until_here: sets the variables to the differences since from_here
until_here() {
	account
	# shellcheck disable=SC2086 # words
	set -- $first
	heavy_ms=$((heavy_ms - $1)) light_ms=$((light_ms - $2))
	bytes=$((bytes - $3)) collections=$((collections - $4))
	calls=$((calls - $5)) at_ms=$((at_ms - $6))
}

# near NAME VALUE WANTED PERCENT: prints the cell's text, and fails if a value
# deviates by more
near() {
	awk -v name="$1" -v value="$2" -v wanted="$3" -v percent="$4" 'BEGIN {
		printf "| %s %.4g, account %.4g\n", name, value, wanted
		d = value - wanted
		exit (d < 0 ? -d : d) > wanted * percent / 100
	}'
}

# sum FILE PATTERN: adds up the weights of the lines with a pattern
sum() {
	awk -v pattern="$2" '$0 ~ pattern { s += $NF } END { printf "%.0f\n", s }' "$1"
}

cpu() {
	from_here && prof 0 -F 499 -d 4s -o "$scratch/cpu.collapsed" "$pid" &&
		until_here || return
	heavy=$(sum "$scratch/cpu.collapsed" 'Account\.heavy')
	all=$(sum "$scratch/cpu.collapsed" 'Account\.(heavy|light)')
	near 'percent in heavy' "$((100 * heavy / (all + !all)))" \
		"$((100 * heavy_ms / (heavy_ms + light_ms)))" 15
}

# waits EVENT: the sleepers wait in Java code for the whole time; the fighters
# and the main thread wait in it for nearly all of it
waits() {
	prof 0 -e "$1" -t -d 3s --total -o "$scratch/$1.collapsed" "$pid" ||
		return
	for thread in sleeper-0 sleeper-1 fighter-0 fighter-1 main; do
		all=$(sum "$scratch/$1.collapsed" "^\\\\[$thread ")
		seen=$(sum "$scratch/$1.collapsed" "^\\\\[$thread .*;Account")
		echo "$thread: $seen of $all ns"
		[ "$((seen / 10000000))" -ge 200 ] &&
			[ "$seen" -ge "$((all / 100 * 90))" ] ||
			{ cat "$prof_err"; return 1; }
	done
	echo "| all waits have Java frames"
}

alloc() {
	[ "$version" -ge 11 ] || { echo '| unavailable'; return; }
	from_here && prof 0 -e alloc --total -d 3s \
		-o "$scratch/alloc.collapsed" "$pid" && until_here || return
	# Sampling lasts for a part of the time.
	near 'MB' "$(($(sum "$scratch/alloc.collapsed" Account) / 1000000))" \
		"$((bytes * 3000 / at_ms / 1000000))" 50
}

lock() {
	prof 0 -e lock --total -d 3s -o "$scratch/lock.collapsed" "$pid" ||
		return
	near 'seconds' "$(awk '{ s += $NF } END { print s / 1e9 }' \
		"$scratch/lock.collapsed")" 3 50
}

# The library was loaded by several runs; the JVM has it once.
mapped() {
	grep -q "JDK-8" "$prof_err" && { echo '| not loaded'; return; }
	for _ in 1 2 3 4 5 6; do
		prof 0 -d 200ms -e wall -o "$scratch/again.collapsed" "$pid" ||
			return
	done
	copies=$(grep -c 'r-xp.*/\.sjkc-' "/proc/$pid/maps")
	echo "| $copies copy"
	[ "$copies" -le 1 ]
}

# probe counts calls for a part of the time; the rate must be the program's.
probes() {
	from_here && timeout 120 "$sjkc" probe -d 3s --json \
		"$pid" Account.light >"$scratch/probe" 2>"$scratch/probe.err" &&
		until_here || { cat "$scratch/probe.err"; return 1; }
	counted=$(grep -o '"calls":[0-9]*' "$scratch/probe" | head -n 1)
	near 'calls' "${counted#*:}" "$((calls * 3000 / at_ms))" 50
}

target_program=Account target_memory='-Xmx128m -XX:+UseParallelGC'
jdk_target "$version" -- "$scratch/account" || exit 1
for _ in $(seq 1 600); do
	[ ! -s "$scratch/account" ] || break
	sleep 0.1
done
cell 'account: cpu' cpu
cell 'account: wall' waits wall
cell 'account: offcpu' waits offcpu
cell 'account: alloc' alloc
cell 'account: lock' lock
cell 'account: copies of the agent' mapped
cell 'account: alloc again' alloc
cell 'account: probe' probes
