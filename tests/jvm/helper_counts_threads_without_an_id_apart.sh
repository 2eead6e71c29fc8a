# SPDX-License-Identifier: Apache-2.0
# Several threads may be under construction and have no id yet, so none of them
# owns a part of the memory that it counts into.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

check() {
	"$1/bin/javac" -g:none -nowarn -XDignore.symbol.file -source 9 -target 9 \
		--patch-module java.base=jvmti/helper -d "$scratch/helper" \
		jvmti/helper/SjkcProbe.java 2>"$scratch/javac" ||
		{ cat "$scratch/javac"; return 1; }
	"$1/bin/java" -Xmx16m -XX:+UseSerialGC \
		--patch-module "java.base=$scratch/helper" \
		-cp "$(target_compile "$1" HelperCounts)" HelperCounts \
		>"$scratch/out" 2>"$scratch/err"
	echo '2 owned, 1 shared' | diff - "$scratch/out" || { cat "$scratch/err"; return 1; }
}

for_each_jdk check
