export TZ=UTC
recordings=$SHARED/own/jfr
[ -e "$recordings/busy25-profile.jfr" ] ||
	{ echo 'no shared recordings'; exit 77; }
for event in cpu cpu-time native alloc lock park exception; do
	sjkc prof -q -i "$recordings/busy25-profile.jfr" -e $event |
		sed '/^also/,$d'
done
for event in cpu wall alloc lock; do
	sjkc prof -q -i "$recordings/ap-busy17-multi.jfr" -e $event |
		sed '/^also/,$d'
done
echo '-- two periods are none'
sjkc prof -q -i "$recordings/busy25-profile.jfr" \
	"$recordings/busy17-default-depth16.jfr" | head -n 2
