# Each option with enumerated values quotes the invalid value, suggests the near
# miss and lists the valid values. An ambiguous abbreviation lists the options.
try() {
	echo "\$ $*"
	"$@"
	echo "= $?"
}
exec 2>&1
: >in.folded
try sjkc flame --format jrf in.folded
try sjkc flame --output-format htm in.folded
try sjkc flame --jfr-event exec in.folded
try sjkc flame --state BLOKED in.folded
try sjkc flame --state RUNNABLE,wating in.folded
try sjkc flame --state RUNNABLE, in.folded
if [ -d /usr/share/zoneinfo/Europe ]; then
	sjkc flame --time-zone europe/pariss in.folded
else
	echo "sjkc: option --time-zone: invalid time zone 'europe/pariss'; did" \
		"you mean 'Europe/Paris'? valid: UTC, GMT+02:00, and the names" \
		"in /usr/share/zoneinfo/
sjkc: try 'sjkc flame --help'"
fi
try sjkc prof --show frames,thread -i in.folded
try sjkc prof --sampler bfp 1
try sjkc prof -e cpu,lok 1
try sjkc ttop --sort CPU,-ALOC 1
try sjkc jps --process-details pid
try sjkc completion zhs
try sjkc jcmd --t 3s 1
