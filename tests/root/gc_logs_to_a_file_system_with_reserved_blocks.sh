# SPDX-License-Identifier: Apache-2.0
# With --log, a JVM of root whose /tmp has only blocks that are reserved for root
# loses no line. A directory that cannot be removed is reported.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh
[ -x /sbin/mkfs.ext4 ] || { echo 'no mkfs.ext4'; exit 77; }
truncate -s 8M "$scratch/image"
/sbin/mkfs.ext4 -q -m 50 -O ^has_journal "$scratch/image" || exit 1
cat >"$scratch/mount.sh" <<-END
	mount -o loop "$scratch/image" /tmp 2>&1 || { echo READY; exit; }
	exec "\$@"
END
within="unshare --mount sh $scratch/mount.sh"
target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m'
target "$(jdks | head -n 1)" -- live=4000 rate=200 full=50 || exit 1
within=
! grep -q '^mount' "$said" || { echo 'no loop device'; exit 77; }
tmp=/proc/$pid/root/tmp

# The socket for requests exists before space and rights end.
"$sjkc" jcmd "$pid" VM.version >"$scratch/version" || exit 1
dd if=/dev/zero of="$tmp/filler" bs=64k count=60 2>"$scratch/dd"
[ "$(stat -f -c %a "$tmp")" -eq 0 ] && [ "$(stat -f -c %f "$tmp")" -gt 100 ] ||
	{ echo 'the blocks are not as planned'; stat -f "$tmp"; exit 1; }
gc 0 "$pid" 1s --log --json && gc_has "$gc_out" '"kind":"(full|young)"' ||
	exit 1

chattr +a "$tmp" || exit 1
gc 0 "$pid" 1s --log --json
status=$?
chattr -a "$tmp"
[ $status -eq 0 ] &&
	gc_has "$gc_err" "$pid: cannot remove /tmp/sjkc-gc-[^ ]* of the JVM: .*; remove it"
