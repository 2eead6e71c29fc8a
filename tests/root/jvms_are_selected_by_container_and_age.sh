# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 10 s of CPU time.
# prof --all --push selects JVMs by the id and the Kubernetes name of their container:
# both JVMs of this test are in control groups with such ids.  A JVM is not sampled
# before it has the age of --min-age.  A user may give a group any name: the group of
# a user does not name a container.  jps, vminfo, ttop, prof, gc, probe, hh and threads
# print the pod.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

shop=$(printf 'a%063d' $$)
depot=$(printf 'b%063d' $$)
side=$(printf 'c%063d' $$)
groups=
leave_groups() {
	target_end_all
	# A group is empty some time after its last process.
	for group in $groups; do
		for _ in $(seq 50); do
			! rmdir "$group" 2>/dev/null || break
			sleep 0.1
		done
	done
}
trap leave_groups EXIT
# Version 2 of control groups, or any hierarchy of version 1.
for top in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/*; do
	[ -w "$top/cgroup.procs" ] && mkdir "$top/sjkc-${scratch##*/}" 2>/dev/null || continue
	groups=$top/sjkc-${scratch##*/}
	break
done
[ -n "$groups" ] || { echo 'no control group can be made'; exit 77; }
top=$groups
uid=6f9c1c6e-0b5f-4ae8-9f0e-3f7c1a2b3c4d
for group in kubepods "kubepods/pod$uid" "kubepods/pod$uid/$shop" \
	"kubepods/pod$uid/$side" docker \
	"docker/$depot" user "user/pod$uid" "user/pod$uid/$shop"; do
	mkdir "$top/$group" || exit 1
	groups="$top/$group $groups"
done
chown 1000 "$top/user/pod$uid" "$top/user/pod$uid/$shop" || exit 1
cat >"$scratch/enter" <<-'END'
	echo $$ >"$1/cgroup.procs" || exit 1
	shift
	exec "$@"
END
# The kubelet's links; the id of the depot has none.
mount -t tmpfs tmpfs /var/log && mkdir /var/log/containers &&
	ln -s "/var/log/pods/prod_shop-7_$uid/web$$/0.log" \
		"/var/log/containers/shop-7_prod_web$$-$shop.log" || exit 1

# start NAME GROUP: starts a JVM in this group; without a name, it has no service
start() {
	within="sh $scratch/enter $top/$2"
	target "$jdk" ${1:+"-Dotel.service.name=$1"} -Dtarget.duty=10 -- burners=1 ||
		return 1
	within=
}
jdk=$(jdks | head -n 1)
engine_start || exit 1
start shop "kubepods/pod$uid/$shop" && shop_pid=$pid && start depot "docker/$depot" &&
	start spoof "user/pod$uid/$shop" || exit 1

# Other commands select a JVM by its pod, and name the pod.
for name in pod/prod/shop-7 pod/shop-7; do
	timeout 60 "$sjkc" vminfo "$name" >"$scratch/vminfo" 2>&1 &&
		grep -Eq "^pod: *prod/shop-7, container web$$\$" "$scratch/vminfo" ||
		{ cat "$scratch/vminfo"; exit 1; }
done
"$sjkc" jps --json >"$scratch/jps" 2>&1
grep -q "\"namespace\":\"prod\",\"pod\":\"shop-7\",\"container\":\"web$$\"" "$scratch/jps" ||
	{ cat "$scratch/jps"; exit 1; }
"$sjkc" jps >"$scratch/jps" 2>&1
grep -Eq '^ *PID .* POD  +CONTAINER +MAIN ' "$scratch/jps" &&
	grep -Eq "^ *$shop_pid .* prod/shop-7  web$$ " "$scratch/jps" &&
	[ "$(grep -c ' -  *-  *[^ ]*Target' "$scratch/jps")" -eq 2 ] ||
	{ cat "$scratch/jps"; exit 1; }

# A recording of ttop has the pod, too.
timeout 60 "$sjkc" ttop "$shop_pid" --json --iterations 1 -ri 500ms --no-uprobes \
	--record "$scratch/pod.jsonl" >"$scratch/ttop" 2>&1 &&
	grep -q "\"namespace\":\"prod\",\"pod\":\"shop-7\",\"container\":\"web$$\"" \
		"$scratch/ttop" &&
	"$sjkc" ttop --replay "$scratch/pod.jsonl" -b >"$scratch/ttop" 2>&1 &&
	grep -q "^  pod: prod/shop-7, container web$$\$" "$scratch/ttop" &&
	"$sjkc" ttop --replay "$scratch/pod.jsonl" --screen 150x20 >"$scratch/ttop" 2>&1 &&
	head -n 1 "$scratch/ttop" | grep -q ", prod/shop-7, container web$$ " ||
	{ cat "$scratch/ttop"; exit 1; }

# The title of a report and of a page has the pod.
of_pod="\\($shop_pid\\) in prod/shop-7, container web$$: "
prof 0 "$shop_pid" -d 1s -e wall --no-agent && has "$prof_out" "$of_pod" &&
	prof 0 "$shop_pid" -d 1s -e wall --no-agent -o "$scratch/pod.html" &&
	has "$scratch/pod.html" "$of_pod" || exit 1

# prints TEXT COMMAND…: fails unless the output or the messages have the text
prints() {
	text=$1
	shift
	timeout 60 "$sjkc" "$@" >"$scratch/printed" 2>&1 &&
		{ [ -z "$text" ] || grep -qF -- "$text" "$scratch/printed"; } ||
		{ echo "$*: no '$text'"; cat "$scratch/printed"; return 1; }
}
head="($shop_pid) in prod/shop-7, container web$$"
json="\"namespace\":\"prod\",\"pod\":\"shop-7\",\"container\":\"web$$\""
prints "$head: " gc "$shop_pid" -d 1s --source counters &&
	prints "$head" gc "$shop_pid" -d 1s --source counters -o "$scratch/gc.html" &&
	has "$scratch/gc.html" "^Target .$shop_pid. in prod/shop-7, container web$$\$" &&
	prints "$head, " probe "$shop_pid" '*Target*.*' --count -d 1s &&
	prints "$json" probe "$shop_pid" '*Target*.*' --count -d 1s --json &&
	prints "$shop_pid in prod/shop-7, container web$$: thread dump" \
		threads "$shop_pid" &&
	prints "$json" threads "$shop_pid" --json &&
	prints '' threads "$shop_pid" -o "$scratch/threads.html" &&
	has "$scratch/threads.html" \
		"^$shop_pid in prod/shop-7, container web$$: threads" &&
	prints "$json" hh "$shop_pid" -n 1 --json &&
	prints ", prod/shop-7, container web$$, changes in " hh "$shop_pid" -n 1 \
		--watch 1s --iterations 1 &&
	prints "$json" hh "$shop_pid" -n 1 --json --watch 1s --iterations 1 || exit 1
# Full collections of jcmd are records with the pod.
"$sjkc" gc "$shop_pid" -d 3s --source counters --json >"$scratch/gc" 2>"$scratch/gc.err" &
gc=$!
target_wait "$scratch/gc.err" . && prints '' jcmd "$shop_pid" GC.run && wait $gc &&
	has "$scratch/gc" "$json" || { cat "$scratch/gc" "$scratch/gc.err"; exit 1; }

for name in pod/other/shop-7 pod/shop pod/; do
	"$sjkc" vminfo "$name" >"$scratch/vminfo" 2>&1
	[ $? -eq 3 ] || { cat "$scratch/vminfo"; exit 1; }
done

# sampled SERVICE OPTION…: fails unless prof --all samples this service alone
sampled() {
	service=$1
	shift
	rm -f "$engine"/*.txt
	prof 0 --all "$@" -F 49 -d 3s --interval 1s --shutdown-timeout 60s \
		--push "http://127.0.0.1:$engine_port" || return 1
	engine_accepts && engine_agrees "$prof_err" || return 1
	services=$(sed -n 's/^resource service\.name=\([^ ]*\).*/\1/p' "$engine"/*.txt |
		sort -u)
	[ "$services" = "$service" ] || { echo "services: $services"; return 1; }
}
sampled shop --include-jvm "container=web$$" || exit 1
for text in "container.id=$shop" "k8s.container.name=web$$" k8s.pod.name=shop-7 \
	k8s.namespace.name=prod; do
	grep -q "^resource .* $text" "$engine"/*.txt ||
		{ echo "no $text"; grep -h ^resource "$engine"/*.txt; exit 1; }
done
rm -f "$engine"/*.txt
prof 0 --all --exclude-jvm "container=$depot" -F 49 -d 3s --interval 1s \
	--shutdown-timeout 60s --push "http://127.0.0.1:$engine_port" || exit 1
spoof=$(grep -h '^resource service\.name=spoof ' "$engine"/*.txt)
case $spoof in
'') echo 'the JVM in the group of a user was not sampled'; exit 1 ;;
*container.id=* | *k8s.pod* | *k8s.namespace* | *k8s.container*)
	echo "container of another: $spoof"
	exit 1 ;;
esac
sampled depot --include-jvm "container=$shop" --include-jvm "container=b*$$" \
	--exclude-jvm "container=web$$" &&
	has "$prof_err" "excluded by --exclude-jvm container=web$$: 1\$" || exit 1

# age: how long the JVM runs, in 1/100 s
age() {
	started=$(sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $20 }')
	awk -v started="$started" '{ print int($1 * 100 - started) }' /proc/uptime
}
rm -f "$engine"/*.txt "$engine/times"
prof_start --all --include-jvm "container=$depot" --min-age 6s -F 49 --interval 1s \
	--shutdown-timeout 60s --push "http://127.0.0.1:$engine_port" || exit 1
target_wait "$engine/times" . || exit 1
start young "docker/$depot" || exit 1
for _ in $(seq 1000); do
	! grep -q '^resource service.name=young ' "$engine"/*.txt || break
	sleep 0.1
done
age=$(age)
[ "$age" -ge 600 ] || { echo "sampled at the age of $age/100 s"; exit 1; }
grep -q '^resource service.name=young ' "$engine"/*.txt ||
	{ echo 'the young JVM was never sampled'; cat "$prof_err"; exit 1; }
kill -INT "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1

# The name of a pod with several containers does not tell them apart.  In a container
# that shares only the processes of the machine, the host is the machine.
ln -s "/var/log/pods/prod_shop-7_$uid/side$$/0.log" \
	"/var/log/containers/shop-7_prod_side$$-$side.log" &&
	start '' "kubepods/pod$uid/$side" || exit 1
host=sjkc-d28gh
if [ -e /etc/hostname ]; then
	host=node-7
	printf '# of the machine\n%s\n' "$host" >"$scratch/hostname"
	mount --bind "$scratch/hostname" /etc/hostname || exit 1
fi
cat >"$scratch/in-pod" <<-END
	hostname sjkc-d28gh && exec "$sjkc" "\$@"
END
printf '#!/bin/sh\nexec unshare --uts sh "%s" "$@"\n' "$scratch/in-pod" >"$scratch/sjkc"
chmod +x "$scratch/sjkc"
sjkc=$scratch/sjkc
unset NODE_NAME
# The kernel knows the name of the machine; the file may be that of an image.
kernel=$(uname -n)
case $kernel in
'(none)' | localhost*) kernel=$host ;;
esac
for host in "$kernel" "$host"; do
	sampled "shop-side$$" --include-jvm "container=side$$" || exit 1
	grep -q "^resource .* host.name=$host " "$engine"/*.txt ||
		{ echo "not $host"; grep -h ^resource "$engine"/*.txt; exit 1; }
	sed -i 's/exec/exec setpriv --bounding-set=-sys_admin/' "$scratch/in-pod"
done
