# SPDX-License-Identifier: Apache-2.0
# A JVM replaces its arguments and its environment by 4 MB of NULs. Commands
# need little memory for them, and mark the arguments as incomplete.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

library=$(realpath "${TOOLS:-build/cc/tests/jvm/lib}/../../tools/replaced_arguments.so")
[ -e "$library" ] || { echo 'no replaced_arguments.so'; exit 77; }

# memory COMMAND…: runs sjkc and prints its peak memory in KB
memory() {
	python3 - "$sjkc" "$@" 3>"$scratch/out" <<-'END'
		import resource, subprocess, sys
		with open(3, 'wb') as out:
		    subprocess.run(sys.argv[1:], stdout=out, stderr=out)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
}

jdk=$(jdks | head -n 1)
target "$jdk" && sound=$pid || exit 1
within="env LD_PRELOAD=$library"
target "$jdk" || exit 1
size=$(wc -c <"/proc/$pid/cmdline")
[ "$size" -eq $((4 << 20)) ] || { echo "cmdline has $size bytes"; exit 1; }
for command in vminfo doctor; do
	less=$(memory $command -p "$sound")
	more=$(memory $command -p "$pid")
	echo "# $command: $less KB, $more KB"
	[ "$more" -lt $((less + 20480)) ] ||
		{ echo "$command needs $more KB, not $less KB"; exit 1; }
done
grep -q 'list is incomplete' "$scratch/out" ||
	{ tail -n 20 "$scratch/out"; exit 1; }
