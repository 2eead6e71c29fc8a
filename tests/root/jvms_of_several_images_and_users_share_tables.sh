# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Only in check-all: it starts four JVMs; process_images_test checks the sharing of images.
# Two users run JVMs of two copies of libjvm, as of two images.  prof has the
# tables of libjvm in memory once, not once for each copy and user.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
libjvm=$(readlink -f "$jdk/lib/server/libjvm.so")

# most_memory PID…: prints the most anonymous memory of prof in KB
most_memory() {
	python3 - "$sjkc" "$scratch/out.collapsed" "$@" <<-'END'
		import re, subprocess, sys, time
		p = subprocess.Popen([sys.argv[1], "prof", "--no-agent", "-d", "3s",
		                      "-o", sys.argv[2], *sys.argv[3:]],
		                     stdout=subprocess.DEVNULL)
		most = 0
		while p.poll() is None:
		    found = re.search(r"RssAnon:\s*(\d+)",
		                      open(f"/proc/{p.pid}/status").read())
		    most = max(most, int(found[1]) if found else 0)
		    time.sleep(0.02)
		print(most)
		sys.exit(p.returncode)
	END
}

pids=
for user in 3001 3002; do
	for copy in one two; do
		[ -e "$target_classes/$$.$copy.sh" ] ||
			cp "$libjvm" "$target_classes/$$.$copy.sh" || exit 1
		cat >"$scratch/$copy.sh" <<-END
			mount --bind "$target_classes/$$.$copy.sh" "$libjvm" || exit 1
			exec setpriv --reuid=$user --regid=$user --clear-groups --inh-caps=-all "\$@"
		END
		within="unshare --mount --propagation private sh $scratch/$copy.sh"
		target "$jdk" -- burners=1 || exit 1
		pids="$pids $pid"
	done
done
[ "$(for pid in $pids; do awk '/libjvm/ { print $5; exit }' "/proc/$pid/maps"; done |
	sort -u | wc -l)" -eq 2 ] || { echo 'not two copies'; exit 1; }

one=$(most_memory "${pids##* }") && # shellcheck disable=SC2086 # words
	all=$(most_memory $pids) || exit 1
for pid in $pids; do
	has "$scratch/out.collapsed" "$pid.*;JavaThread::.*Target\.burn" || exit 1
done
# Symbols, their names and the call frame information are most of the tables.
tables=$(readelf -SW "$libjvm" | sed 's/^ *\[ *[0-9]*\]//' |
	awk '$1 ~ /^\.(symtab|strtab|eh_frame)$/ { print $5 }' |
	while read -r size; do echo $((0x$size)); done |
	awk '{ sum += $1 } END { print int(sum / 1024) }')
echo "one JVM: $one KB, four: $all KB, tables: $tables KB"
[ "$tables" -gt 2000 ] || { echo 'libjvm is stripped'; exit 77; }
# While a copy is compared, it is in memory, too.
[ "$all" -lt $((one + tables + tables / 2)) ]
