# Row 31.  Namespaces of our own, without the old /proc.
unshare --user --map-root-user --mount --pid --fork true 2>/dev/null ||
	{ echo 'no namespaces'; exit 77; }
exec 2>&1
unshare --user --map-root-user --mount --pid --fork sh -c '
	mount -t tmpfs tmpfs /proc && sjkc jps'
echo "exit status $?"
# /proc of a namespace above: its pids are not ours.
unshare --user --map-root-user --mount --pid --fork sjkc jps
echo "exit status $?"
