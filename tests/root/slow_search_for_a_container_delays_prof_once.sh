# SPDX-License-Identifier: Apache-2.0
# The container of JVMs in a private cgroup namespace is searched in the tree of the
# host's cgroups, where process 1 has mounted a file system that stops replying.
# prof --all waits for the search for a second, once, and samples the JVMs.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

[ -c /dev/fuse ] || { echo 'no FUSE'; exit 77; }
if [ -z "${ALONE-}" ]; then
	export ALONE=1
	exec unshare --pid --fork --kill-child --mount --propagation private \
		--mount-proc sh "$0" "$@"
fi
# JVMs of other namespaces with the same PIDs have files in /tmp.
echo $(($(od -An -N2 -tu2 /dev/urandom) % 30000 + 1000)) \
	>/proc/sys/kernel/ns_last_pid
mkdir -p "$scratch/source/group" "$scratch/served" "$scratch/dir"
python3 tests/root/lib/stalling_files.py "$scratch/source" "$scratch/served" \
	"$scratch/stall" >"$scratch/serving" 2>&1 &
server=$!
target_jobs="$target_jobs $server"
target_wait "$scratch/serving" READY || { cat "$scratch/serving"; exit 1; }
mount --bind "$scratch/served" /sys/fs/cgroup || exit 1
# The JVMs and sjkc see cgroups of version 2 alone.
printf '%s\n' 'umount /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup' \
	>"$scratch/within"
cp "$scratch/within" "$scratch/sjkc"
echo 'exec "$@"' >>"$scratch/within"
within="unshare --mount --propagation private sh $scratch/within"
jdk=$(jdks | head -n 1)
echo 0::/ >"$scratch/root"
for _ in 1 2; do
	target "$jdk" -Dtarget.duty=25 -- burners=1 || exit 1
	echo "mount --bind $scratch/root /proc/$pid/cgroup" >>"$scratch/sjkc"
done
echo "touch $scratch/stall" >>"$scratch/sjkc"
echo "exec $(realpath "$sjkc") \"\$@\"" >>"$scratch/sjkc"
printf '%s\n' '#!/bin/sh' \
	"exec unshare --mount --propagation private sh $scratch/sjkc \"\$@\"" \
	>"$scratch/run"
chmod +x "$scratch/run"
sjkc=$scratch/run
prof_start --all --min-age 0s -d 4s --interval 5m -o "$scratch/dir/" || exit 1
most=0
while [ -e "/proc/$prof_pid/stat" ]; do
	# shellcheck disable=SC2046 # words
	now=$(grep -sl '^State:.*D' $(sed 's|[0-9]*|/proc/&/status|g' \
		"/proc/$prof_pid/task/$prof_pid/children" 2>/dev/null) | wc -l)
	[ "$now" -le "$most" ] || most=$now
	waited=$((${waited-0} + 1))
	[ $waited -lt 100 ] ||
		{ echo 'prof waits for the search'; kill "$server"; exit 1; }
	sleep 0.2
done
prof_end 0 || exit 1
PYTHONPATH=tests/tools python3 - "$scratch"/dir/*.gz <<-'END' || exit 1
	import gzip, sys, otlp_check
	request = otlp_check.decode(gzip.open(sys.argv[1]).read(), "Request")
	checker = otlp_check.Checker(request)
	stacks = [[checker.stack(sample["stack"]) for scope in resource["scope_profiles"]
	    for profile in scope["profiles"] for sample in profile["samples"]]
	    for resource in request["resource_profiles"]]
	assert len(stacks) == 2 and all("Target.burn" in str(one) for one in stacks), stacks
END
[ "$most" -eq 1 ] || { echo "$most searches"; cat "$prof_err"; exit 1; }
