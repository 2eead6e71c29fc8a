# SPDX-License-Identifier: Apache-2.0
# snap writes a bundle of a JVM in a container, which tar lists and other commands
# read after the JVM has exited, as another user.  Parts that fail are named, and
# secrets are masked.
# Begins early: it mostly waits, for ten seconds.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
root_only

# has NAME: fails unless the bundle has a file
has() {
	[ -e "$scratch/bundle/$1" ] && return
	echo "the bundle has no $1:"
	cat "$scratch/list" "$scratch/err"
	return 1
}

# status_of NAME: prints the status of a file in the manifest
status_of() {
	tr '{' '\n' <"$scratch/bundle/manifest.json" |
		sed -n "s|^\"name\":\"$1\",\"status\":\"\([a-z]*\)\".*|\1|p"
}

# unpack FILE: lists and unpacks a bundle
unpack() {
	rm -rf "$scratch/bundle"
	tar -tf "$1" >"$scratch/list" 2>&1 &&
		mkdir "$scratch/bundle" &&
		tar -xf "$1" -C "$scratch/bundle" --strip-components=1 &&
		return
	cat "$scratch/list"
	return 1
}

# read_as_nobody ARGUMENT...: runs sjkc in an empty directory, without rights
read_as_nobody() {
	(cd "$scratch/elsewhere" && setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$sjkc" "$@" >out 2>err) && return
	echo "sjkc $* failed:"
	cat "$scratch/elsewhere/err"
	return 1
}

# expected TEXT: fails unless the last output of read_as_nobody has a match
expected() {
	grep -q -- "$1" "$scratch/elsewhere/out" && return
	echo "no $1:"
	head -n 20 "$scratch/elsewhere/out"
	return 1
}

jdk=$(jdks | head -n 1)
target_contained "$jdk" -Dmy.password=hunter2 -- threads=3 deadlock=2 || exit 1
echo 'started with token=hunter3 url http://u:hunter4@h/' >>"$said"
ask 0 snap "$pid" -o "$scratch/b.tar.gz" \
	--exec 'echo "pid $SJKC_PID key=hunter5"; exit 3' --exec 'echo fine' || exit 1
[ "$(stat -c %a "$scratch/b.tar.gz")" = 600 ] || { echo 'others may read it'; exit 1; }
target_end "$pid"
unpack "$scratch/b.tar.gz" || exit 1
for name in manifest.json why.json threads-1.txt threads-5.txt gc.json histogram.txt \
	flags.txt counters.txt vminfo.txt native_memory.txt proc/status proc/limits \
	proc/sockets.txt system/loadavg system/vmstat disk_space.txt exec-1.txt \
	exec-2.txt; do
	has $name || exit 1
done
grep -q '"schema":"sjkc.why/1"' "$scratch/bundle/why.json" || { echo 'no why'; exit 1; }
grep -q 'java.lang.String' "$scratch/bundle/histogram.txt" || { echo 'no String'; exit 1; }
! grep -r 'hunter[2-5]' "$scratch/bundle" || exit 1
grep -q 'token=\*\*\* url http://u:\*\*\*@h/' "$scratch/bundle/logs/"* ||
	{ echo 'no log'; ls "$scratch/bundle/logs"; exit 1; }
grep -q "^pid $pid key=\*\*\*" "$scratch/bundle/exec-1.txt" || { echo 'no pid'; exit 1; }
[ "$(status_of exec-1.txt)" = failed ] && [ "$(status_of exec-2.txt)" = ok ] &&
	grep -q 'exit status 3' "$scratch/bundle/manifest.json" && said 'exit status 3' ||
	{ cat "$scratch/bundle/manifest.json"; exit 1; }

mkdir -m 777 "$scratch/elsewhere"
chmod 755 "$scratch"
chmod 644 "$scratch/b.tar.gz"
read_as_nobody why "$scratch/b.tar.gz" && expected 'BROKEN *deadlock' || exit 1
read_as_nobody threads "$scratch/b.tar.gz" && expected 'deadlock' || exit 1
read_as_nobody flame -o out.html "$scratch/b.tar.gz" &&
	grep -q '<html' "$scratch/elsewhere/out.html" || exit 1
read_as_nobody gc "$scratch/b.tar.gz" && expected 'collections\|pauses' || exit 1
read_as_nobody diff "$scratch/b.tar.gz" "$scratch/b.tar.gz" && expected . || exit 1
read_as_nobody why "$scratch/b.tar.gz" &&
	expected '^1  BROKEN   deadlock of 2 threads' || exit 1
