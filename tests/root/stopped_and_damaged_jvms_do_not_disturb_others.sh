# SPDX-License-Identifier: Apache-2.0
# prof --all --push with a JVM that is stopped, a JVM whose counters in
# /tmp/hsperfdata_USER are garbage, and a JVM without that file: the samples of
# another JVM arrive, and none is lost.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

counters() {
	echo "/tmp/hsperfdata_$(id -un)/$1"
}

jdk=$(jdks | head -n 1)
engine_start || exit 1
target "$jdk" -Dotel.service.name=sound -Dtarget.duty=25 -- burners=1 || exit 1
target "$jdk" -Dotel.service.name=damaged -Dtarget.duty=25 -- burners=1 && damaged=$pid || exit 1
target "$jdk" -Dotel.service.name=without -- threads=1 && without=$pid || exit 1
target "$jdk" -Dotel.service.name=stopped -Dtarget.duty=25 -- burners=1 && stopped=$pid || exit 1
rm "$(counters "$damaged")" "$(counters "$without")"
head -c 32768 /dev/urandom >"$(counters "$damaged")" || exit 1
kill -STOP "$stopped"
prof_start --all --push "http://127.0.0.1:$engine_port" --interval 1s \
	--shutdown-timeout 60s || exit 1
# profiles NAME: the number of profiles of the JVM that the receiver has
profiles() {
	cat "$engine"/*.txt 2>/dev/null | grep -c "^resource service.name=$1 "
}

for _ in $(seq 600); do
	[ "$(profiles sound)" -lt 2 ] || [ "$(profiles damaged)" -lt 2 ] || break
	sleep 0.1
done
kill -INT "$prof_pid"
prof_end 0 || exit 1
kill -CONT "$stopped"
engine_accepts && engine_agrees "$prof_err" || exit 1
for name in sound damaged; do
	[ "$(profiles $name)" -ge 2 ] ||
		{ echo "too few profiles of $name"; grep -h '^resource' "$engine"/*.txt; exit 1; }
done
! grep -q '^resource service.name=stopped ' "$engine"/*.txt ||
	{ echo 'a stopped JVM has samples'; exit 1; }
grep -q 'Target.burn' "$engine"/*.txt || { echo 'no Target.burn'; exit 1; }
