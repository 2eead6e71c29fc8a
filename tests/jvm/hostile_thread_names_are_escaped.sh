# SPDX-License-Identifier: Apache-2.0
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
for jdk in $(jdks); do
	target "$jdk" -- hostile || exit 1
	samples "$pid" names=Thread.print 'stack=) R 1 ('
	samples_have 'name=␛[31mred␛[2J'
	samples_have 'name=␛]0;title␇␛]52;c;ZXZpbA==␇'
	samples_have 'name=quote" #7 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable'
	samples_have 'name=line␊break␍␉tab'
	samples_have 'name=<U+202E>gnp.exe<U+2066>'
	samples_have 'name=) R 1 ('
	samples_have 'name=<U+009B>31mC1'
	samples_have '") R 1 (" #'
	samples_lack ' unknown '
	# The thread without a name is a Java thread, too.
	grep -q ' java .* name=$' "$got" || { echo "$jdk: no nameless"; exit 1; }
	if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$got"; then
		echo "$jdk: controls in:"
		cat -v "$got"
		exit 1
	fi
	target_end "$pid"
done
