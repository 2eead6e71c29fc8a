# Other users can read arguments.
try() {
	"$@"
	echo "$?"
}
unset SJKC_PASSWORD
umask 022
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password secret
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password=secret
try sjkc mxdump -s 127.0.0.1:1 --user me --password secret
try sjkc jcmd -s 127.0.0.1:1 --user me --password secret
# Without a terminal, sjkc does not ask for a password.
try setsid -w sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --password-file none
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password-file none
: >empty
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password-file empty
echo secret >file
chmod 644 file
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password-file file
chmod 600 file
try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password-file file
echo secret | try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me --password-file -
SJKC_PASSWORD=secret try sjkc mx -s 127.0.0.1:1 -b a:b=c -mg --user me
try sjkc mx -p 2147483647 -b a:b=c -mg --user me --password-file file
