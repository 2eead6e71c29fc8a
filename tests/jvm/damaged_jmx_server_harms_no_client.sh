# SPDX-License-Identifier: Apache-2.0
# What a JVM said to each command is said again: cut, silent, slow, endless, with
# answers of other types and lengths.  The command ends by itself, soon, within
# 300 MB, and says why.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

check() {
	jmx_target "$1" || return
	timeout 400 python3 tests/jvm/lib/damaged_jmx.py "$sjkc" "$port" 8 ||
		return
	alive "$pid" && target_end "$pid"
}

# The other JDKs' sessions are cut at every byte in tests/unit.
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
check "$(jdks | tail -n 1)"
