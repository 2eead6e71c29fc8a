# New namespaces, without the old /proc.
unshare --user --map-root-user --mount --pid --fork true 2>/dev/null ||
	{ echo 'no namespaces'; exit 77; }
exec 2>&1
unshare --user --map-root-user --mount --pid --fork sh -c '
	mount -t tmpfs tmpfs /proc && sjkc jps'
echo "exit status $?"
# /proc of the parent namespace, whose pids differ.
unshare --user --map-root-user --mount --pid --fork sjkc jps
echo "exit status $?"
