# SPDX-License-Identifier: Apache-2.0
# packaging/sjkc.service and packaging/daemonset.yaml are valid and give the same
# capabilities, without SYS_ADMIN.  With exactly these, as root, and without memory that is
# both writable and executable, prof --all samples a JVM of another user
# with the options of both files, and tells the service manager that it is ready.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

command -v setpriv >/dev/null || { echo 'no setpriv'; exit 77; }
unit=packaging/sjkc.service
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' $unit)
case $capabilities in
*SYS_ADMIN*) echo "$unit gives SYS_ADMIN"; exit 1 ;;
esac
sed "s|/usr/bin/sjkc|$(realpath "$sjkc")|; /^Documentation=/d" $unit \
	>"$scratch/sjkc.service"
if command -v systemd-analyze >/dev/null; then
	# It also checks the units of the machine.
	systemd-analyze verify "$scratch/sjkc.service" >"$scratch/verify" 2>&1
	! grep sjkc "$scratch/verify" || exit 1
else
	echo '# SKIP systemd-analyze verify: there is no systemd'
fi
if python3 -c 'import yaml' 2>/dev/null; then
	python3 - packaging/daemonset.yaml "$capabilities" >"$scratch/args" <<-'END' || exit 1
		import sys, yaml
		with open(sys.argv[1], encoding="utf-8") as file:
		    kinds = {one["kind"]: one for one in yaml.safe_load_all(file)}
		assert set(kinds) == {"Namespace", "DaemonSet"}, kinds
		spec = kinds["DaemonSet"]["spec"]
		pod = spec["template"]["spec"]
		assert (spec["selector"]["matchLabels"].items() <=
		        spec["template"]["metadata"]["labels"].items())
		assert pod["hostPID"] is True and pod["automountServiceAccountToken"] is False
		assert pod["tolerations"] == [{"operator": "Exists"}]
		(container,) = pod["containers"]
		rights = container["securityContext"]
		assert "privileged" not in rights
		assert rights["readOnlyRootFilesystem"] and not rights["allowPrivilegeEscalation"]
		assert rights["seccompProfile"] == {"type": "RuntimeDefault"}
		assert rights["capabilities"]["drop"] == ["ALL"]
		added = {"CAP_" + name for name in rights["capabilities"]["add"]}
		assert added == set(sys.argv[2].split()), added
		volumes = {one["name"]: one["hostPath"]["path"] for one in pod["volumes"]}
		mounts = container["volumeMounts"]
		assert {one["name"]: one["mountPath"] for one in mounts} == volumes
		assert all(one["readOnly"] for one in mounts)
		assert container["resources"]["limits"]["memory"] == "150Mi"
		names = {one["name"]: one for one in container["env"]}
		assert names["NODE_NAME"]["valueFrom"]["fieldRef"]["fieldPath"] == "spec.nodeName"
		(port,) = container["ports"]
		assert container["readinessProbe"]["httpGet"]["port"] == port["name"]
		print(" ".join(container["args"]).replace(str(port["containerPort"]), "0"))
	END
else
	echo '# SKIP the manifest: there is no python3-yaml'
fi

# await_ready FILE: a service manager's socket; stores what arrives first
cat >"$scratch/manager.py" <<-'END'
	import socket, sys
	manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	manager.bind(sys.argv[1])
	print("READY", flush=True)
	manager.settimeout(90)
	print("state", manager.recv(100).decode(), flush=True)
END
# MemoryDenyWriteExecute=yes, as the kernel has it since 6.3 (PR_SET_MDWE)
cat >"$scratch/deny.py" <<-'END'
	import ctypes, os, sys
	ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)
	os.execvp(sys.argv[1], sys.argv[1:])
END
# Where sampling needs SYS_ADMIN, users have to add it.
extra=
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 3 ] || extra=,+sys_admin
# run_with_rights NAME OPTION…: runs prof with the capabilities for 3 s
run_with_rights() {
	name=$1
	shift
	rm -f "$scratch/notify"
	python3 "$scratch/manager.py" "$scratch/notify" >"$scratch/$name.manager" 2>&1 &
	manager=$!
	target_jobs="$target_jobs $manager"
	target_wait "$scratch/$name.manager" READY || return
	export OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:$engine_port"
	set=$(echo "$capabilities" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
	NOTIFY_SOCKET=$scratch/notify timeout 100 setpriv --no-new-privs \
		--inh-caps=-all --bounding-set="-all,$set$extra" \
		python3 "$scratch/deny.py" "$sjkc" prof "$@" -F 49 -d 3s \
		>"$prof_out" 2>"$prof_err" ||
		{ echo "$name: status $?"; cat "$prof_err"; return 1; }
	wait $manager
	has "$scratch/$name.manager" '^state READY=1'
}

jdk=$(jdks | head -n 1)
classes=$(target_compile "$jdk") || exit 1
jar=/tmp/rights.jar
"$jdk/bin/jar" cfe "$jar" Target -C "$classes" . && chmod 644 "$jar" || exit 1
setpriv --reuid=4321 --regid=4321 --clear-groups \
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m -Dtarget.duty=25 -jar "$jar" burners=1 \
	>"$scratch/jvm" 2>&1 &
target_jobs="$target_jobs $!"
target_wait "$scratch/jvm" . || { cat "$scratch/jvm"; exit 1; }
engine_start || exit 1
options=$(sed -n 's|^ExecStart=/usr/bin/sjkc prof ||p' $unit | sed 's/:9464/:0/')
# shellcheck disable=SC2086 # words
run_with_rights unit $options --min-age 0 && engine_accepts &&
	engine_agrees "$prof_err" || exit 1
for frame in 'java.lang.Thread.run;Target' "service.name=rights "; do
	grep -q "$frame" "$engine"/*.txt || { echo "no $frame"; cat "$engine"/*.txt; exit 1; }
done
[ ! -s "$scratch/args" ] || {
	# shellcheck disable=SC2046 # words
	run_with_rights pod $(cat "$scratch/args") --min-age 0 || exit 1
}
