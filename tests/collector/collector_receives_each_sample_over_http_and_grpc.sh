# SPDX-License-Identifier: Apache-2.0
# The Collector's receiver understands each request of prof --all --push as sjkc
# sent it: the same samples, stack traces and attributes.  Their sum is the number
# of samples that prof reports.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/collector/lib.sh

jdk=$(all_jdks | head -n 1)
OTEL_RESOURCE_ATTRIBUTES=team=blue%20one,service.name=shop
export OTEL_RESOURCE_ATTRIBUTES
target "$jdk" -- burners=1 || exit 1
unset OTEL_RESOURCE_ATTRIBUTES
target "$jdk" -Dotel.service.name=dépôt -- burners=1 || exit 1
receiver_start || exit 1
relay_start || exit 1

# push URL: pushes the profiles of all JVMs, also of those that other tests run and
# that may lose samples.
push() {
	rm -f "$received"/*.json "$received"/*.otlp "$received"/*.sent
	timeout 100 "$sjkc" prof --all -F 99 -d 6s --interval 1s \
		--shutdown-timeout 60s --push "$1" >"$prof_out" 2>"$prof_err"
	status=$?
	case $status in
	0) ;;
	7) prof_lacked_time && ! grep 'requests:' "$prof_err" ||
		echo "| exit status 7: $(grep lost: "$prof_err" | head -n 3)" ;;
	*) cat "$prof_err"; return 1 ;;
	esac
	received_agrees "$prof_err" "${1%%:*}" || return
	for line in '^resource service.name=shop .*team=blue one' \
		'^resource service.name=dépôt ' 'process.runtime.name='; do
		grep -q "$line" "$scratch/agrees" ||
			{ echo "no $line"; cat "$scratch/agrees"; return 1; }
	done
	grep -q 'java.lang.Thread.run' "$received"/*.json ||
		{ echo 'no java.lang.Thread.run'; return 1; }
}

push "http://127.0.0.1:$relay" || exit 1
[ -e "$received/1.sent" ] || { echo 'the relay stored nothing'; exit 1; }
push "grpc://127.0.0.1:$grpc" || exit 1
