# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
for jdk in $(jdks); do
	target "$jdk" -- hostile || exit 1
	samples "$pid" names=Thread.print 'stack=) R 1 ('
	has 'name=␛[31mred␛[2J'
	has 'name=␛]0;title␇␛]52;c;ZXZpbA==␇'
	has 'name=quote" #7 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable'
	has 'name=line␊break␍␉tab'
	has 'name=<U+202E>gnp.exe<U+2066>'
	has 'name=) R 1 ('
	has 'name=<U+009B>31mC1'
	has '") R 1 (" #'
	has_not ' unknown '
	# The one without a name is Java's, too.
	grep -q ' java .* name=$' "$got" || { echo "$jdk: no nameless"; exit 1; }
	if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$got"; then
		echo "$jdk: controls in:"
		cat -v "$got"
		exit 1
	fi
	target_end "$pid"
done
