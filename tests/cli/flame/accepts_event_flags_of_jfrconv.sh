for flag in --lock '--event lock' --cpu '--jfr-event ALLOC'; do
	echo "-- $flag"
	# shellcheck disable=SC2086 # an option and its value
	sjkc flame $flag -q -o - --output-format collapsed \
		"$DATA/jfr/ap-lock.jfr" >out.collapsed 2>said
	echo "exit status $?"
	wc -l <out.collapsed
	sed 's,.*/,,' said
done
