# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# The program prints when each of its phases begins. The page's samples of the
# inner part of a phase have only the method of that phase.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

cat >"$scratch/Phases.java" <<'END'
public class Phases {
	static volatile double sink;

	static void first(long until) {
		while (System.currentTimeMillis() < until)
			for (int i = 0; i < 1000; i++)
				sink += Math.sqrt(i);
	}

	static void second(long until) {
		while (System.currentTimeMillis() < until)
			for (int i = 0; i < 1000; i++)
				sink += Math.cbrt(i);
	}

	public static void main(String[] arguments) {
		for (int i = 0; i < 30; i++) {
			long now = System.currentTimeMillis();
			first(now + 500);
			long next = System.currentTimeMillis();
			second(next + 500);
			System.out.println(now + " " + next + " " +
					System.currentTimeMillis());
		}
	}
}
END
jdk=$(jdks | head -n 1)
"$jdk/bin/javac" -d "$scratch" "$scratch/Phases.java" || exit 1
page=$scratch/page.html
prof 0 -d 6s -o "$page" -- "$jdk/bin/java" -Xmx64m -XX:+UseSerialGC \
	-cp "$scratch" Phases || exit 1
grep -E '^[0-9]+ [0-9]+ [0-9]+$' "$prof_out" >"$scratch/phases"

# methods FROM TO: prints the methods of the samples between two times
methods() {
	timeout 20 "$sjkc" flame -q --from $(($1 + 30)) --to $(($2 - 30)) \
		--output-format collapsed -o - "$page" 2>"$scratch/err" |
		grep -o 'Phases\.[a-z]*' | grep -v main | sort -u
}

seen=0
while read -r first second end; do
	[ $((second - first)) -gt 60 ] && [ $((end - second)) -gt 60 ] ||
		continue
	for phase in "$first $second Phases.first" "$second $end Phases.second"; do
		# shellcheck disable=SC2086 # words
		set -- $phase
		found=$(methods "$1" "$2")
		case $found in
		"$3") seen=$((seen + 1)) ;;
		'') ;; # the machine was busy with other work
		*)
			echo "from $1 to $2: $found"
			exit 1
			;;
		esac
	done
done <"$scratch/phases"
[ "$seen" -ge 4 ] || { echo "only $seen phases have samples"; exit 1; }

