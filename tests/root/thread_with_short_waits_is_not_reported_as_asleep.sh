# SPDX-License-Identifier: Apache-2.0
# With --min-blocked, a thread with only short waits has no sample.  prof does
# not report such a thread as asleep from the beginning to the end.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

timeout 60 "$sjkc" prof -e offcpu --min-blocked 1s -d 1500ms -- \
	perl -e 'select(undef, undef, undef, 0.01) for 1 .. 500' \
	>"$scratch/out" 2>"$scratch/err"
if grep -q perl "$scratch/out"; then
	cat "$scratch/out"
	exit 1
fi
grep -q 'no samples' "$scratch/err" || {
	cat "$scratch/err"
	exit 1
}
