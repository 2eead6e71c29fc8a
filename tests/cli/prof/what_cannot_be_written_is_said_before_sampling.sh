# Nothing has this pid: that it is not looked for shows what came first.
run() {
	sjkc prof -d 1h "$@" 99999999 2>&1
	echo "= $?"
}
mkdir folder
run -o nowhere/out.html
run -o folder
sjkc prof -d 1h 99999999 >&- 2>err; echo "= $?"; cat err
run -e cpu,wall -o out.collapsed
# What can be written is not touched, and no reader is waited for.
echo old >out.html
mkfifo pipe.html
for file in out.html pipe.html; do
	run -o $file | grep -c 'cannot open\|cannot create'
done
cat out.html
ls
