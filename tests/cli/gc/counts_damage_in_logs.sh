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
echo "-- a form that no JVM writes, alone and beside another"
form='[1.5s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 9M->4M(16M)'
echo "$form 3 us" >unknown.log
{ echo "$form 3 us"; echo "$form 3.0ms"; } >known.log
try -i unknown.log
try -i known.log
echo "-- no line of a GC log"
cat >hs_err.log <<'END'
# A fatal error has been detected by the Java Runtime Environment:
Host: node-1, 2 cores, 15G
CommandLine: -Xmx1g Main
Memory: 4k page, physical 16000000k(8000000k free), swap 0k(0k free)
[error occurred during error reporting (printing the stack)]
Event: 0.123 GC heap before
{Heap before GC invocations=1 (full 0):
vm_info: OpenJDK 64-Bit Server VM (17.0.15) for linux-amd64 JRE (17.0.15)
END
printf '[2026-11-02][INFO] ready\n[2026-11-02][WARN] [main] slow\n' >app.log
try -i hs_err.log
try -i app.log
try -i app.log -i whole.log
echo "-- the page of a truncated log"
sjkc gc -q -i cut.log -o page.html >/dev/null 2>&1
python3 - <<'P'
import base64, re, zlib
block = re.search(r'application/octet-stream">\n?([^<]*)', open('page.html').read())
print(re.search(rb'"description":"[^"]*"',
                zlib.decompress(base64.b64decode(block[1]), -15)).group().decode())
P
