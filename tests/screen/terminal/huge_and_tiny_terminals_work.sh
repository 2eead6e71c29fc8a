. "${0%/*}/../lib/terminal"
for size in '10000 500' '1 1' '2 500' '10000 1'; do
	# shellcheck disable=SC2086 # columns and rows
	terminal $size "sh -c 'echo \$\$ >pid; exec $REPLAY' 2>err; echo \$? >status"
	eventually test -s pid || exit
	# Wait for the last sample.
	sleep 1
	awk -v size="$size" '/VmHWM/ {
		print size, $2 < 100000 ? "fits into memory" : "takes " $2 " kB"
	}' "/proc/$(cat pid)/status"
	press q
	eventually test -s status || exit
	cat status err
	rm pid status
done
