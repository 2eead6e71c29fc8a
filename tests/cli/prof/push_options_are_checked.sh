exec 2>&1
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT
try() {
	echo "-- $*" | sed "s/ $$\$/ PID/"
	sjkc prof "$@"
}
try --interval 10s $$
try --labels low $$
try --push http://h -i in.jfr
try --push http://h -o out.html $$
try --push http://h --json $$
for option in -t --lines --simple-names --annotate --samples -r '--by class' \
	'--sort TERM' '--callers-of x' '--named-class a=b' '-n 7' '--chain 2' \
	'--min-percent 1' '--categorizer-file x'; do
	# shellcheck disable=SC2086
	try --push http://h $option $$
done
try --push http://h --sampler dump $$
try --push http://h --buffer 1m $$
try --push http://h --interval 1h $$
try --push http://h --labels all $$
try --push localhost:4318 $$
try --push http://me:secret@h $$
try --push env $$
try --push http://h --header-file missing $$
try --push http://h --cacert missing $$
try --push http://h --from 1s $$
try --push unix:relative $$
try --push unix:/run/x.sock --server-name h $$
try --push http://h --server-name a/b $$
try --push grpc://h --push-format pyroscope $$
try -o out.html --keep-files 3 $$
try -o missing/ $$
try -o missing/ --total $$
try -o ./ --header-file x $$
try -o ./ --json $$
