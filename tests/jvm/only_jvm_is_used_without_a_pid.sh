# SPDX-License-Identifier: Apache-2.0
# The test runs in its own PID namespace, where no other JVM runs.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
unshare --pid --fork --mount-proc true 2>/dev/null ||
	{ echo 'no namespaces'; exit 77; }
jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
cp "$sjkc" "$scratch/sjkc"
cat >"$scratch/inside.sh" <<-END
	# start NAME: starts a JVM and waits until it is ready
	start() {
		env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m \
			-XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
			-cp "$classes" Target waiters=1 \
			</dev/null >"$scratch/said.\$1" 2>&1 &
		for i in \$(seq 1 3000); do
			grep -q READY "$scratch/said.\$1" && return
			sleep 0.1
		done
		exit 1
	}
	# try STATUS TEXT COMMAND…: sjkc exits with STATUS and prints TEXT
	try() {
		status=\$1 what=\$2
		shift 2
		"$scratch/sjkc" "\$@" >"$scratch/got" 2>&1 </dev/null
		got=\$?
		[ \$got -eq \$status ] && grep -q -- "\$what" "$scratch/got" &&
			return
		echo "\$*: exit status \$got, wanted \$status and \$what"
		head -n 20 "$scratch/got"
		exit 1
	}
	start one
	first=\$!
	only="sjkc: using the only JVM here: \$first Target"
	for command in jstack hh vminfo doctor 'jmap -histo' 'perfmap -o -' \
		'jstat -gcutil' 'jstat -gcutil 10ms 2' \
		'ttop -b -ri 100ms --iterations 1'; do
		try 0 "\$only" \$command
	done
	"$scratch/sjkc" completion bash >"$scratch/sjkc.bash"
	offered=\$(PATH=$scratch:\$PATH bash --norc -c ". $scratch/sjkc.bash
		COMP_WORDS=(sjkc jstack '') COMP_CWORD=2; _sjkc
		echo \\"\\\${COMPREPLY[*]}\\"")
	[ "\$offered" = "\$first Target" ] ||
		{ echo "bash completes jstack with \$offered"; exit 1; }
	start two
	second=\$!
	try 2 "^sjkc:   2\\. pid \$second: Target waiters=1" jstack
	try 2 'name one of these JVMs by its PID' jstack
	try 2 "matches 2 JVMs" jstack Target
	# On a terminal, sjkc asks; the user types a number of the list or a
	# PID.
	for answer in 2 \$second; do
		echo \$answer | script -qec "$scratch/sjkc jps -l
			$scratch/sjkc vminfo" /dev/null >"$scratch/got" 2>&1
		grep -q "number or PID:" "$scratch/got" &&
			grep -q "^\$second" "$scratch/got" && continue
		echo "answered \$answer:"
		cat "$scratch/got"
		exit 1
	done
	echo 77777 | script -qec "$scratch/sjkc vminfo" /dev/null |
		grep -q "'77777' is not in the list" ||
		{ echo '77777 is taken for a JVM'; exit 1; }
	kill \$first \$second
END
unshare --mount --pid --fork --kill-child --mount-proc sh "$scratch/inside.sh"
