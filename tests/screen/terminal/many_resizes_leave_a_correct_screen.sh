. "${0%/*}/../lib/terminal"
terminal 80 24 "$REPLAY; touch ended; exec sleep 1000"
eventually shows burner-1 || exit
# At the end of the recording, the screen no longer changes.
eventually shows 'end of the recording' || exit
for width in 200 3 1 97 14 133; do
	for height in 1 50 2 17 5 30; do
		tm resize-window -x $width -y $height
	done
done
tm resize-window -x 80 -y 16
press N
# tmux reports a new size with a delay.
eventually shows 'ALLOC/s NAME▾' && eventually shows 'every 1 s' &&
	eventually shows 'sort    1/19' || exit
tm capture-pane -p | sed 's/ *$//'
press q
eventually test -e ended
