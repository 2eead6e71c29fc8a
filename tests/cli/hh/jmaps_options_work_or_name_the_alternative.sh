exec 2>&1
try() {
	echo "-- $*"
	sjkc jmap "$@"
	echo "exit status $?"
}
try -dump:live,format=b,file=/nonexistent/heap 2147483647
try -dump:file=/nonexistent/heap 2147483647
try -heap 2147483647
try -clstats 2147483647
try -finalizerinfo 2147483647
try -F -histo 2147483647
try -histo -histo:live 2147483647
try -histo:live 2147483647
try -histo 2147483647
