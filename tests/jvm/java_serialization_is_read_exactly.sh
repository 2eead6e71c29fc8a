# SPDX-License-Identifier: Apache-2.0
# Each JDK serializes an object of each class whose serialized form sjkc knows, in
# both versions of the protocol: RMI uses version 1.
# shellcheck disable=SC2034 # for target.sh
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
target_program=Values

written() {
	classes=$(target_compile "$1") || return
	for version in 1 2; do
		timeout 300 "$1/bin/java" -Xmx64m -Dprotocol=$version \
			-cp "$classes" Values >"$scratch/stream" &&
			timeout 300 "$TOOLS/show_values" "$scratch/stream" |
			sed 's/xxxxxxx*/x/' >"$scratch/shown" &&
			diff -u tests/data/rmi/types.txt "$scratch/shown" ||
			return
	done
}

for_each_jdk written
