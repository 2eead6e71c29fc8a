# Each option of SJK 0.23, in both spellings: it works, or the message names the
# alternative. Nothing listens on port 1, so only the connection fails; the exit
# status of an unknown option is 2.
try() {
	sjkc stcap -q "$@" >out 2>err
	status=$?
	echo "$* -> exit status $status"
	[ "$status" -ne 2 ] || head -n 1 err
}
at() {
	try -s 127.0.0.1:1 -o out.std "$@"
}
try -p 999999999 -o out.std
try --pid 999999999 --output out.std
try --socket 127.0.0.1:1 -o out.std
at -i 10ms
at --reply-timeout 5s
at --sampler-interval '1s 500ms'
at -f '.*'
at --filter 'main|worker.*'
at -e
at --empty
at -m 'java.**' com.acme
at --match-frame 'java.**'
at -l 5
at --limit 0
at -t 1s
at --timeout 1m
at -r 100
at --rotate 0
at --force-address
at --force-hostname
at --force-port
at -X
at --verbose
SJKC_PASSWORD=secret at --user monitor
at --user monitor --password secret
at --commands
