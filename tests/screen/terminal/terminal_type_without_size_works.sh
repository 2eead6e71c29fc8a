. "${0%/*}/../lib/terminal"
# The type of the Linux console has neither lines nor columns.
infocmp linux >/dev/null 2>&1 || { echo 'no TERM=linux here'; exit 77; }
terminal 90 20 "env TERM=linux $REPLAY 2>err; echo \$? >status; cat err; exec sleep 1000"
eventually shows '? help' || exit
press N
eventually shows 'NAME▾' || exit
tm capture-pane -p | sed -n 20p
tm resize-window -x 60 -y 10
eventually shows '1/19' || exit
press q
eventually test -s status || exit
cat status
