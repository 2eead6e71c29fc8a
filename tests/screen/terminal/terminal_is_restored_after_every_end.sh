. "${0%/*}/../lib/terminal"
cat >run <<-END
	ulimit -c 0
	trap : INT QUIT # children would inherit ignored signals
	stty -g >before
	sh -c 'echo \$\$ >pid; exec $REPLAY'
	echo \$? >status
	stty -g >after
	touch ended
	exec sleep 1000
END
# ends HOW COMMAND...: run the command against ttop and print the terminal state
ends() {
	how=$1
	shift
	rm -f ended
	terminal 80 24 'sh ./run'
	eventually shows burner-1 || exit
	"$@"
	eventually test -e ended || exit
	cmp before after || echo 'the modes differ'
	echo "$how: $(cat status), $(state)"
	tm kill-server
}
signal() { kill "-$1" "$(cat pid)"; }
twice() {
	kill -STOP "$(cat pid)"
	kill -INT "$(cat pid)"
	kill -CONT "$(cat pid)"
}

ends 'q' press q
ends 'Q in a view' press '?' Q
ends '^C' press C-c
ends "^\\" press "C-\\"
for number in TERM HUP INT SEGV ABRT BUS ILL FPE; do
	ends $number signal $number
done
ends 'stopped before' twice
