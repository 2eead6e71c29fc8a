# SPDX-License-Identifier: Apache-2.0
# Pyroscope's query API returns the weights of each event by leaf as prof wrote them, for
# each protocol, to the tenant whose name prof sends, and nothing to another one.
# PYROSCOPE=PATH of the program
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/backends/lib.sh
pyroscope_alone "$0" "$@"

pyroscope_start -auth.multitenancy-enabled=true || exit 1
address=127.0.0.1:4040
for url in "grpc://$address" "http://$address" "http://$address/ingest"; do
	"$sjkc" doctor --push "$url" >"$scratch/doctor" 2>&1
	[ $? -ne 0 ] && has "$scratch/doctor" X-Scope-OrgID ||
		{ echo "without a tenant:"; cat "$scratch/doctor"; exit 1; }
	"$sjkc" doctor --push "$url" --header-file "$header" >"$scratch/doctor" ||
		{ cat "$scratch/doctor"; exit 1; }
	backend_target || exit 1
	rm -rf "$written"
	backend_prof 0 "$url" -e cpu,offcpu,wall,alloc,lock,gc --agent \
		--header-file "$header" || exit 1
	pprof=
	[ "${url%/ingest}" = "$url" ] || pprof=--pprof
	backend_agrees pyroscope "$address" $pprof --tenant team || exit 1
	! backend_agrees pyroscope "$address" $pprof --tenant other --now \
		>"$scratch/other" || { echo 'another tenant has the profiles'; exit 1; }
	has "$scratch/other" 'wrote [1-9][0-9]*, stored 0,' || exit 1
	! grep 'stored [1-9]' "$scratch/other" || exit 1
	target_end "$pid"
done
# It needs half a minute to end.
kill -KILL "$pyroscope_pid"
