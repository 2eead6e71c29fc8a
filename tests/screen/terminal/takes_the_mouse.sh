. "${0%/*}/../lib/terminal"
terminal 80 24 "$REPLAY; touch ended; exec sleep 1000"
eventually shows 'end of the recording' || exit
# mouse BUTTON COLUMN ROW: each as the character that stands for it, from " "
mouse() { tm send-keys -l "$(printf '\033[M%s%s%s\033[M#%s%s' "$1" "$2" "$3" "$2" "$3")"; }
mouse ' ' U ')' # the title of the names
eventually shows 'NAME▾' || exit
mouse a '*' / # the wheel
eventually shows '4/19' || exit
mouse ' ' '*' + # a thread; again: its stack trace
eventually shows '2/19' || exit
mouse ' ' '*' +
eventually shows 'stack trace of' || exit
press q q
eventually test -e ended
