# SPDX-License-Identifier: Apache-2.0
# Without root, sjkc attaches to a JVM of the same user.  For a JVM of another
# user, it sends no signal and names the user.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
root_only
chmod 755 "$scratch"
cp "$sjkc" "$scratch/sjkc"
as_user='setpriv --reuid=4321 --regid=4321 --clear-groups --inh-caps=-all'

# sets $sjkc to a script that runs the binary as that user
cat >"$scratch/unprivileged" <<END
#!/bin/sh
exec $as_user $scratch/sjkc "\$@"
END
chmod 755 "$scratch/unprivileged"
sjkc=$scratch/unprivileged

# gc --all names the JVMs that it cannot observe.  JVMs of other tests may run as
# that user.
all_lacks_it() {
	timeout 100 "$sjkc" gc --all 100ms --source counters >"$scratch/out" \
		2>"$scratch/err"
	said 'no permission to inspect '
}

check() {
	target "$1" || return
	ask 4 jcmd "$pid" VM.version && said 'run as that user' && alive "$pid" &&
		attach_left_nothing "$pid" && all_lacks_it || return
	target_end "$pid"
	within=$as_user
	target "$1" || return
	within=
	ask 0 jcmd "$pid" VM.version && ask 0 jstack "$pid" && alive "$pid" &&
		attach_left_nothing "$pid" || return
	target_end "$pid"
}

for_each_jdk check
