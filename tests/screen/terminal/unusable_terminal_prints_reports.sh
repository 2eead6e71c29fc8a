command -v script >/dev/null || { echo 'no script'; exit 77; }
# on_terminal NAME=VALUE...: print the first report in this environment
on_terminal() {
	script -qec "env $* sjkc ttop --replay $DATA/ttop/made.jsonl \
		--iterations 1 -n 1; echo \$?" /dev/null </dev/null |
		tr -d '\r' | grep -v '^  '
}
on_terminal TERM=dumb
on_terminal -u TERM
on_terminal TERM=
on_terminal TERM=no-such-type
