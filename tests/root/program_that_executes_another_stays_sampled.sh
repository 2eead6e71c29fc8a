# SPDX-License-Identifier: Apache-2.0
# A launched program that executes another program stays sampled, even if the
# session notices the end of the first program before it finds the second: a
# wrapper such as taskset takes long on a loaded machine.
scratch=$2
"$TOOLS/sample_exec" >"$scratch/out" 2>"$scratch/err" || {
	cat "$scratch/err"
	exit 1
}
burned=$(sed -n 's/^burned //p' "$scratch/out")
# 400 ms of CPU time at 999 Hz; the first moments may pass unnoticed.
[ "$burned" -ge 200 ] && grep -q '^one process$' "$scratch/out" && exit
cat "$scratch/out" "$scratch/err"
exit 1
