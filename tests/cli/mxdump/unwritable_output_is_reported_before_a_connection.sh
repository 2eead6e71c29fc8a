try() {
	sjkc mxdump -s 127.0.0.1:1 "$@"
	echo "$?"
}
try -o .
try -o missing/file
try --prometheus -o .
