# SPDX-License-Identifier: Apache-2.0
# The test mounts its own /proc in its own namespaces.
scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
unshare --mount --pid --fork --mount-proc true 2>/dev/null ||
	{ echo 'no namespaces'; exit 77; }
jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
chmod 755 "$scratch"
cp "$1" "$scratch/sjkc"
cat >"$scratch/inside.sh" <<-END
	mount -o remount,hidepid=2 /proc || { echo 'no hidepid'; exit 77; }
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m \
		-XX:TieredStopAtLevel=1 -cp "$classes" Target \
		>"$scratch/said" 2>&1 &
	jvm=\$!
	for i in \$(seq 1 600); do
		grep -q READY "$scratch/said" && break
		sleep 0.1
	done
	"$scratch/sjkc" jps --quiet --csv | grep -q "^\$jvm," ||
		{ echo 'root does not see it'; exit 1; }
	user='setpriv --reuid=1234 --regid=1234 --clear-groups'
	\$user "$scratch/sjkc" jps 2>&1 | grep -q hidepid ||
		{ echo 'jps does not say that some are hidden'; exit 1; }
	said=\$(\$user "$scratch/sjkc" doctor \$jvm 2>&1)
	status=\$?
	[ \$status -eq 4 ] && echo "\$said" | grep -q hidepid ||
		{ echo "exit status \$status: \$said"; exit 1; }
	\$user "$scratch/sjkc" doctor 77777 2>/dev/null
	status=\$?
	[ \$status -eq 3 ] || { echo "none there: exit status \$status"; exit 1; }
	kill \$jvm
END
unshare --mount --pid --fork --kill-child --mount-proc sh "$scratch/inside.sh"
