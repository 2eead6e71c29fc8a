#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/run.sh PART...
#
# Runs parts of the tests, all of them whatever fails, and counts.  Each part is
# a target of the Makefile, check-PART, that prints TAP.  Shown are failures and
# what was skipped; the rest is in build/check/PART.log.
cd "$(dirname "$0")/.." || exit 2
mkdir -p build/check
passed=0 failed=0 skipped=0

for part in "$@"; do
	log=build/check/$part.log
	began=$(date +%s)
	${MAKE:-make} --no-print-directory -s "check-$part" >"$log" 2>&1
	status=$?
	# cmocka says "not ok 1 # SKIP name", which is no failure.
	counts=$(awk -v status=$status '
		/^[ \t]*(not )?ok .*# SKIP/ { skipped++; next }
		/^[ \t]*not ok / { failed++; next }
		/^[ \t]*ok / { passed++ }
		END {
			# It broke before it could say what did.
			if (status && !failed) failed = 1
			print passed + 0, failed + 0, skipped + 0
		}' "$log")
	read -r p f s <<-END
		$counts
	END
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '%-10s %4d passed, %d failed, %d skipped, %d s\n' "$part" \
		"$p" "$f" "$s" $(($(date +%s) - began))
	grep '# SKIP' "$log" | sed -E 's/^[ \t]*(not )?ok [0-9]* ?-? ?/    SKIP /'
	if [ "$f" -gt 0 ]; then
		if grep -q '^[ \t]*not ok ' "$log"; then
			awk '
				/^[ \t]*(not )?ok / {
					show = /^[ \t]*not ok/ && !/# SKIP/
				}
				show { print "    " $0 }' "$log" | head -n 60
		else
			tail -n 20 "$log" | sed 's/^/    /'
		fi
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
