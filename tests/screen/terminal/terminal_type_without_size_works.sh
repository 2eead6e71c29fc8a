. "${0%/*}/../lib/terminal"
# The type of the Linux console has neither lines nor columns.
infocmp linux >/dev/null 2>&1 || { echo 'no TERM=linux here'; exit 77; }
terminal 90 20 "env TERM=linux $REPLAY 2>err; echo \$? >status; cat err; exec sleep 1000"
eventually shows '? help' || exit
press N
eventually shows 'NAME▾' || exit
# The recording goes on: later samples have another number of threads.
tm capture-pane -p | sed -n '20s,1/[0-9]*$,1/N,p'
tm resize-window -x 60 -y 10
last_line_counts() { tm capture-pane -p | sed -n 10p | grep -q '1/'; }
eventually last_line_counts || exit
press q
eventually test -s status || exit
cat status
