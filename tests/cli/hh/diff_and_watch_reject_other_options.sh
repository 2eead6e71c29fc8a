exec 2>&1
for options in '--diff a --dead' '--watch 5s --young' '--watch 5s --csv' \
	'--watch 5s -o file' '--watch 10ms' '--iterations 3' '-i a --live' \
	'-i a --watch 5s' '-i a -p 1' '-i a --timeout 1s'; do
	# shellcheck disable=SC2086 # words
	sjkc hh $options
	echo "= $?"
done
