# SPDX-License-Identifier: Apache-2.0
# Real control groups and mount namespaces: the JVM and sjkc see only their own
# group below /sys/fs/cgroup, as in two containers of a pod.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }

tops='cpu memory freezer'
own() { sed -n "s/^[0-9]*:\([^:]*,\)*$1\(,[^:]*\)*:/\/sys\/fs\/cgroup\/$1/p" /proc/self/cgroup; }
unified=$(awk '$(NF - 2) == "cgroup2" { print $5; exit }' /proc/self/mountinfo)
for top in $tops; do
	[ -d "/sys/fs/cgroup/$top" ] && mkdir "$(own "$top")/sjkc.$$.app" \
		"$(own "$top")/sjkc.$$.debug" && continue
	echo 'cannot make groups of version 1'
	exit 77
done

end() {
	target_end_all
	for top in $tops; do
		rmdir "$(own "$top")/sjkc.$$.app" "$(own "$top")/sjkc.$$.debug"
	done
	[ ! -d "$unified/sjkc.$$.app" ] ||
		rmdir "$unified/sjkc.$$.app" "$unified/sjkc.$$.debug"
}
trap end EXIT

for one in app:50000:300000000 debug:30000:200000000; do
	group=sjkc.$$.${one%%:*} one=${one#*:}
	echo "${one%:*}" >"$(own cpu)/$group/cpu.cfs_quota_us" &&
		echo "${one#*:}" >"$(own memory)/$group/memory.limit_in_bytes" || exit
done

# enter GROUP COMMAND…: runs a command in a group, and shows it that group only,
# or nothing if $hidden is set
cat >"$scratch/enter" <<-END
	group=\$1
	shift
	for top in $tops; do
		eval "own=\\\$own_\$top"
		echo \$\$ >"\$own/\$group/cgroup.procs" || exit
		mkdir -p "$scratch/\$group/\$top"
	done
	mount -t tmpfs tmpfs "$scratch/\$group" || exit
	for top in $tops; do
		eval "own=\\\$own_\$top"
		mkdir "$scratch/\$group/\$top"
		[ -n "\$hidden" ] || mount --bind "\$own/\$group" "$scratch/\$group/\$top" || exit
	done
	mount --rbind "$scratch/\$group" /sys/fs/cgroup || exit
	exec "\$@"
END
own_cpu=$(own cpu) own_memory=$(own memory) own_freezer=$(own freezer)
export own_cpu own_memory own_freezer hidden

# prints TEXT COMMAND…: fails unless sjkc in its container prints that text
prints() {
	wanted=$1
	shift
	unshare --mount sh "$scratch/enter" "sjkc.$$.debug" "$sjkc" "$@" \
		>"$scratch/got" 2>&1
	tr '\n' ' ' <"$scratch/got" | grep -Eq -- "$wanted" && return
	echo "sjkc $*: wanted $wanted"
	cat "$scratch/got"
	exit 1
}

within="unshare --mount sh $scratch/enter sjkc.$$.app"
target "$jdk" || exit
prints 'CPUs: *may run on [0-9]+ of [0-9]+, limited by its cgroup to 0.50' vminfo "$pid"
prints 'memory: *[0-9.]+ MB resident, limited by its cgroup to 286 MB' vminfo "$pid"
prints 'container limit 0.50 CPUs, throttled=[0-9]' ttop "$pid" -b -ri 1s --iterations 2
prints 'memory .*limited by its cgroup to 286 MB' doctor "$pid"
# From outside, where all groups are visible, the result is the same.
"$sjkc" vminfo "$pid" | grep -q 'limited by its cgroup to 0.50' || exit
echo FROZEN >"$(own freezer)/sjkc.$$.app/freezer.state"
prints 'its cgroup is frozen' jcmd --timeout 60s "$pid" VM.version
echo THAWED >"$(own freezer)/sjkc.$$.app/freezer.state"
target_end "$pid"

# Without a mount of its group, a limit is unknown, not absent.
hidden=1
target "$jdk" || exit
prints 'CPUs: *may run on [0-9]+ of [0-9]+, limit unknown' vminfo "$pid"
prints 'memory: *[0-9.]+ MB resident, limit unknown' vminfo "$pid"
prints 'of [0-9]+ CPUs, container limit unknown' ttop "$pid" -b -ri 1s --iterations 1
target_end "$pid"

# Version 2, with a control group namespace for each container. Its controllers
# may be in use by version 1, except the state of a frozen group.
mkdir "$unified/sjkc.$$.app" "$unified/sjkc.$$.debug" || exit 0
[ -e "$unified/sjkc.$$.app/cgroup.freeze" ] || exit 0
cat >"$scratch/enter2" <<-END
	echo \$\$ >"$unified/\$1/cgroup.procs" || exit
	shift
	exec unshare --mount --cgroup sh -c \
		'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "\$@"' sh "\$@"
END
within="sh $scratch/enter2 sjkc.$$.app"
target "$jdk" || exit
echo 1 >"$unified/sjkc.$$.app/cgroup.freeze"
sh "$scratch/enter2" "sjkc.$$.debug" "$sjkc" jcmd --timeout 60s "$pid" \
	VM.version >"$scratch/got" 2>&1
echo 0 >"$unified/sjkc.$$.app/cgroup.freeze"
grep -q 'its cgroup is frozen' "$scratch/got" || { cat "$scratch/got"; exit 1; }
