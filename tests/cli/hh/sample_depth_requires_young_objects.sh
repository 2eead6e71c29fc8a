# -d has a meaning only for objects that are made while hh waits.
exec 2>&1
for kind in '' --all --live --dead; do
	sjkc hh -d 5s $kind 2147483647
	echo "= $?"
done
for kind in --young --dead-young; do
	sjkc hh -d 5s $kind 2147483647
	echo "= $?"
done
