. "${0%/*}/../lib/terminal"
# Nobody tells it: SIGHUP is ignored, as by nohup(1).
cat >run <<-END
	trap '' HUP
	sh -c 'echo \$\$ >pid; exec $REPLAY'
	echo \$? >status
END
terminal 80 24 'sh ./run'
eventually shows burner-1 || exit
tm kill-server
eventually test -s status && cat status
