# SPDX-License-Identifier: Apache-2.0
# Without root: one's own JVM is asked; another's is not, and it is said whose
# it is.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
root_only
chmod 755 "$scratch"
cp "$sjkc" "$scratch/sjkc"
as_user='setpriv --reuid=4321 --regid=4321 --clear-groups --inh-caps=-all'

# $sjkc is the binary as that user
cat >"$scratch/unprivileged" <<END
#!/bin/sh
exec $as_user $scratch/sjkc "\$@"
END
chmod 755 "$scratch/unprivileged"
sjkc=$scratch/unprivileged

check() {
	target "$1" || return
	ask 4 jcmd "$pid" VM.version && said 'run as that user' && alive "$pid" &&
		no_litter "$pid" || return
	target_end "$pid"
	within=$as_user
	target "$1" || return
	within=
	ask 0 jcmd "$pid" VM.version && ask 0 jstack "$pid" && alive "$pid" &&
		no_litter "$pid" || return
	target_end "$pid"
}

for_each_jdk check
