# SPDX-License-Identifier: Apache-2.0
# A truncated body, another type and another path are refused by the Collector.
# prof prints the reason that the Collector gives, and counts the samples as lost.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/collector/lib.sh

jdk=$(all_jdks | head -n 1)
target "$jdk" -- burners=1 || exit 1
receiver_start || exit 1
relay_start || exit 1

# refused DAMAGE PATH STATUS REASON: what the Collector answers, and prof prints
refused() {
	echo "$1" >"$received/damage"
	prof 7 -p "$pid" -F 99 -d 5s --interval 5m \
		--push "http://127.0.0.1:$relay$2" || return
	grep -q " $3 " "$received/log" || { cat "$received/log"; return 1; }
	for message in "refused a request, which is dropped: HTTP status $3: $4" \
		'lost: [1-9][0-9]* samples in 1 request: the backend refused'; do
		grep -q "$message" "$prof_err" || { cat "$prof_err"; return 1; }
	done
	sed -n "s/.*which is dropped: /| $1: /p" "$prof_err"
	rm "$received/log"
}

refused cut '' 400 '.' || exit 1
refused type '' 415 '415 unsupported media type' || exit 1
refused path /v1/profiles 404 '404 page not found' || exit 1
[ ! -e "$received/1.json" ] || { echo 'the Collector took a request'; exit 1; }
echo none >"$received/damage"
prof 0 -p "$pid" -F 99 -d 5s --interval 5m \
	--push "http://127.0.0.1:$relay" || exit 1
received_agrees "$prof_err" 'undamaged' || exit 1
