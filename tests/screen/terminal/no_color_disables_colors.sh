. "${0%/*}/../lib/terminal"
# styles: print the attributes on the screen, sorted; 30 to 49 are colors
styles() {
	tm capture-pane -e -p | grep -o '.\[[0-9;]*m' | tr -d '\033[m' |
		tr ';' '\n' | sort -un | tr '\n' ' '
}
for with in TERM=screen-256color NO_COLOR=1 NO_COLOR= TERM=vt100; do
	terminal 80 24 "env $with $REPLAY; touch ended; exec sleep 1000"
	eventually shows 'end of the recording' || exit
	echo "$with: $(styles)"
	press q
	eventually test -e ended || exit
	rm ended
	tm kill-server
done
