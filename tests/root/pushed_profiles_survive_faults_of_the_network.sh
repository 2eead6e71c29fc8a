# SPDX-License-Identifier: Apache-2.0
# prof --push to a backend that has only an IPv6 address, whose name server is away at
# first: the requests wait.  A token that the backend refuses is reported with a fix;
# after SIGHUP and a new token, the backend accepts requests again.  A proxy that does
# not respond is named, without its password.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

# This test has a network and a name server of its own.
[ -n "${FAULTS_NETWORK-}" ] || {
	unset http_proxy https_proxy all_proxy no_proxy
	FAULTS_NETWORK=1 exec unshare --net --mount --propagation private \
		sh "$0" "$@"
}
ip link set lo up || { echo 'no ip'; exit 77; }
[ -e /proc/net/if_inet6 ] || { echo 'the kernel has no IPv6'; exit 77; }
echo 'nameserver 127.0.0.1' >"$scratch/resolv.conf"
mount --bind "$scratch/resolv.conf" /etc/resolv.conf || exit 77

target "$(jdks | head -n 1)" -- burners=1 || exit 1
python3 tests/tools/otlp_engine.py "$engine" --host ::1 --token new \
	>"$scratch/engine.err" 2>&1 &
target_jobs="$target_jobs $!"
target_wait "$engine/port" . "$!" || { cat "$scratch/engine.err"; exit 1; }
url=http://engine.test:$(cat "$engine/port")
echo 'Authorization: Bearer old' >"$scratch/headers"
prof_start --pid "$pid" -F 49 --push "$url" --interval 1s --shutdown-timeout 60s \
	--header-file "$scratch/headers" || exit 1
target_wait "$prof_err" 'Could not resolve host: engine.test; trying again' ||
	{ cat "$prof_err"; exit 1; }
python3 tests/tools/name_server.py engine.test ::1 >"$scratch/names" 2>&1 &
target_jobs="$target_jobs $!"
target_wait "$scratch/names" READY || { cat "$scratch/names"; exit 1; }
# 401 is final, so a request of this token is lost.
for _ in 1 2 3; do
	target_wait "$engine/log" ' 401$' || { cat "$prof_err"; exit 1; }
	[ "$(grep -c ' 401$' "$engine/log")" -lt 3 ] || break
	sleep 1
done
until [ "$(grep -c ' 401$' "$engine/log")" -ge 2 ]; do sleep 0.2; done
echo 'Authorization: Bearer new' >"$scratch/headers"
kill -HUP "$prof_pid"
target_wait "$prof_err" 'accepts requests again' || { cat "$prof_err"; exit 1; }
kill -TERM "$prof_pid"
prof_end 7 || exit 1
engine_accepts || exit 1
for message in \
	'401: no valid token; the token in --header-file is wrong or has expired$' \
	'accepts requests again \(refused requests: [0-9]+\)$' \
	'lost: [0-9]+ samples in [0-9]+ requests: the backend refused them$'; do
	has "$prof_err" "$message" || exit 1
done
! grep -q Bearer "$prof_err" || { cat "$prof_err"; exit 1; }
# Each sample was delivered or refused.
set -- "$(sed -n 's/.*: delivered \([0-9]*\) of \([0-9]*\) samples*.*/\1 \2/p' "$prof_err")" \
	"$(sed -n 's/.*: lost: \([0-9]*\) samples in .*refused them$/\1/p' "$prof_err")"
[ "${1% *}" = "$(engine_samples)" ] && [ "${1#* }" = $((${1% *} + $2)) ] || {
	echo "delivered ${1% *} and refused $2 of ${1#* }; received: $(engine_samples)"
	exit 1
}

# Port 1 has no proxy.
http_proxy=http://me:secret@127.0.0.1:1 prof 7 -p "$pid" -F 49 -d 1s --push "$url" \
	--shutdown-timeout 1s || exit 1
has "$prof_err" "cannot send to $url/.*: cannot connect to the proxy 127.0.0.1:1 \(http_proxy\): Connection refused; trying again" &&
	! grep secret "$prof_err"
