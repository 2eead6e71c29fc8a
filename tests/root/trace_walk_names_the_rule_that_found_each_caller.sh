# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# prof --trace-walk prints each frame of the first distinct stacks with the rule
# of core/unwind/hotspot_frame.c that found its caller, and samples as usual.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
target "$jdk" -Xint -- burners=1 || exit 1
prof 0 --no-agent -d 2s --trace-walk 3 -o "$scratch/out.collapsed" "$pid" ||
	exit 1
has "$scratch/out.collapsed" ';Target\.burn' || exit 1
for line in 'walk 1: Target' \
	' interpreter layout +interpreted +[0-9a-f]+ Target\.burn' \
	' path to return +generated +[0-9a-f]+ call_stub ' \
	' call frame information +native +[0-9a-f]+ .*\[libjvm\.so\+0x' \
	' root +native '; do
	grep -qE "^sjkc: .*$line" "$prof_err" ||
		{ echo "no line has: $line"; cat "$prof_err"; exit 1; }
done
walks=$(grep -c '^sjkc: walk ' "$prof_err")
{ [ "$walks" -ge 1 ] && [ "$walks" -le 3 ]; } || { echo "$walks walks"; exit 1; }
roots=$(grep -cE '^sjkc:   (root|stack copy ends|frame limit|lost) ' "$prof_err")
[ "$walks" = "$roots" ] || { echo "$walks walks, $roots ends"; exit 1; }
target_end "$pid"

target "$jdk" -- burners=1 || exit 1
prof 0 --no-agent -d 2s --trace-walk 9 -o "$scratch/out.collapsed" "$pid" ||
	exit 1
grep -qE '^sjkc:   (path to return|frame size|entry|prologue|epilogue) +compiled .* Target\.' \
	"$prof_err" || { cat "$prof_err"; exit 1; }
target_end "$pid"
