# SPDX-License-Identifier: Apache-2.0
# With --all, a bundle has a directory for each JVM.  A signal ends snap early, and
# --max-size drops files; the manifest names the missing files.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# manifest FILE: prints the rows of a manifest
manifest() {
	tar -xzOf "$1" --wildcards '*/manifest.json' | tr '{' '\n'
}

# row FILE TEXT: fails unless the manifest has a row
row() {
	manifest "$1" | grep -q "$2" && return
	echo "no $2:"
	manifest "$1"
	return 1
}

jdk=$(jdks | head -n 1)
target "$jdk" -- threads=3 || exit 1
first=$pid
target "$jdk" -- threads=3 || exit 1
ask 0 snap --all --quick -o "$scratch/all.tar.gz" || exit 1
tar -tzf "$scratch/all.tar.gz" >"$scratch/list" || exit 1
for one in "$first" "$pid"; do
	grep -q "/$one/why.json$" "$scratch/list" || { cat "$scratch/list"; exit 1; }
done
grep -q '/system/loadavg$' "$scratch/list" || exit 1
! grep 'histogram\|profile' "$scratch/list" || exit 1
ask 6 threads "$scratch/all.tar.gz" && said 'several JVMs' || exit 1
target_end "$first"

# Without --quick, it would take ten seconds.
timeout -s INT 3 "$sjkc" snap "$pid" -o "$scratch/cut.tar.gz" 2>"$scratch/err"
row "$scratch/cut.tar.gz" '"interrupted":true' &&
	row "$scratch/cut.tar.gz" '"threads-5.txt","status":"skipped"' &&
	row "$scratch/cut.tar.gz" '"threads-1.txt","status":"ok"' || exit 1
ask 0 threads "$scratch/cut.tar.gz" || exit 1

ask 0 snap "$pid" --quick --max-size 12k -o "$scratch/small.tar.gz" || exit 1
row "$scratch/small.tar.gz" '"why.json","status":"ok"' &&
	row "$scratch/small.tar.gz" '"status":"dropped"' || exit 1
[ "$(stat -c %s "$scratch/small.tar.gz")" -lt 20000 ] || exit 1
