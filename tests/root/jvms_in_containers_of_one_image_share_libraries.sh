# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 7 s of CPU time.
# Each container's root is an overlay of its own, so the same libjvm has another
# device in each.  prof copies libjvm once for two such JVMs and names the
# functions of both.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

command -v strace >/dev/null || { echo 'no strace'; exit 77; }
# No other process sees the mounts.
if [ -z "${ALONE-}" ]; then
	export ALONE=1
	exec unshare --mount --propagation private sh "$0" "$@"
fi

# mount_overlay NAME: shows the JDK at $scratch/m/NAME, on a device of its own.
mount_overlay() {
	at=$scratch/m/$1
	mkdir "$at" "$at.upper" "$at.work" &&
		mount -t overlay none -o "lowerdir=$(readlink -f "$jdk")" \
			-o "upperdir=$at.upper,workdir=$at.work" "$at"
}

device_of_libjvm() {
	awk '/libjvm/ { print $4; exit }' "/proc/$1/maps"
}

jdk=$(jdks | head -n 1)
mkdir "$scratch/m" && mount -t tmpfs none "$scratch/m" || exit 1
for name in one two; do
	mount_overlay $name || exit 77
done
target "$scratch/m/one" -Dtarget.duty=25 -- burners=1 || exit 1
one=$pid
target "$scratch/m/two" -Dtarget.duty=25 -- burners=1 || exit 1
two=$pid
[ "$(device_of_libjvm "$one")" != "$(device_of_libjvm "$two")" ] ||
	{ echo 'this kernel reports the device below the overlays'; exit 77; }

timeout 60 strace -f -q -s 0 -e trace=pwrite64 -o "$scratch/written" \
	"$sjkc" prof --no-agent -d 2s -o "$scratch/out.collapsed" "$one" \
	"$two" >"$prof_out" 2>"$prof_err" || { cat "$prof_err"; exit 1; }
# A file of an overlay is copied, without its code. libjvm is the only file that
# large; a second copy would write to the same places again.
size=$(stat -L -c %s "$scratch/m/one/lib/server/libjvm.so")
sed -nE 's/.*pwrite64\(.*, [0-9]+, ([0-9]+)[) ].*/\1/p' "$scratch/written" |
	awk -v size="$size" '$1 > size / 2 && $1 < size { places[$1]++ }
		END {
			for (at in places) {
				all++
				twice += places[at] > 1
			}
			if (all && !twice)
				exit 0
			printf "prof copied %d parts of libjvm, %d of them twice\n",
				all, twice
			exit 1
		}' || exit 1
for pid in "$one" "$two"; do
	has "$scratch/out.collapsed" "$pid.*;JavaThread::.*Target\.burn" ||
		exit 1
done
