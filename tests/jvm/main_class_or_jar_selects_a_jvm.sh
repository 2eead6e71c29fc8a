# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
jdk=$(jdks | head -n 1)
# No other JVM of this machine has these names.
classes=$(target_compile "$jdk") || exit 1
mkdir -p "$scratch/sub"
printf 'Main-Class: Target\n' >"$scratch/manifest"
"$jdk/bin/jar" --create --file "$scratch/sub/named-$$.jar" \
	--manifest "$scratch/manifest" -C "$classes" . || exit 1

# doctor DIRECTORY STATUS NAME TEXT: runs the sjkc in that directory, which must
# exit with STATUS and print TEXT
doctor() {
	"$1/sjkc" doctor "$3" >"$scratch/got" 2>&1
	status=$?
	[ $status -eq "$2" ] && grep -q -- "$4" "$scratch/got" && return
	echo "doctor $3: exit status $status, wanted $2 and: $4"
	cat "$scratch/got"
	exit 1
}

# start JAR: starts a JVM with the jar and waits until it is ready
start() {
	said=$scratch/said.$1
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m -XX:+UseSerialGC \
		-jar "$scratch/sub/$1" </dev/null >"$said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$said" READY
}

mkdir "$scratch/bin" && cp "$1" "$scratch/bin/sjkc"
start "named-$$.jar" || exit 1
first=$pid
for name in "named-$$.jar" "named-$$" "$scratch/sub/named-$$.jar" \
	"am.d-$$\\.j" "$first"; do
	doctor "$scratch/bin" 0 "$name" "^$first .*named-$$.jar"
done
doctor "$scratch/bin" 3 "nam-$$.jar" "did you mean 'named-$$.jar'"
doctor "$scratch/bin" 2 "amed-$$(" 'invalid regular expression'
cp "$scratch/sub/named-$$.jar" "$scratch/sub/other-named-$$.jar"
start "other-named-$$.jar" || exit 1
# The name is exact for one JVM; the regular expression matches both.
doctor "$scratch/bin" 0 "named-$$" "^$first "
doctor "$scratch/bin" 2 "a.*med-$$" "pid $pid: .*other-named-$$.jar"
grep -q "^sjkc:   [12]\. pid $first: .*named-$$.jar" "$scratch/got" ||
	{ cat "$scratch/got"; exit 1; }

# A thread ID does not select a JVM.
thread=$(find "/proc/$pid/task" -maxdepth 1 -name '[0-9]*' \
	! -name "$pid" | sed -n 's|.*/||p' | head -n 1)
doctor "$scratch/bin" 2 "$thread" "is a thread of process $pid"
target_stop "$first" || exit 1
doctor "$scratch/bin" 5 "$first" 'kill -CONT'
kill -CONT "$first"
exit 0
