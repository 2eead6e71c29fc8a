. "${0%/*}/../lib/terminal"
terminal 80 24 "exec env PS1='ready$ ' bash --norc --noprofile -i"
eventually shows 'ready$' || exit
press 'stty -g >before' Enter "$REPLAY" Enter
eventually shows burner-1 || exit
# At the end of the recording, the screen no longer changes.
eventually shows 'end of the recording' || exit
press C-z
eventually shows Stopped || exit
echo "stopped: $(state)"
tm resize-window -x 60 -y 10
press 'stty -g >after' Enter 'fg' Enter
eventually shows 'end of the recording' || exit
press N
eventually shows 'NAME▾' && eventually shows '? help' || exit
echo "goes on: $(state)"
tm capture-pane -p | grep -v -e '^CPU' -e '^Sources' -e '^ sjkc'
press q
eventually shows 'ready$' || exit
press 'stty -g >last; touch ended' Enter
eventually test -e ended || exit
cmp before last
echo "ended: $(state)"
