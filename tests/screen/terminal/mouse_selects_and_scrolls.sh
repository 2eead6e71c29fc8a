. "${0%/*}/../lib/terminal"
terminal 80 24 "$REPLAY; touch ended; exec sleep 1000"
eventually shows 'end of the recording' || exit
# mouse BUTTON COLUMN ROW: each encoded as a character, starting with " "
mouse() { tm send-keys -l "$(printf '\033[M%s%s%s\033[M#%s%s' "$1" "$2" "$3" "$2" "$3")"; }
mouse ' ' U ')' # click the title of the names
eventually shows 'NAME▾' || exit
mouse a '*' / # turn the wheel
eventually shows '4/19' || exit
mouse ' ' '*' + # click a thread; a second click shows its stack trace
eventually shows '2/19' || exit
mouse ' ' '*' +
eventually shows 'stack trace of' || exit
press q q
eventually test -e ended
