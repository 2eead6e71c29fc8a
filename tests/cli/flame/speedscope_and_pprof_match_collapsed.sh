# In real recordings, all formats have the same stack traces and weights for
# every event.
# Sanitized only in check-all: 5 s of CPU time for equal counts.
stacks_of="python3 $DATA/../tools/stacks_of.py"

# collapsed INPUT OPTION…: print all events; each line starts with its event
collapsed() {
	$stacks_of about all.json | sed -n 's/^profile \([^ :]*\).*/\1/p' |
		uniq >events
	while read -r event; do
		sjkc flame -q --event "$event" "$@" --output-format collapsed \
			-o - 2>said | sed "s/^/$event /"
	done <events | LC_ALL=C sort
}

# compare FORMAT INPUT OPTION…: print nothing if the formats agree
compare() {
	which=$1
	shift
	sjkc flame -q -o all.json "$@" 2>said
	sjkc flame -q -o all.pb.gz "$@" 2>said
	collapsed "$@" >wanted
	[ -s wanted ] || echo "$*: there is nothing to compare"
	for file in all.json all.pb.gz; do
		$stacks_of "$which" $file >got
		cmp got wanted || echo "$*: $file differs"
	done
}

set -- "$DATA"/jfr/*.jfr
for name in ap-busy17-multi ap-busy17-nativemem ap-busy25-cpu1ms \
	busy17-default-depth16 busy25-profile; do
	file=$SHARED/own/jfr/$name.jfr
	if [ -e "$file" ]; then
		set -- "$@" "$file"
	fi
done
for input; do
	compare stacks "$input" --samples
done
input=$1
[ ! -e "$SHARED/own/jfr/ap-busy25-multi.jfr" ] ||
	input=$SHARED/own/jfr/ap-busy25-multi.jfr
compare weights "$input" --total
compare stacks "$input" --samples --lines --threads
compare stacks "$input" --samples --annotate --simple-names

# Collapsed input works as well.
sjkc flame -q -o again.collapsed "$input"
compare stacks again.collapsed --samples
