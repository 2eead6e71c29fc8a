exec 2>&1
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT
try() {
	echo "-- $*" | sed "s/ $$\$/ PID/"
	sjkc prof "$@"
}
try --interval 10s $$
try --push http://h -i in.jfr
try --push http://h -o out.html $$
try --push http://h --json $$
try --push http://h --sampler dump $$
try --push http://h --interval 1h $$
try --push http://h --labels all $$
try --push localhost:4318 $$
try --push http://me:secret@h $$
try --push env $$
try --push http://h --header-file missing $$
