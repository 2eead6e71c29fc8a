# SPDX-License-Identifier: Apache-2.0
# prof --push prints notes, too, and counts them in sjkc_notes_total: those of unnamed
# frames.  sjkc_frames_unnamed_total is the number of unnamed Java frames in the profiles that
# the receiver has.  Code is unloaded while prof is stopped, so that the names are gone
# when it reads the samples.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/compiled.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

command -v curl >/dev/null || { echo 'no curl'; exit 77; }
compiled "$(jdks | head -n 1)" -- churn || exit 1
engine_start || exit 1
prof_start -p "$pid" -F 99 --push "http://127.0.0.1:$engine_port" --interval 1s \
	--metrics 127.0.0.1:0 --shutdown-timeout 60s || exit 1
target_wait "$prof_err" 'serving http' || { cat "$prof_err"; exit 1; }
url=$(sed -n 's|.*serving \(http://[0-9.:]*/metrics\).*|\1|p' "$prof_err")

# counted: the value of the metric
counted() {
	curl -s -S -f --max-time 20 "$url" | sed -n 's/^sjkc_frames_unnamed_total //p'
}

# received: the number of unnamed frames in all samples that the receiver has
received() {
	cat "$engine"/*.txt 2>/dev/null | awk '
		/^  / {
			sub(/ thread\.name=.*/, "")
			value = $NF
			sum += value * gsub(/\[unknown Java method\]/, "")
		}
		END { print sum + 0 }'
}

for _ in $(seq 30); do
	kill -STOP "$prof_pid"
	sleep 0.7
	kill -CONT "$prof_pid"
	sleep 0.3
	[ "$(counted)" = 0 ] || break
done
[ "$(counted)" -gt 0 ] || { echo 'all frames have names'; exit 1; }
# A stopped JVM has no samples, so the counts stay as they are.
target_stop "$pid" || exit 1
for _ in $(seq 120); do
	count=$(counted)
	[ "$count" != "$(received)" ] || break
	sleep 0.5
done
kill -CONT "$pid"
[ "$count" = "$(received)" ] ||
	{ echo "counted $count, received $(received)"; cat "$prof_err"; exit 1; }
curl -s -S -f --max-time 20 "$url" >"$scratch/metrics"
kill -INT "$prof_pid"
prof_end 0 || exit 1
has "$prof_err" 'Java frames without a name: [1-9][0-9]* \(their code or class was unloaded\)' &&
	has "$prof_err" 'note: Java frames without a name: [1-9]' &&
	has "$scratch/metrics" 'sjkc_notes_total\{kind="Java frames without a name"\} [1-9]' ||
	exit 1
[ "$(sed -n 's/.*note: Java frames without a name: //p' "$prof_err")" -ge "$count" ] ||
	{ cat "$prof_err"; exit 1; }
engine_accepts && engine_agrees "$prof_err"
