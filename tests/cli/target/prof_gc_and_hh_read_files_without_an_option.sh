# An argument that names a file is read as with -i; a directory, an executable file
# and a PID name no file.
cp "$DATA/jfr/ap-lock.jfr" a.jfr
echo '[0.1s][info][gc] GC(0) Pause Young (Normal) 2M->1M(8M) 1.5ms' >gc.log
printf ' num     #instances         #bytes  class name\n   1:  2  48  a.B\n' \
	>histogram.txt
mkdir Demo
for words in 'prof a.jfr' "prof $PWD/a.jfr" 'gc gc.log' 'hh ./histogram.txt'; do
	$NO_JVM sjkc "${words%% *}" -i "${words#* }" >wanted 2>&1
	wanted=$?
	$NO_JVM sjkc $words >got 2>&1
	echo "${words%% *}: $? $wanted $(grep -c . got)"
	sed "s|$PWD/||" got | cmp - wanted
done
sjkc prof - -e lock <a.jfr 2>&1 | head -n 1
for name in Demo ./absent data/absent 4711; do
	for command in prof gc hh threads; do
		$NO_JVM sjkc $command $name 2>&1 >/dev/null | head -n 1 |
			sed 's/; no permission.*//'
	done
done
