try() {
	sjkc stcap "$@" 2>&1
	echo "exit status $?"
}
try -p 1
try -o missing/out.std -p 1
try -o out.std -p 1 -f '('
try -o out.std -p 1 -m 'a,,b'
try -o out.std -s 127.0.0.1:1 extra
try -o out.std -p 999999999
ls
