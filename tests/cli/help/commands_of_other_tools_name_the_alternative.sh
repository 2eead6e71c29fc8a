for command in top profile flamegraph jinfo jhsdb \
	heapdump jstak mxpin nothing-like-it; do
	sjkc "$command" 2>&1 | head -n 1
done
