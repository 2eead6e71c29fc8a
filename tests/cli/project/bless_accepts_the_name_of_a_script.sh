env -u MAKEFLAGS -u MFLAGS make -n -C "$(dirname "$DATA")/.." bless \
	ONLY=flame/lists_events 2>/dev/null | grep -o 'cli.sh .*'
