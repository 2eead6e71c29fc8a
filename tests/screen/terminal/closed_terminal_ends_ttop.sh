. "${0%/*}/../lib/terminal"
# SIGHUP is ignored, as by nohup(1): only reading and writing fail.
cat >run <<-END
	trap '' HUP
	sh -c 'echo \$\$ >pid; exec $REPLAY'
	echo \$? >status
END
terminal 80 24 'sh ./run'
eventually shows burner-1 || exit
tm kill-server
eventually test -s status && cat status
