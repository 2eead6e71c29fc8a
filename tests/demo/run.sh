#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/demo/run.sh SJKC DIRECTORY
#
# Records a small Java program for a few seconds, draws the recording and prints
# the address of the page and the hottest methods.
set -eu
here=$(dirname "$0")
sjkc=$1
out=$2
seconds=6
mkdir -p "$out"
out=$(cd "$out" && pwd)

echo "recording a Java program for $seconds s"
javac -d "$out/classes" "$here/Demo.java"
java -Xshare:auto -Xlog:disable -Xlog:all=error:stderr \
	-XX:StartFlightRecording:filename="$out/demo.jfr",settings=profile \
	-cp "$out/classes" Demo $seconds

"$sjkc" flame -q -o "$out/demo.html" --title 'A shop of three clerks' \
	"$out/demo.jfr"
echo
echo "page: file://$out/demo.html"
echo
echo "five hottest methods by self CPU samples:"
"$sjkc" flame -q -e cpu --output-format collapsed -o - "$out/demo.jfr" |
	awk '
		{
			count = $NF
			sub(/ [0-9]+$/, "")
			frames = split($0, frame, ";")
			self[frame[frames]] += count
			total += count
		}
		END {
			for (method in self)
				printf "%5.1f %%  %s\n",
					100 * self[method] / total, method
		}' | sort -rn | head -n 5
