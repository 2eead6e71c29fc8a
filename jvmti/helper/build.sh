#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	jvmti/helper/build.sh JDK [DIRECTORY]
#
# Compiles the helper classes with a JDK (9 or later) for JDK 8 and for JDK 9 and
# later, to jdk8/ and jdk9/ of DIRECTORY (default: here).  Every javac gives the same
# bytes.
set -e
cd "$(dirname "$0")"
to=${2:-.}
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT

# for_jdk8 FILE: JDK 8's Unsafe is in another package and has other names.
for_jdk8() {
	sed -e '/^import jdk.internal.vm.annotation/d' \
		-e '/^ *@\(ForceInline\|Hidden\)$/d' -e 's/@Stable //' \
		-e 's/jdk\.internal\.misc/sun.misc/' \
		-e 's/\(get\|put\)\(Long\|Short\)(null, /\1\2(/g' \
		-e 's/compareAndSetLong/compareAndSwapLong/g' \
		-e 's/(Thread.class, "tid")/(Thread.class.getDeclaredField("tid"))/' "$1"
}

# compile OF OPTION...
compile() {
	of=$1
	shift
	mkdir -p "$to/$of"
	"$jdk/bin/javac" -g:none -nowarn -XDignore.symbol.file -Xlint:-options \
		-Xlint:-removal "$@" -d "$sources/$of" "$sources/$of"/*.java 2>/dev/null
	cp "$sources/$of"/java/lang/*.class "$to/$of"
}

jdk=$1
mkdir "$sources/jdk8" "$sources/jdk9"
cp ./*.java "$sources/jdk9"
for file in *.java; do
	for_jdk8 "$file" >"$sources/jdk8/$file"
done
compile jdk8 -source 8 -target 8
compile jdk9 -source 9 -target 9 --patch-module "java.base=$sources/jdk9"
