python3 - "$DATA" <<'END'
import gzip, sys, zipfile

def make(name, **members):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for member, data in members.items():
            z.writestr(member.replace("__", "."), data)

make("many.zip", a__folded="main;a 3\n", b__gz=gzip.compress(b"main;b 4\n"),
     README="No recording.\n", dump__jfr=open(sys.argv[1] + "/jfr/ap-lock.jfr", "rb").read())
make("none.zip", a__txt="x\n", b__txt="y\n")
make("no_files.zip")
make("nested.zip", a__zip=open("many.zip", "rb").read(), b__txt="y\n")
make("lost.zip", a__folded="main;a 3\n", b__zip=open("many.zip", "rb").read())
END
try() {
	echo "-- $*"
	sjkc "$@" 2>&1 | head -n 5
}
try flame --list-events many.zip
try flame -o - --output-format collapsed lost.zip
sjkc flame -q -o lost.folded lost.zip 2>/dev/null
echo "exit status $?"
try flame --list-events none.zip
try flame --list-events no_files.zip
try flame --list-events nested.zip
try flame --list-events --format jfr many.zip
echo 'no archive' >text
try flame --list-events --format zip text
echo '-- commands for one recording'
try gc -i many.zip
try jfr2json -i many.zip
