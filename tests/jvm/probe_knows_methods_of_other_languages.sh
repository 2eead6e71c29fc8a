# SPDX-License-Identifier: Apache-2.0
# sjkc probe: names the class of a Clojure function, notes that a suspend
# function of Kotlin is called again by each resumption, and omits the method that
# JaCoCo adds unless the pattern names it.  javac makes these methods; those of the
# real compilers are in probe_knows_methods_of_real_compilers.sh.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
target_program=kotlin.coroutines.Languages
function='kotlin.coroutines.core$crunch.invoke*'

for jdk in $(jdks); do
	target "$jdk" || exit 1
	ask 3 probe -p "$pid" -d 100ms kotlin.coroutines.core/crunch </dev/null &&
		said "for a Clojure function, use '$function'" || exit 1
	ask 0 probe -p "$pid" --csv --yes -d 100ms "$function" \
		kotlin.coroutines.Languages.suspended \
		'kotlin.coroutines.Languages.*' </dev/null || exit 1
	printed 'core$crunch,invokeStatic,' && printed 'Languages,suspended,' &&
		said 'Languages.suspended(' &&
		said ' is a suspend function: each resumption counts as a call' ||
		exit 1
	! grep jacoco "$scratch/out" "$scratch/err" || exit 1
	ask 0 probe -p "$pid" --list 'kotlin.coroutines.Languages.$jacoco*' \
		</dev/null && printed 'jacocoInit()' || exit 1
	! grep 'suspend function' "$scratch/err" || exit 1
	alive "$pid" || exit 1
	target_end "$pid"
done
