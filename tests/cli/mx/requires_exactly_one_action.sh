# sjkc rejects each command line before it connects.
try() {
	sjkc mx -s 127.0.0.1:1 "$@"
	echo "$?"
}
try
try -b Memory
try -b java.lang:type=Memory
try -b java.lang:type=Memory --get --info
try -b java.lang:type=Memory -ms -f Verbose
try -b java.lang:type=Memory -ms -v true
try -b java.lang:type=Memory -ms -f A B -v true
try -b java.lang:type=Memory -mc
try -b java.lang:type=Memory -mg -a 1
try -b java.lang:type=Memory -mg -v 1
try -b java.lang:type=Memory -mi -f Verbose
try -b java.lang:type=Memory -mg -d 1s
try -b java.lang:type=Memory -mg --csv
try -b java.lang:type=Memory -mg --csv --json -f Verbose
try -b java.lang:type=Memory -mi --csv
try -b java.lang:type=Memory -mg --json --col-list a
try -b java.lang:type=Memory -mg -f '/(/'
try -b java.lang:type=Memory -mg -p 1
try -b java.lang:type=Memory -b java.lang:type=Runtime -mi
try -b java.lang:type=Memory -mi --repeat 2
try -b java.lang:type=Memory -mg --repeat 2 --interval 0
