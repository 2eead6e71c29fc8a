recordings=$SHARED/own/jfr
[ -e "$recordings/busy25-profile.jfr" ] ||
	{ echo 'no shared recordings'; exit 77; }
sed '/^compare -i/d' "$(dirname "$0")/report_matches_collapsed.sh" \
	>functions.sh
# shellcheck source=report_matches_collapsed.sh
. ./functions.sh
compare -i "$recordings/busy25-profile.jfr" -e cpu --lines
compare -i "$recordings/busy25-profile.jfr" -e alloc
compare -i "$recordings/ap-busy17-multi.jfr" -e lock
compare -i "$recordings/ap-busy17-multi.jfr" -e wall
compare -i "$recordings/busy17-multichunk.jfr" --from 5s
