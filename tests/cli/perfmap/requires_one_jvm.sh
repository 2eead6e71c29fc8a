try() {
	sjkc perfmap "$@"
	echo "$?"
}
try 2147483647
try 0
try -p 2147483647 2147483647
try --unfold 2147483647
