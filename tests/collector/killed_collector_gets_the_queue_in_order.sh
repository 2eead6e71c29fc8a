# SPDX-License-Identifier: Apache-2.0
# The Collector is killed, intervals pass, and it is started again: the queue
# arrives in order, over HTTP and gRPC.  The sum of the samples is the number taken.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/collector/lib.sh

jdk=$(all_jdks | head -n 1)
target "$jdk" -- burners=2 || exit 1
for kind in http grpc; do
	rm -f "$received"/*
	receiver_start || exit 1
	[ $kind = http ] && url=http://127.0.0.1:$http || url=grpc://127.0.0.1:$grpc
	# The target's own samples must not be lost to the load of the machine.
	prof_start --pid "$pid" -F 49 --interval 1s --shutdown-timeout 60s \
		--push "$url" || exit 1
	target_wait "$received/2.json" . || { cat "$prof_err"; exit 1; }
	kill -KILL "$receiver_pid"
	wait "$receiver_pid" 2>/dev/null
	target_wait "$prof_err" 'cannot send to .* trying again' || exit 1
	sleep 5
	before=$(find "$received" -name '*.json' | wc -l)
	receiver_start || exit 1
	target_wait "$prof_err" 'sending to .* again (queued' || exit 1
	queued=$(sed -n 's/.*again (queued requests: \([0-9]*\)).*/\1/p' "$prof_err" |
		tail -n 1)
	kill -TERM "$prof_pid"
	prof_end 0 || exit 1
	received_agrees "$prof_err" "$kind: $before before, $queued waited" || exit 1
	[ "$queued" -ge 3 ] || { echo "only $queued requests waited"; exit 1; }
	kill "$receiver_pid"
	wait "$receiver_pid" 2>/dev/null || :
done
