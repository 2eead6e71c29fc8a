. "${0%/*}/../lib/terminal"
# A background process that uses the terminal is stopped.
terminal 80 24 "exec env PS1='ready$ ' bash --norc --noprofile -i"
eventually shows 'ready$' || exit
has_gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
# ends COMMAND: stop ttop, type the command, wait until ttop has ended
ends() {
	rm -f pid ended
	press "sh -c 'echo \$\$ >pid; exec $REPLAY'" Enter
	eventually shows burner-1 || exit
	press C-z
	eventually shows Stopped || exit
	press "$1; touch ended" Enter
	eventually test -e ended || exit
	eventually has_gone || exit
	press 'clear; stty -g >after' Enter
	eventually test -e after || exit
	eventually cmp -s before after || exit
	rm after
	echo "$1: $(state)"
}
press 'stty -g >before' Enter
ends 'kill %1'
ends 'kill -HUP %1'
ends 'bg; kill %1'
