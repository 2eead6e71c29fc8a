# No process has this pid: an error about it would show the wrong order.
run() {
	sjkc prof -d 1h "$@" 99999999 2>&1
	echo "= $?"
}
mkdir folder
run -o nowhere/out.html
run -o folder
sjkc prof -d 1h 99999999 >&- 2>err; echo "= $?"; cat err
run -e cpu,wall -o out.collapsed
# The check neither changes a writable file nor waits for the reader of a pipe.
echo old >out.html
mkfifo pipe.html
for file in out.html pipe.html; do
	run -o $file | grep -c 'cannot open\|cannot create'
done
cat out.html
ls
