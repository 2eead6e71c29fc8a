# Truncated, foreign and unreadable input.
exec 2>&1
try() {
	echo "-- $*"
	sjkc gc -q "$@" | tail -n 5
	sjkc gc -q "$@" >/dev/null 2>&1
	echo "exit status $?"
}
cp "$DATA/gc/jdk17-parallel.log" whole.log
head -c 1000 whole.log >cut.log
{ echo hello; head -n 4 whole.log; echo world; } >mixed.log
gzip -c whole.log | head -c 300 >cut.log.gz
printf 'nothing here\n' >other.log
head -n 1 whole.log >empty.log
try -i whole.log
try -i cut.log
try -i mixed.log
try -i cut.log.gz
try -i other.log
try -i empty.log
try -i missing.log
try -i missing.log -i whole.log
try -i whole.log --csv
echo "-- -v"
sjkc gc -i mixed.log | tail -n 1
try -i whole.log 4711
