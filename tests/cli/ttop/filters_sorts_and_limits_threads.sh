made=$DATA/ttop/made.jsonl
rows() {
	echo "-- $*"
	sjkc ttop --replay "$made" --iterations 1 "$@" |
		grep -e '^\[' -e 'thread count'
}
rows -n 2
rows -n 0 -f '*-[0-9]'
rows -n 0 -f 'burner-?'
rows -n 3 -o ALLOC
rows -n 3 -o -NAME
rows -n 3 -o KIND NAME
rows -n 2 -c -o CSW
